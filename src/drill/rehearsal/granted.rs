//! What is granted to the role, place by place: by the policies' own files, and by Terraform, as far as it gives them to the
//! spec's role. What Terraform says of the role that the evaluator cannot weigh is told.

use crate::iam::{Compiled, NamedPolicy, Policies};
use crate::model::policy::{PolicyDocument, PolicyKind};
use crate::model::spec::Spec;
use crate::rules::{Artefact, Role, Workspace};
use crate::syntax::Node;
use crate::terraform::{Declarations, GrantKind, Role as Declared};
use crate::text::SourceMap;

use super::managed::Managed;
use super::steps::JobRules;

/// One place that policies stand in.
#[derive(Debug, Clone)]
pub(super) struct Place {
    /// `files` or `terraform`.
    pub name: &'static str,
    /// What the role may do; `None` where nothing here says anything of that.
    pub rights: Option<Compiled>,
    /// Who may borrow it.
    pub trust: Option<Compiled>,
    /// The same, as it is written.
    pub trust_written: Option<PolicyDocument>,
    /// What is told where the rights say no: a policy that is missing, by what it should allow.
    pub missing: Vec<(Role, String)>,
    /// Actions that statements allow, as they are written, with a resource each.
    pub allows: Vec<(String, String)>,
}

/// The role as Terraform makes it, and as the spec has it where Terraform does not.
#[derive(Debug, Clone, Default)]
pub(super) struct OwnRole {
    /// Its ARN; `None` where it is never made, or has a name that nobody knows before.
    pub arn: Option<String>,
    /// What is told to whoever asks for another one.
    pub told: String,
    /// How long a session may last, in seconds.
    pub longest: u64,
    /// What about its rights is not weighed.
    pub doubts: Vec<String>,
}

/// How long a session lasts at most where nothing else is said of the role (IAM User Guide, "maximum session duration").
const LONGEST: u64 = 3600;

impl OwnRole {
    /// The role of this deployment.
    #[must_use]
    pub(super) fn of(spec: &Spec, workspace: &Workspace) -> Self {
        let own = spec.role_arn();
        let module = workspace.own_module();
        let usual = Self {
            told: format!("the spec's is `{own}`"),
            arn: Some(own),
            longest: LONGEST.max(spec.aws.session_seconds.into()),
            doubts: Vec::new(),
        };
        let Some(module) = module.filter(|module| module.whole) else {
            return usual;
        };
        if let Some(unmade) = module.unmade_role(spec) {
            return Self {
                told: format!("Terraform declares `{}` and never makes it", unmade.address),
                arn: None,
                ..usual
            };
        }
        match module.own_role(spec) {
            Some(role) => Self::declared(spec, module, role),
            None => usual,
        }
    }

    /// That Terraform makes another role than the spec says, in words.
    #[must_use]
    pub(super) fn differs(&self, spec: &Spec, rules: &JobRules) -> Option<String> {
        let own = spec.role_arn();
        let made = self.arn.as_ref().filter(|arn| **arn != own)?;
        let (told, session) = (&self.told, rules.borrows(made));
        let so = if session {
            "; the workflow borrows what Terraform makes, but wherever the executor borrows by itself it asks for the spec's"
        } else {
            ""
        };
        Some(format!("the spec's role is `{own}`, and {told}{so}"))
    }

