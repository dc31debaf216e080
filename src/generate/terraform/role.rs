//! The role that the workflow borrows, and its two rights. The provider belongs to the account and is only looked up.

use hcl::Block;
use serde_json::Value;

use crate::generate::policies;
use crate::model::spec::Spec;

use super::Commented;
use super::values::{attribute, call, expression, reference, replace};

/// Seconds that a role's credentials live at most unless it says otherwise (IAM API, `CreateRole`, `MaxSessionDuration`).
const USUAL_SESSION: u32 = 3600;

/// Stands for the provider in the policy until it is replaced; no spec can hold a control character.
const PROVIDER: &str = "\u{1}provider";

/// The blocks of the role.
pub(super) fn blocks(spec: &Spec) -> Vec<Commented> {
    let provider = Block::builder("data")
        .add_label("aws_iam_openid_connect_provider")
        .add_label("github")
        .add_attribute(attribute("url", format!("https://{}", spec.oidc_issuer())))
        .build();
    vec![
        Commented {
            comment:
                "The account's provider for GitHub's tokens; it is looked up, never made here."
                    .to_owned(),
            block: provider,
        },
        Commented {
            comment: format!(
                "Only the failover workflow can borrow this role. Equal to {}.",
                spec.trust_policy_path()
            ),
            block: role(spec),
        },
        Commented {
            comment: format!(
                "UPSERT of exactly these records, and nothing else. Equal to {}.",
                spec.change_policy_path()
            ),
            block: inline(
                "change_records",
                "change-records",
                &policies::change_records(spec),
            ),
        },
        Commented {
            comment: format!(
                "Listing the zone and following a change; no condition key narrows these. Equal to {}.",
                spec.read_policy_path()
            ),
            block: inline("read_zone", "read-zone", &policies::read_zone(spec)),
        },
    ]
}

fn role(spec: &Spec) -> Block {
    let mut trust = expression(&policies::trust(spec, &Value::from(PROVIDER)));
    let arn = reference("data.aws_iam_openid_connect_provider.github.arn");
    replace(&mut trust, PROVIDER, &arn);
    let mut role = Block::builder("resource")
        .add_label("aws_iam_role")
        .add_label("failover")
        .add_attribute(attribute("name", spec.aws.role.as_str()));
    if spec.aws.session_seconds > USUAL_SESSION {
        role = role.add_attribute(attribute("max_session_duration", spec.aws.session_seconds));
    }
    role.add_attribute(attribute("assume_role_policy", call("jsonencode", trust)))
        .build()
}

fn inline(label: &str, name: &str, policy: &Value) -> Block {
    Block::builder("resource")
        .add_label("aws_iam_role_policy")
        .add_label(label)
        .add_attribute(attribute("name", name))
        .add_attribute(attribute("role", reference("aws_iam_role.failover.name")))
        .add_attribute(attribute("policy", call("jsonencode", expression(policy))))
        .build()
}
