//! Policies of AWS's own that give far more than a switch needs, by their ARNs, as far as that goes: what each of them lets in
//! is tried by an attack. Any other is told to be not weighed.
//!
//! Source: AWS Managed Policy Reference. What is absent: rights to read that some of them have beside these.

use crate::iam::NamedPolicy;
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::syntax::json;
use crate::text::{Origin, Span, Text};

/// The end of an ARN behind `:iam::aws:policy/`, and the statements in JSON.
const BROAD: [(&str, &str); 5] = [
    (
        "AdministratorAccess",
        r#"{"Effect":"Allow","Action":"*","Resource":"*"}"#,
    ),
    (
        "PowerUserAccess",
        r#"{"Effect":"Allow","NotAction":["iam:*","organizations:*","account:*"],"Resource":"*"}"#,
    ),
    (
        "AmazonRoute53FullAccess",
        r#"{"Effect":"Allow","Action":["route53:*","route53domains:*"],"Resource":"*"}"#,
    ),
    (
        "AmazonRoute53DomainsFullAccess",
        r#"{"Effect":"Allow","Action":["route53:CreateHostedZone","route53domains:*"],"Resource":"*"}"#,
    ),
    (
        "IAMFullAccess",
        r#"{"Effect":"Allow","Action":"iam:*","Resource":"*"}"#,
    ),
];

/// A managed policy that the role has.
#[derive(Debug)]
pub(super) struct Managed {
    name: &'static str,
    document: PolicyDocument,
}

impl Managed {
    /// The policy of this ARN, if it is one that is known; `at` is where it is given to the role.
    #[must_use]
    pub(super) fn of(arn: &str, at: Span) -> Option<Self> {
        let (_, rest) = arn.split_once(":iam::aws:policy/")?;
        let (name, statement) = BROAD.iter().find(|(name, _)| *name == rest)?;
        let text = format!(r#"{{"Version":"2012-10-17","Statement":[{statement}]}}"#);
        let mut parsed = json::read(&Text::whole(text, Origin::Source(at)));
        let root = parsed.documents.drain(..).next()?;
        let document = PolicyDocument::read(root, Some(PolicyKind::ManagedIdentity), None);
        Some(Self { name, document })
    }

    /// It with its name.
    #[must_use]
    pub(super) fn named(&self) -> NamedPolicy<'_> {
        NamedPolicy {
            name: self.name,
            document: &self.document,
        }
    }
}
