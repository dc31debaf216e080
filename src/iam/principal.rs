//! Who asks, and which `Principal` names them (IAM User Guide, "AWS JSON policy elements: Principal").

use crate::model::policy::Principals;
use crate::text::Text;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestPrincipal {
    /// An IAM user, role, role session or account root, by ARN.
    Arn(String),
    /// A web identity or SAML provider, by its ARN or its name.
    Federated(String),
    /// A service, `lambda.amazonaws.com`.
    Service(String),
}

/// How a resource policy names the principal, weakest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Naming {
    /// By its account: the account's own policies must allow too.
    Account,
    /// By `*`.
    Everyone,
    /// By the role of which it is a session.
    Role,
    /// By itself: user, session, service or provider. Goes past the implicit denies of boundary and session policy.
    Itself,
}

/// A compiled `Principal` or `NotPrincipal`.
#[derive(Debug, Clone)]
pub(super) struct PrincipalTest {
    pub(super) negated: bool,
    pub(super) incomplete: bool,
    /// Whether who asks has a permissions boundary, from which a `NotPrincipal` exempts nobody.
    pub(super) bounded: bool,
    entries: Box<[Entry]>,
}

#[derive(Debug, Clone)]
enum Entry {
    Everyone,
    Aws(Box<str>),
    Account(Box<str>),
    Federated(Box<str>),
    Service(Box<str>),
}

/// Providers of web identities that are named by their host and not by an ARN (IAM User Guide, "AWS JSON policy elements:
/// Principal", "OIDC federated user principals").
const WEB_PROVIDERS: [&str; 4] = [
    "accounts.google.com",
    "cognito-identity.amazonaws.com",
    "graph.facebook.com",
    "www.amazon.com",
];

impl RequestPrincipal {
    /// Reads a principal as case tables write it: provider ARNs and host names are federated, `….amazonaws.com` is a
    /// service, anything else an ARN.
    #[must_use]
    pub fn parse(written: &str) -> Self {
        let is_provider =
            written.contains(":oidc-provider/") || written.contains(":saml-provider/");
        if is_provider || WEB_PROVIDERS.contains(&written) {
            Self::Federated(written.to_owned())
        } else if written.ends_with(".amazonaws.com") || written.ends_with(".amazonaws.com.cn") {
            Self::Service(written.to_owned())
        } else if written.contains('.') && !written.contains([':', '/']) {
            Self::Federated(written.to_owned())
        } else {
            Self::Arn(written.to_owned())
        }
    }

    /// The identifier.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Arn(id) | Self::Federated(id) | Self::Service(id) => id,
        }
    }

    /// Whether it is the root user of an account.
    pub(super) fn is_root(&self) -> bool {
        let Self::Arn(arn) = self else { return false };
        let parts: Vec<&str> = arn.splitn(6, ':').collect();
        matches!(parts.as_slice(), ["arn", _, "iam", "", _, "root"])
    }

    /// Whether it is a service-linked role, or a session of one: IAM keeps their path and the start of their names
    /// (IAM User Guide, "Service-linked roles").
    pub(super) fn is_service_linked(&self) -> bool {
        let Self::Arn(arn) = self else { return false };
        let resource = arn.splitn(6, ':').nth(5).unwrap_or_default();
        resource.starts_with("role/aws-service-role/")
            || resource.starts_with("assumed-role/AWSServiceRoleFor")
    }

    /// Whether no service control policy concerns it: they affect users, roles and root users of member accounts, so
    /// neither a service that asks by itself, nor somebody from a provider who has no role yet, nor a service-linked role
    /// (Organizations User Guide, "Service control policies (SCPs)").
    pub(super) fn is_spared_by_scps(&self) -> bool {
        match self {
            Self::Service(_) | Self::Federated(_) => true,
            Self::Arn(_) => self.is_service_linked(),
        }
    }

    /// The account of a principal that has identity policies.
    pub(super) fn account(&self) -> Option<&str> {
        match self {
            Self::Arn(arn) => arn.split(':').nth(4).filter(|account| !account.is_empty()),
            Self::Federated(_) | Self::Service(_) => None,
        }
    }
}

impl PrincipalTest {
    pub(super) fn new(principals: &Principals) -> Self {
        let mut entries = Vec::with_capacity(principals.entries.len());
        let mut incomplete = principals.incomplete;
        for principal in &principals.entries {
            let kind = principal.kind.as_ref().map(Text::as_str);
            match (kind, principal.value.text.as_str()) {
                (None, _) | (Some("AWS"), "*") => entries.push(Entry::Everyone),
                (Some("AWS"), value) => entries.push(aws(value)),
                (Some("Federated"), value) => entries.push(Entry::Federated(value.into())),
                (Some("Service"), value) => entries.push(Entry::Service(value.into())),
                // A canonical user's account cannot be known here.
                (Some(_), _) => incomplete = true,
            }
        }
        Self {
            negated: principals.negated,
            incomplete,
            bounded: false,
            entries: entries.into_boxed_slice(),
        }
    }

