//! Names, types and changes of DNS records, and every way Route 53, IAM, Terraform and JSON write them.

mod record_name;
mod record_type;
mod spelling;

pub use record_name::{NameError, RecordName};
pub use record_type::{CHANGE_ACTIONS, RECORD_TYPES, canonical_record_type};
pub use spelling::{Matching, NameFault, NameFaultKind, Spelling};
