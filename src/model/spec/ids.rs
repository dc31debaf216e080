//! Ids of the findings that reading a spec can give: their one home. `rules::spec` has a rule with a page for each.

/// The file is not valid TOML.
pub const SYNTAX: &str = "spec-syntax";
/// A key that the spec does not know.
pub const UNKNOWN_KEY: &str = "spec-unknown-key";
/// A key without a default is missing.
pub const MISSING_KEY: &str = "spec-missing-key";
/// A value of another type than the key takes.
pub const WRONG_TYPE: &str = "spec-wrong-type";
/// A value that the key does not take.
pub const VALUE: &str = "spec-value";
/// A site address that cannot be read, is not public or is used twice.
pub const ADDRESS: &str = "spec-address";
/// A site without an address of a switched type.
pub const ADDRESS_MISSING: &str = "spec-address-missing";
/// A text that is no record name.
pub const NAME: &str = "spec-name";
/// A name outside the zone.
pub const NAME_OUTSIDE_ZONE: &str = "spec-name-outside-zone";
/// A name that stands twice in one list.
pub const REPEATED: &str = "spec-repeated";
/// A site that is not in the list of sites.
pub const SITE_UNKNOWN: &str = "spec-site-unknown";
/// A site at which no host is served.
pub const SITE_WITHOUT_HOST: &str = "spec-site-without-host";
/// A host that is served at no site, or by no switched record.
pub const HOST_NOWHERE: &str = "spec-host-nowhere";
/// An origin record that the switch would move.
pub const ORIGIN_SWITCHED: &str = "spec-origin-switched";
/// Time settings that contradict each other.
pub const TIMES: &str = "spec-times";
/// A repository, branch or environment that GitHub would not take.
pub const GITHUB: &str = "spec-github";
/// Folders of generated files that collide.
pub const PATHS: &str = "spec-paths";
