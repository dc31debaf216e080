//! Condition keys that a service's guide documents for an action and its reference does not list.

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
}
