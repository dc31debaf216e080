//! Condition keys and resources that a service's guide documents for an action and its reference does not list.

/// Each action, with its service, and the key.
const CARRIED: &[(&str, &str)] = &[
    // Amazon Bedrock User Guide, "Access Amazon Bedrock foundation models": "For the `aws-marketplace:Subscribe` action
    // only, you can use the `aws-marketplace:ProductId` condition key".
    ("aws-marketplace:Subscribe", "aws-marketplace:ProductId"),
];

/// Whether a guide says that requests to `action` carry `key`. Case does not count.
#[must_use]
pub fn is_documented(action: &str, key: &str) -> bool {
    CARRIED.iter().any(|(known, carried)| {
        known.eq_ignore_ascii_case(action) && carried.eq_ignore_ascii_case(key)
    })
}

/// Each action, with its service, and the service and the kind of the ARNs that it is asked about.
const ON: &[(&str, &str, &str)] = &[
    // Systems Manager User Guide, "Sample IAM policies for Session Manager": the data channel of a session is opened on the
    // session's ARN; the reference has `*` alone.
    ("ssmmessages:OpenDataChannel", "ssm", "session/"),
];

/// Whether a guide says that AWS asks for `action` on such a `resource`. Case of the action does not count.
#[must_use]
pub fn is_documented_on(action: &str, resource: &str) -> bool {
    let mut parts = resource.splitn(6, ':').skip(2);
    let (service, kind) = (parts.next(), parts.nth(2));
    ON.iter().any(|(known, of, begins)| {
        known.eq_ignore_ascii_case(action)
            && service == Some(of)
            && kind.is_some_and(|kind| kind.starts_with(begins))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_carried_by_that_action_alone() {
        let key = "aws-marketplace:productid";
        assert!(is_documented("aws-marketplace:subscribe", key));
        assert!(!is_documented("aws-marketplace:Unsubscribe", key));
        assert!(!is_documented("sns:Subscribe", key));
    }

    #[test]
    fn a_data_channel_is_opened_on_a_session() {
        let session = "arn:aws:ssm:*:*:session/*";
        assert!(is_documented_on("ssmmessages:openDataChannel", session));
        assert!(!is_documented_on("ssmmessages:CreateDataChannel", session));
        assert!(!is_documented_on(
            "ssmmessages:OpenDataChannel",
            "arn:aws:ssm:*:*:document/x"
        ));
    }
}