    fn declared(spec: &Spec, module: &Declarations, role: &Declared) -> Self {
        let address = &role.address;
        let mut doubts = Vec::new();
        let name = match &role.name {
            None => Err(format!("Terraform makes up the name of `{address}`")),
            Some(name) => Ok(name.as_str().unwrap_or_else(|| {
                doubts.push(format!("what `{address}` is called"));
                &spec.aws.role
            })),
        };
        let path = match role.path.as_ref().map(|path| path.as_str()) {
            None => "/",
            Some(Some(path)) => path,
            Some(None) => {
                doubts.push(format!("at which path `{address}` lies"));
                "/"
            }
        };
        let seconds = role.max_session.as_ref().map(|seconds| {
            let number = seconds.as_integer().and_then(|it| u64::try_from(it).ok());
            number.or_else(|| seconds.as_str()?.parse().ok())
        });
        if seconds == Some(None) {
            doubts.push(format!("how long a session of `{address}` may last"));
        }
        doubts.extend(beside(spec, module, role));
        let (arn, told) = match name {
            Ok(name) => {
                let arn = format!("arn:aws:iam::{}:role{path}{name}", spec.aws.account);
                let told = format!("`{address}` of Terraform is `{arn}`");
                (Some(arn), told)
            }
            Err(told) => (None, told),
        };
        Self {
            arn,
            told,
            longest: seconds.flatten().unwrap_or(LONGEST),
            doubts,
        }
    }
}

/// What stands beside the role's two policies and is not weighed: a boundary, managed policies.
fn beside(spec: &Spec, module: &Declarations, role: &Declared) -> Vec<String> {
    let address = &role.address;
    let mut doubts = Vec::new();
    if let Some(boundary) = &role.boundary {
        let written = boundary.as_str().unwrap_or("that is not known");
        doubts.push(format!(
            "what the permissions boundary `{written}` of `{address}` leaves of its rights"
        ));
    }
    if let Some(managed) = &role.managed {
        for one in each(managed) {
            match one.as_str() {
                Some(arn) if Managed::of(arn, one.span()).is_some() => {}
                Some(arn) => doubts.push(format!("what `{arn}` allows, which `{address}` has")),
                None => doubts.push(format!("what the managed policies of `{address}` allow")),
            }
        }
    }
    for grant in &module.grants {
        let unknown = grant.roles.iter().any(|role| role.as_unknown().is_some());
        let granted = module.is_granted(spec, grant);
        if !granted && unknown {
            doubts.push(format!("whether `{}` gives the role rights", grant.address));
        }
        if !granted || grant.kind != GrantKind::Attached {
            continue;
        }
        let arns = grant.policy.iter().flat_map(each);
        let arns = arns.filter_map(|one| Some((one.as_str()?, one.span())));
        for (arn, _) in arns.filter(|(arn, at)| Managed::of(arn, *at).is_none()) {
            doubts.push(format!(
                "what `{arn}` allows, which `{}` gives to the role",
                grant.address
            ));
        }
    }
    doubts
}

/// What a list holds, or the one that is no list.
fn each(node: &Node) -> &[Node] {
    node.as_list().unwrap_or(std::slice::from_ref(node))
}

/// Policies of AWS's own that Terraform gives to the role, as far as they are known.
fn managed(spec: &Spec, module: &Declarations) -> Vec<Managed> {
    let role = module.own_role(spec);
    let of_role = role.iter().filter_map(|role| role.managed.as_ref());
    let attached = module
        .grants
        .iter()
        .filter(|grant| grant.kind == GrantKind::Attached && module.is_granted(spec, grant));
    let attached = attached.filter_map(|grant| grant.policy.as_ref());
    let all = of_role.chain(attached).flat_map(each);
    all.filter_map(|one| Managed::of(one.as_str()?, one.span()))
        .collect()
}

