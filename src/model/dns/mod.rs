//! Names, types and changes of DNS records, and every way Route 53, IAM, Terraform and JSON write them.

mod address;
mod mistake;
mod record_name;
mod record_type;
mod spelling;

pub use address::is_public;
pub use mistake::NameMistake;
pub use record_name::{NameError, RecordName};
pub use record_type::{CHANGE_ACTIONS, RECORD_TYPES, RecordType, canonical_record_type};
pub use spelling::{Matching, NameFault, NameFaultKind, Spelling};
