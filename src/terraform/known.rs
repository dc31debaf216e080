//! Facts that are known from elsewhere and decide what a module alone leaves open.

/// What the spec, or a flag, says about the account that a module is applied to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Known {
    /// The account's id, twelve digits.
    pub account: Option<String>,
    /// The partition: `aws`, `aws-cn`, `aws-us-gov`.
    pub partition: Option<String>,
}