/// Every place in which policies stand.
#[must_use]
pub(super) fn places(spec: &Spec, workspace: &Workspace, sources: &SourceMap) -> Vec<Place> {
    let all = workspace.policies.iter();
    let in_files = all
        .clone()
        .filter(|artefact| artefact.model.address.is_none());
    let mut files = place("files", in_files, sources, &[]);
    if let Some(files) = &mut files {
        let stands = |role: Role| {
            let mut own = workspace.policies_as(role);
            own.any(|policy| policy.address.is_none())
        };
        let of_files = [
            (Role::ChangeRecords, spec.change_policy_path()),
            (Role::ReadZone, spec.read_policy_path()),
        ];
        let missing = of_files.into_iter().filter(|(role, _)| !stands(*role));
        files.missing = missing
            .map(|(role, path)| (role, format!("`{path}` is missing")))
            .collect();
    }
    let module = workspace.own_module();
    let of_module = all.filter(|artefact| {
        let file = artefact.model.span().file;
        artefact.model.address.is_some()
            && module.is_some_and(|module| module.files.contains(&file))
    });
    let of_module: Vec<_> = of_module.collect();
    let gives = |artefact: &&&Artefact<PolicyDocument>| {
        let address = artefact.model.address.as_deref().unwrap_or_default();
        artefact.role == Some(Role::Trust)
            || module.is_none_or(|module| module.gives(spec, address) != Some(false))
    };
    let given = of_module.iter().filter(gives).copied();
    let managed = module.map(|module| managed(spec, module));
    let mut terraform = place("terraform", given, sources, &managed.unwrap_or_default());
    let identity = |artefact: &&Artefact<PolicyDocument>| artefact.role != Some(Role::Trust);
    let without = terraform
        .as_ref()
        .is_none_or(|place| place.rights.is_none());
    if without
        && of_module
            .iter()
            .copied()
            .any(|artefact| identity(&artefact))
    {
        let place = terraform.get_or_insert_with(|| Place::empty("terraform"));
        place.rights = Some(Compiled::new(&Policies::default()));
        let told = format!(
            "none of its policies is given to the role `{}`",
            spec.aws.role
        );
        place.missing = vec![(Role::ChangeRecords, told.clone()), (Role::ReadZone, told)];
    }
    [files, terraform].into_iter().flatten().collect()
}

impl Place {
    fn empty(name: &'static str) -> Self {
        Self {
            name,
            rights: None,
            trust: None,
            trust_written: None,
            missing: Vec::new(),
            allows: Vec::new(),
        }
    }
}

/// What stands in one place; nothing where no policy does.
fn place<'a>(
    name: &'static str,
    policies: impl Iterator<Item = &'a Artefact<PolicyDocument>>,
    sources: &'a SourceMap,
    managed: &'a [Managed],
) -> Option<Place> {
    let mut rights = Policies::default();
    let mut trust = None;
    for artefact in policies {
        let document = &artefact.model;
        let path = sources.path(document.span().file);
        let file = path.rsplit('/').next().unwrap_or(path);
        let name = document.address.as_deref().unwrap_or(file);
        let named = NamedPolicy { name, document };
        match (artefact.role, document.kind) {
            (Some(Role::Trust), _) => {
                trust = Some(named);
            }
            (Some(Role::ChangeRecords | Role::ReadZone), _) => rights.identity.push(named),
            (Some(Role::Other), PolicyKind::Identity) => rights.identity.push(named),
            _ => {}
        }
    }
    rights.identity.extend(managed.iter().map(Managed::named));
    let allows = rights
        .identity
        .iter()
        .flat_map(|named| allowed(named.document));
    let allows = allows.collect();
    let trust_written = trust.map(|trust| trust.document.clone());
    let trust = trust.map(|trust| {
        Compiled::new(&Policies {
            resource: Some(trust),
            ..Policies::default()
        })
    });
    let rights = (!rights.identity.is_empty()).then(|| Compiled::new(&rights));
    (trust.is_some() || rights.is_some()).then_some(Place {
        rights,
        trust,
        trust_written,
        allows,
        ..Place::empty(name)
    })
}

/// The actions that a policy's statements allow, as they are written, each with a resource of its statement.
fn allowed(document: &PolicyDocument) -> Vec<(String, String)> {
    let allows = document.statements.iter().filter(|it| it.allows());
    let each = allows.flat_map(|statement| {
        let resources = statement.resources.as_ref();
        let resource = resources.and_then(|it| it.strings().next().map(str::to_owned));
        let resource = resource.unwrap_or_else(|| "*".to_owned());
        let actions = statement.actions.as_ref().filter(|it| !it.negated);
        let actions: Vec<String> = actions
            .into_iter()
            .flat_map(|it| it.strings().map(str::to_owned))
            .collect();
        actions
            .into_iter()
            .map(move |action| (action, resource.clone()))
    });
    each.collect()
}
