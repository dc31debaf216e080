//! Rules over trust policies that let GitHub's tokens in.

use super::Rule;

mod oidc_account_beside;
mod oidc_aud_missing;
mod oidc_aud_wrong;
mod oidc_claim_mutable;
mod oidc_claim_unknown;
mod oidc_provider_wrong;
mod oidc_sub_broad;
mod oidc_sub_malformed;
mod oidc_sub_missing;
mod oidc_sub_never_matches;
mod oidc_sub_stale_format;
mod oidc_sub_template_differs;
mod oidc_trust_broad;
mod oidc_trust_never_matches;
mod oidc_trust_nobody;
mod oidc_trust_weak;
mod subjects;

/// The rules of this family, in alphabetical order.
pub const RULES: &[&Rule] = &[
    &oidc_account_beside::RULE,
    &oidc_aud_missing::RULE,
    &oidc_aud_wrong::RULE,
    &oidc_claim_mutable::RULE,
    &oidc_claim_unknown::RULE,
    &oidc_provider_wrong::RULE,
    &oidc_sub_broad::RULE,
    &oidc_sub_malformed::RULE,
    &oidc_sub_missing::RULE,
    &oidc_sub_never_matches::RULE,
    &oidc_sub_stale_format::RULE,
    &oidc_sub_template_differs::RULE,
    &oidc_trust_broad::RULE,
    &oidc_trust_never_matches::RULE,
    &oidc_trust_nobody::RULE,
    &oidc_trust_weak::RULE,
];
