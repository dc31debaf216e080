//! What a module declares, with its values evaluated: records, roles, policies, OIDC providers.

mod ignore_changes;
mod module_call;
mod policy;
mod record;
mod repeated_keys;
mod repetition;
mod role;
mod standing;

use crate::syntax::Node;
use crate::text::{FileId, Span};

use super::evaluate::Evaluator;
use super::{Known, Module, Resource};

pub use ignore_changes::{IgnoreChanges, Ignored};
pub use module_call::{ExclusiveRecords, ModuleCall};
pub use policy::{AttachedPolicy, PolicyForm};
pub use record::Record;
pub use repeated_keys::RepeatedKey;
pub use repetition::Repetition;
pub use role::{Grant, GrantKind, Role, RoleTrust};
pub use standing::{Gap, Standing};

/// What a module declares.
#[derive(Debug, Clone, Default)]
pub struct Declarations {
    /// The module's folder, as it is shown.
    pub folder: String,
    /// Its files.
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
    /// `module` blocks.
    pub calls: Vec<ModuleCall>,
    /// `aws_route53_records_exclusive` resources.
    pub exclusive_records: Vec<ExclusiveRecords>,
    /// `aws_iam_openid_connect_provider` resources (data sources are no declarations).
    pub providers: Vec<OidcProvider>,
    /// Attributes that hold policies.
    pub policies: Vec<AttachedPolicy>,
    /// Keys that stand twice in one object.
    pub repeated_keys: Vec<RepeatedKey>,
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
        let mut evaluator = Evaluator::new(module, known);
        let spans = module.files.iter().map(|file| file.body.span.file);
        let mut declared = Self {
            folder: module.folder.clone(),
            files: spans.collect(),
            whole: module.is_whole(),
            ..Self::default()
        };
        for resource in module.resources() {
            let ignore_changes = IgnoreChanges::read(resource.block);
            if ignore_changes != IgnoreChanges::Absent {
                declared.lifecycles.push(Lifecycle {
                    address: resource.address(),
                    ignore_changes,
                });
            }
        }
        for resource in module.managed("aws_route53_record") {
            Record::all(resource, &mut evaluator, &mut declared.records);
        }
        for resource in module.managed("aws_iam_role") {
            declared.roles.push(Role::read(resource, &mut evaluator));
        }
        declared.grants = role::grants(module, &mut evaluator);
        declared.calls = module_call::calls(module);
        declared.exclusive_records = module_call::exclusive(module, &mut evaluator);
        for resource in module.managed("aws_iam_openid_connect_provider") {
            declared.providers.push(OidcProvider {
                address: resource.address(),
                head: resource.head(),
                url: attribute(resource, "url", &mut evaluator),
            });
        }
        declared.policies = policy::all(module, &mut evaluator);
        let files = module.files.iter().chain(&module.variables);
        declared.repeated_keys = files
            .flat_map(|file| repeated_keys::below(&file.body))
            .collect();
        declared
    }
}

/// The value of an attribute of a resource, if it is set.
fn attribute(resource: Resource<'_>, name: &str, evaluator: &mut Evaluator<'_>) -> Option<Node> {
    let attribute = resource.block.body.attribute(name)?;
    Some(evaluator.node(&attribute.value))
}
