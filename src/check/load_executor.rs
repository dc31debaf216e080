//! The program that the workflow checks and runs, and its sum: bytes, of which nothing but the SHA-256 is wanted.

use crate::diag::Unread;
use crate::generate::sha256;
use crate::model::spec::{EXECUTOR, EXECUTOR_SUM, Spec};

use super::load::{Input, Loaded, Standing};

/// Where the program and its sum stand, counted as all paths are.
#[must_use]
pub fn executor_paths(spec: &Spec) -> [String; 2] {
    [EXECUTOR, EXECUTOR_SUM].map(|path| format!("{}{path}", spec.folder()))
}

impl Loaded {
    /// Takes the input in if it is the program or its sum, and nobody named it to have it judged.
    pub(super) fn take_executor(&mut self, input: Input, spec: Option<&Spec>) -> Option<Input> {
        let [binary, sum] = spec.map(executor_paths).unwrap_or_default();
        let (is_binary, is_sum) = (input.path == binary, input.path == sum);
        if input.standing == Standing::Named || !(is_binary || is_sum) {
            return Some(input);
        }
        let path = input.path;
        match input.bytes {
            Ok(bytes) if is_binary => {
                let executor = &mut self.workspace.executor;
                executor.sha256 = Some(sha256(&bytes));
                executor.can_start = bytes.starts_with(b"\x7fELF") || bytes.starts_with(b"#!");
            }
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                self.workspace.executor.sum = Some(text);
            }
            Err(reason) => {
                self.workspace.executor.unreadable = true;
                let at = None;
                self.unread.push(Unread { path, reason, at });
            }
        }
        None
    }
}
