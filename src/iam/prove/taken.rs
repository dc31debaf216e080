//! What an answer takes for granted: each assumption is noted where it rules something out,
//! and can be set aside, so that it comes out which of them an answer depends on.

use std::cell::Cell;

/// An assumption about real requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Assumption {
    /// What resources look like.
    Arns,
    /// The same where any request is looked at.
    AnyArns,
    /// Which actions, resources and keys there are.
    Catalog,
    /// What every change of records carries.
    Records,
    /// What no other call carries.
    RecordKeys,
    /// What every call carries, and how calls are made.
    EveryCall,
    /// What Route 53 sends of records.
    SentNames,
    /// How many values of which type come under a key.
    Arity,
    /// What whoever has a token asks for.
    WebIdentity,
    /// What every token has.
    WholeTokens,
    /// What subjects look like.
    Subjects,
    /// Which claims go together.
    TiedClaims,
    /// What is known of the repository in question.
    OwnTokens,
}

const ALL: [Assumption; 13] = [
    Assumption::Arns,
    Assumption::AnyArns,
    Assumption::Catalog,
    Assumption::Records,
    Assumption::RecordKeys,
    Assumption::EveryCall,
    Assumption::SentNames,
    Assumption::Arity,
    Assumption::WebIdentity,
    Assumption::WholeTokens,
    Assumption::Subjects,
    Assumption::TiedClaims,
    Assumption::OwnTokens,
];

impl Assumption {
    /// It in a sentence.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Arns => {
                "a resource is an ARN in a partition of AWS, or `*` for an action that may name none"
            }
            Self::AnyArns => "a resource is an ARN, or `*`",
            Self::Catalog => {
                "of Route 53, STS, IAM, S3 and DynamoDB there are the actions, resources and keys of the catalog, no others"
            }
            Self::Records => {
                "every `route53:ChangeResourceRecordSets` carries the names, types and actions of its records, since a batch has at least one change"
            }
            Self::RecordKeys => {
                "no call but `route53:ChangeResourceRecordSets` carries the names, types and actions of records"
            }
            Self::EveryCall => {
                "every call carries the time, the Region, the client, whether it comes over TLS and through a service, and one that gets a role carries the session's name; Route 53, IAM and STS take calls over TLS alone"
            }
            Self::SentNames => {
                "Route 53 sends names in lower case, without a final dot and with `\\052` for `*`; types and kinds of change are those of its API"
            }
            Self::Arity => {
                "a key that AWS documents with one value never comes with several, nor one documented with several as a single one; values are of the type that AWS documents, and numbers are whole"
            }
            Self::WebIdentity => {
                "a token of an OIDC provider is used for `sts:AssumeRoleWithWebIdentity` alone, with a source identity and session tags; an answer of a SAML provider for `sts:AssumeRoleWithSAML`"
            }
            Self::WholeTokens => "every token has a subject and an audience",
            Self::Subjects => {
                "a subject of GitHub's begins with the name of a claim and a colon, `?*:?*`, and does not end in a colon; no ref holds a character that git forbids"
            }
            Self::TiedClaims => {
                "a token's subject and its other claims say the same: repository and ids, ref, environment, and each pair of a template"
            }
            Self::OwnTokens => {
                "the repository's subjects are written by the format and template that are said, and its ids are no other repository's"
            }
        }
    }
}

/// The assumptions that were made, and those that may not be.
#[derive(Debug, Default)]
pub(super) struct Taken {
    made: Cell<u16>,
    aside: u16,
}

impl Taken {
    /// None made, and `aside` set aside.
    pub(super) fn without(aside: &[Assumption]) -> Self {
        let bits = aside.iter().map(|one| bit(*one));
        Self {
            made: Cell::default(),
            aside: bits.fold(0, |all, one| all | one),
        }
    }

    /// Whether it may be made, which is noted.
    pub(super) fn take(&self, assumption: Assumption) -> bool {
        let is_free = self.allows(assumption);
        if is_free {
            self.made.set(self.made.get() | bit(assumption));
        }
        is_free
    }

    /// Whether it may be made.
    pub(super) fn allows(&self, assumption: Assumption) -> bool {
        self.aside & bit(assumption) == 0
    }

    pub(super) fn all(&self) -> Vec<Assumption> {
        let noted = |one: &Assumption| self.made.get() & bit(*one) != 0;
        ALL.into_iter().filter(noted).collect()
    }
}

fn bit(assumption: Assumption) -> u16 {
    let place = ALL.iter().position(|one| *one == assumption);
    place.map_or(0, |place| 1 << place)
}
