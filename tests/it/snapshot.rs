//! Snapshots for what a person reads, in the top-level folder, each with a name of its own.

/// Compares `text` with `snapshots/<name>.snap`.
pub(crate) fn assert(name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => concat!(env!("CARGO_MANIFEST_DIR"), "/snapshots"),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, {
        insta::assert_snapshot!(name, text);
    });
}
