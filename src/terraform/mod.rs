//! Floor 3: Terraform modules: what they declare, and what their expressions come to.
//!
//! The semantics are Terraform's (the oracle is `terraform console`, version 1.11). Invariants: a value that cannot be
//! known here stays unknown and names what is missing, it is never guessed; every value knows the bytes that made it,
//! also through locals, variables, templates and functions; the work on one module is bounded, and the bound is told.

mod address;
mod decimal;
mod declared;
mod document;
mod evaluate;
mod failure;
mod float;
mod functions;
mod known;
mod library;
mod module;
mod number;
mod overrides;
mod plan;
mod policy_text;
mod types;
mod value;

pub use address::block_address;
pub use declared::{
    Alias, AttachedPolicy, Circle, Claim, Declarations, DeclaredTwice, ExclusivePolicies,
    ExclusiveRecords, Gap, Grant, GrantKind, IgnoreChanges, Ignored, Import, Lifecycle, ModuleCall,
    OidcProvider, OwnedRecord, Ownership, PolicyForm, Record, Refused, Removed, RepeatedKey,
    Repetition, Role, RoleTrust, Standing, Undeclared, Unmade,
};
pub use evaluate::{Evaluator, MAX_STEPS};
pub use known::Known;
pub use library::{DataFile, Library, local_folder};
pub use module::{Mode, Module, Named, Resource};
pub use number::Number;
pub use overrides::is_override;
pub use plan::{Plan, PlanChange};
pub use policy_text::PolicyText;
pub use value::{Chunk, Layout, Mapping, Sequence, Value, ValueKind};

/// The result of an evaluation: a value, or why there is none.
type Eval<T> = Result<T, Box<failure::Failure>>;