    /// How the list names `principal`, at best; `None` when it does not.
    pub(super) fn naming(&self, principal: Option<&RequestPrincipal>) -> Option<Naming> {
        self.entries
            .iter()
            .filter_map(|entry| entry.naming(principal))
            .max()
    }

    /// Whether a Deny with this `NotPrincipal` spares `principal`: only one that is named itself. An account does not
    /// stand for its users, a role not for its sessions, and whoever has a permissions boundary is denied in any case
    /// (IAM User Guide, "AWS JSON policy elements: `NotPrincipal`").
    pub(super) fn spares(&self, principal: Option<&RequestPrincipal>) -> bool {
        let bounded = self.bounded && principal.is_some_and(|who| who.account().is_some());
        !bounded && self.entries.iter().any(|entry| entry.is(principal))
    }
}

fn aws(value: &str) -> Entry {
    if value.len() == 12 && value.bytes().all(|digit| digit.is_ascii_digit()) {
        return Entry::Account(value.into());
    }
    let segments: Vec<&str> = value.splitn(6, ':').collect();
    match segments.as_slice() {
        ["arn", _, "iam", "", account, "root"] => Entry::Account((*account).into()),
        _ => Entry::Aws(value.into()),
    }
}

impl Entry {
    /// Whether it names `principal` itself, not by its account or its role.
    fn is(&self, principal: Option<&RequestPrincipal>) -> bool {
        match (self, principal) {
            (Self::Everyone, _) => true,
            (Self::Account(account), Some(RequestPrincipal::Arn(arn))) => {
                matches!(aws(arn), Self::Account(own) if own == *account)
            }
            (Self::Aws(named), Some(RequestPrincipal::Arn(arn))) => **named == **arn,
            (Self::Federated(named), Some(RequestPrincipal::Federated(id)))
            | (Self::Service(named), Some(RequestPrincipal::Service(id))) => **named == **id,
            (Self::Aws(_) | Self::Account(_) | Self::Federated(_) | Self::Service(_), _) => false,
        }
    }

    fn naming(&self, principal: Option<&RequestPrincipal>) -> Option<Naming> {
        let hit = match (self, principal) {
            (Self::Everyone, _) => return Some(Naming::Everyone),
            (Self::Account(account), Some(principal)) => {
                return (principal.account() == Some(account)).then_some(Naming::Account);
            }
            (Self::Aws(named), Some(RequestPrincipal::Arn(arn))) => {
                if **named != **arn {
                    return is_role_of(named, arn).then_some(Naming::Role);
                }
                return Some(if arn.contains(":role/") {
                    Naming::Role
                } else {
                    Naming::Itself
                });
            }
            (Self::Federated(named), Some(RequestPrincipal::Federated(id))) => **named == **id,
            (Self::Service(named), Some(RequestPrincipal::Service(id))) => **named == **id,
            (Self::Aws(_) | Self::Account(_) | Self::Federated(_) | Self::Service(_), _) => false,
        };
        hit.then_some(Naming::Itself)
    }
}

/// Whether `session` (`arn:aws:sts::A:assumed-role/NAME/SESSION`) is a session of `role`
/// (`arn:aws:iam::A:role/path/NAME`); a session's ARN does not carry the path.
fn is_role_of(role: &str, session: &str) -> bool {
    let role: Vec<&str> = role.splitn(6, ':').collect();
    let session: Vec<&str> = session.splitn(6, ':').collect();
    let (["arn", p, "iam", "", a, role], ["arn", q, "sts", "", b, session]) =
        (role.as_slice(), session.as_slice())
    else {
        return false;
    };
    let role = role
        .strip_prefix("role/")
        .and_then(|path| path.rsplit('/').next());
    let session = session
        .strip_prefix("assumed-role/")
        .and_then(|rest| rest.split('/').next());
    p == q && a == b && role.is_some() && role == session
}

#[cfg(test)]
mod tests {
    use super::*;

    fn not_principal(named: &[&str], bounded: bool) -> PrincipalTest {
        PrincipalTest {
            negated: true,
            incomplete: false,
            bounded,
            entries: named.iter().map(|named| aws(named)).collect(),
        }
    }

    #[test]
    fn a_not_principal_spares_only_whom_it_names() {
        let spares = |named: &[&str], who: &str| {
            not_principal(named, false).spares(Some(&RequestPrincipal::parse(who)))
        };
        let root = "arn:aws:iam::123456789012:root";
        let user = "arn:aws:iam::123456789012:user/alice";
        let role = "arn:aws:iam::123456789012:role/ops";
        let session = "arn:aws:sts::123456789012:assumed-role/ops/run";
        assert!(!spares(&[root], user) && !spares(&["123456789012"], user));
        assert!(spares(&[root], root) && spares(&[root, user], user));
        assert!(!spares(&[root, role], session));
        assert!(spares(&[root, role, session], session));
        assert!(!not_principal(&[root], false).spares(None));
    }

    #[test]
    fn a_permissions_boundary_is_never_spared() {
        let user = "arn:aws:iam::123456789012:user/alice";
        let who = RequestPrincipal::parse(user);
        assert!(!not_principal(&[user], true).spares(Some(&who)));
    }
}
