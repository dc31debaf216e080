//! x

mod hcl;
