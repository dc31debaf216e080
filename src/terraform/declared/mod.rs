//! What a module declares, with its values evaluated: records, roles, policies, OIDC providers.

mod circles;
mod exclusive_policies;
mod ignore_changes;
mod module_call;
mod ownership;
mod permission;
mod policy;
mod record;
mod refused;
mod repeated_keys;
mod repetition;
mod rewritten;
mod role;
mod standing;
mod twice;
mod undeclared;
mod unmade;

use std::collections::BTreeSet;

use crate::syntax::Node;
use crate::syntax::hcl::Mistake;
use crate::text::{FileId, Span};

use super::evaluate::Evaluator;
use super::{Known, Library, Module, Resource};

pub use circles::Circle;
pub(super) use exclusive_policies::EXCLUSIVE;
pub use exclusive_policies::ExclusivePolicies;
pub use ignore_changes::{IgnoreChanges, Ignored};
pub use module_call::{ExclusiveRecords, ModuleCall};
pub use ownership::{Claim, OwnedRecord, Ownership};
pub(super) use permission::{Block as PermissionBlock, policy as permission_policy};
pub(super) use policy::attributes as policy_attributes;
pub use policy::{AttachedPolicy, PolicyForm};
pub use record::{Alias, Record};
pub use refused::Refused;
pub use repeated_keys::RepeatedKey;
pub use repetition::Repetition;
pub use rewritten::{Import, Removed};
pub(super) use role::{GRANTS, is_set};
pub use role::{Grant, GrantKind, Role, RoleTrust};
pub use standing::{Gap, Standing};
pub use twice::DeclaredTwice;
pub use undeclared::Undeclared;
pub(super) use undeclared::{
    alike, declared as declared_addresses, in_expression as undeclared_in,
};
pub use unmade::Unmade;

/// What a module declares.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    /// The module's folder, as it is shown.
    pub folder: String,
    /// The folders of all modules that were gone through: its own, and those of local modules that it calls.
    pub folders: BTreeSet<String>,
    /// Their files.
    pub files: Vec<FileId>,
    /// Whether every file of it could be read whole: only then is what is not here missing.
    pub whole: bool,
    /// What each resource says of changes to ignore, where it says something.
    pub lifecycles: Vec<Lifecycle>,
    /// `aws_route53_record` resources.
    pub records: Vec<Record>,
    /// `aws_iam_role` resources.
    pub roles: Vec<Role>,
    /// Resources that give rights to roles.
    pub grants: Vec<Grant>,
    /// `module` blocks whose module is not here.
    pub calls: Vec<ModuleCall>,
    /// `aws_route53_records_exclusive` resources.
    pub exclusive_records: Vec<ExclusiveRecords>,
    /// Resources that own all policies of a role.
    pub exclusive_policies: Vec<ExclusivePolicies>,
    /// `aws_iam_openid_connect_provider` resources (data sources are no declarations).
    pub providers: Vec<OidcProvider>,
    /// Attributes that hold policies.
    pub policies: Vec<AttachedPolicy>,
    /// Resources that are one statement of a policy each, as the service writes it.
    pub permissions: Vec<AttachedPolicy>,
    /// What Terraform refuses, and was read as it is meant.
    pub mistakes: Vec<Mistake>,
    /// What others write, as files beside the module say.
    pub owned: Vec<Ownership>,
    /// Keys that stand twice in one object.
    pub repeated_keys: Vec<RepeatedKey>,
    /// Names that are declared twice.
    pub declared_twice: Vec<DeclaredTwice>,
    /// What needs itself.
    pub circles: Vec<Circle>,
    /// References to what the module does not declare.
    pub undeclared: Vec<Undeclared>,
    /// What Terraform or the provider refuses.
    pub refused: Vec<Refused>,
    /// `removed` blocks that destroy.
    pub removed: Vec<Removed>,
    /// `import` blocks.
    pub imports: Vec<Import>,
    /// What is written, but never made.
    pub unmade: Unmade,
    /// Variables of the module itself that have no value yet: who applies it sets them, and perhaps others, too.
    pub unset: Vec<String>,
    /// The defaults of its variables.
    pub defaults: Vec<Span>,
    /// The files that `templatefile` rendered: what stands in them is not what is applied.
    pub templates: BTreeSet<FileId>,
}

/// A resource with `ignore_changes`.
#[derive(Debug, Clone)]
pub struct Lifecycle {
    /// How expressions call it.
    pub address: String,
    /// What it says.
    pub ignore_changes: IgnoreChanges,
}

/// An `aws_iam_openid_connect_provider` that the module creates.
#[derive(Debug, Clone)]
pub struct OidcProvider {
    /// How expressions call it.
    pub address: String,
    /// `resource "aws_iam_openid_connect_provider" "…"`.
    pub head: Span,
    /// The issuer's URL.
    pub url: Option<Node>,
}

impl Declarations {
    /// What `module` declares; `known` decides what the module leaves open.
    #[must_use]
    pub fn read(module: &Module, known: &Known) -> Self {
        Self::of(module, Evaluator::new(module, known))
    }

