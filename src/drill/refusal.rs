//! An answer that says no, as AWS says it.

/// An error of the service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The HTTP status.
    pub http: u16,
    /// The code.
    pub code: String,
    /// The message.
    pub message: String,
}

impl Refusal {
    /// An error with this status, code and message.
    #[must_use]
    pub fn new(http: u16, code: &str, message: &str) -> Self {
        Self {
            http,
            code: code.to_owned(),
            message: message.to_owned(),
        }
    }

    /// A batch that cannot be applied; all its faults in one message.
    pub(super) fn batch(faults: &[String]) -> Self {
        Self::new(
            400,
            "InvalidChangeBatch",
            &format!("[{}]", faults.join(", ")),
        )
    }

    /// A request that is none.
    pub(super) fn input(message: &str) -> Self {
        Self::new(400, "InvalidInput", message)
    }

    /// A request of a principal that may not make it: `why` is AWS's clause about the policy.
    pub(super) fn denied(principal: &str, action: &str, resource: &str, why: &str) -> Self {
        let message = format!(
            "User: {principal} is not authorized to perform: {action} on resource: {resource} {why}"
        );
        Self::new(403, "AccessDenied", &message)
    }
}