    /// The same with the local modules that it calls, and the files that its functions read.
    #[must_use]
    pub fn read_beside(library: &Library, module: &Module, known: &Known) -> Self {
        Self::of(module, Evaluator::new(module, known).beside(library))
    }

    fn of(module: &Module, mut evaluator: Evaluator<'_>) -> Self {
        let mut declared = Self {
            folder: module.folder.clone(),
            whole: true,
            ..Self::default()
        };
        declared.unset = evaluator.unset();
        let variables = module.named("variable");
        let defaults = variables.filter_map(|variable| variable.block.body.attribute("default"));
        declared.defaults = defaults.map(|default| default.value.span).collect();
        declared.take(&mut evaluator);
        declared.templates = evaluator.templates;
        declared
    }

    /// Takes what the module declares that is looked at, and what those declare that it calls.
    fn take<'m>(&mut self, evaluator: &mut Evaluator<'m>) {
        let module = evaluator.module();
        if self.folders.insert(module.folder.clone()) {
            self.take_once(module, evaluator);
        }
        for resource in module.managed("aws_route53_record") {
            let unmade = &mut self.unmade.records;
            Record::all(resource, evaluator, &mut self.records, unmade);
        }
        self.take_roles(module, evaluator);
        let exclusive = module_call::exclusive(module, evaluator);
        self.exclusive_records.extend(exclusive);
        let exclusive = exclusive_policies::all(module, evaluator);
        self.exclusive_policies.extend(exclusive);
        for resource in module.managed("aws_iam_openid_connect_provider") {
            if Repetition::makes_none(Repetition::read(resource, evaluator).as_ref()) {
                continue;
            }
            self.providers.push(OidcProvider {
                address: evaluator.rooted(&resource.address()),
                head: resource.head(),
                url: attribute(resource, "url", evaluator),
            });
        }
        let unmade = &mut self.unmade.policies;
        policy::all(module, evaluator, &mut self.policies, unmade);
        permission::all(module, evaluator, &mut self.permissions);
        policy::absent(module, evaluator, &mut self.refused);
        refused::of(module, evaluator, &mut self.refused);
        rewritten::of(module, evaluator, &mut self.removed, &mut self.imports);
        self.take_called(evaluator);
    }

    fn take_roles(&mut self, module: &Module, evaluator: &mut Evaluator<'_>) {
        for resource in module.managed("aws_iam_role") {
            let role = Role::read(resource, evaluator);
            let never = Repetition::makes_none(role.repeated.as_ref());
            let roles = if never {
                &mut self.unmade.roles
            } else {
                &mut self.roles
            };
            roles.push(role);
        }
        for grant in role::grants(module, evaluator) {
            let never = Repetition::makes_none(grant.repeated.as_ref());
            let grants = if never {
                &mut self.unmade.grants
            } else {
                &mut self.grants
            };
            grants.push(grant);
        }
    }

    fn take_called(&mut self, evaluator: &mut Evaluator<'_>) {
        for (name, block, called) in evaluator.calls() {
            let frame = called.iter().find_map(|one| one.as_ref().ok());
            if let Some(frame) = frame {
                let address = evaluator.rooted(&format!("module.{name}"));
                let module = evaluator.in_frame(*frame, |evaluator| evaluator.module());
                refused::arguments(&address, block, module, &mut self.refused);
            }
            for one in called {
                match one {
                    Ok(frame) => evaluator.in_frame(frame, |evaluator| self.take(evaluator)),
                    Err(unknown) => {
                        let address = evaluator.rooted(&format!("module.{name}"));
                        let call = module_call::unread(address, block, unknown);
                        self.calls.push(call);
                    }
                }
            }
        }
    }

    /// Whether it is told already why a policy comes to no value: the provider refuses a document of it.
    #[must_use]
    pub fn tells_refusal(&self, policy: &AttachedPolicy) -> bool {
        self.refused.iter().any(|refused| refused.stops(policy))
    }

    /// What a module says in whatever way it is called.
    fn take_once(&mut self, module: &Module, evaluator: &Evaluator<'_>) {
        let spans = module.files.iter().map(|file| file.body.span.file);
        self.files.extend(spans);
        self.whole &= module.is_whole();
        for resource in module.resources() {
            let ignore_changes = IgnoreChanges::read(resource.block);
            if ignore_changes != IgnoreChanges::Absent {
                self.lifecycles.push(Lifecycle {
                    address: evaluator.rooted(&resource.address()),
                    ignore_changes,
                });
            }
        }
        let files = || module.files.iter().chain(&module.variables);
        let mistakes = files().flat_map(|file| file.mistakes.clone());
        self.mistakes.extend(mistakes);
        let repeated = files().flat_map(|file| repeated_keys::below(&file.body));
        self.repeated_keys.extend(repeated);
        self.declared_twice.extend(twice::of(module));
        self.circles.extend(circles::of(module));
        self.undeclared.extend(undeclared::of(module));
    }
}

/// The value of an attribute of a resource, if it is set.
fn attribute(resource: Resource<'_>, name: &str, evaluator: &mut Evaluator<'_>) -> Option<Node> {
    let attribute = resource.block.body.attribute(name)?;
    let own = evaluator.rooted(&format!("{}.{name}", resource.address()));
    Some(evaluator.node(&attribute.value, &own))
}
