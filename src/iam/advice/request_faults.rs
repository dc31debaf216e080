//! What is wrong with a request itself: then no edit of a policy is the remedy.

use crate::iam::catalog::{self, AskedOn};

use super::super::explain::seen_as;
use super::super::{ContextValue, Request};

/// The faults, as sentences.
pub(super) fn of(request: &Request) -> Vec<String> {
    let resource = &request.resource;
    if resource != "*" && !resource.starts_with("arn:") {
        return vec![no_arn(resource)];
    }
    let misspelt = misspelt(request);
    if !misspelt.is_empty() {
        return misspelt;
    }
    never_asked(request).into_iter().collect()
}

/// Why no service asks for this action on this resource.
fn never_asked(request: &Request) -> Option<String> {
    let (action, resource) = (request.action(), &request.resource);
    match catalog::asked_on(action)? {
        AskedOn::Everything => (resource != "*").then(|| {
            format!("AWS asks for `{action}` on `*` alone, never on `{resource}`: mend the request, write `*`")
        }),
        AskedOn::Of(forms, on_all) => {
            let fits = if resource == "*" {
                on_all
            } else {
                catalog::may_be_on(action, resource)
            };
            let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
            (!fits).then(|| {
                format!(
                    "AWS asks for `{action}` on {}, never on `{resource}`: mend the request, write such an ARN",
                    forms.join(" or ")
                )
            })
        }
    }
}

/// What Route 53's own API says of a zone or a change is no ARN, and no policy can allow it as it stands.
fn no_arn(resource: &str) -> String {
    let path = resource.trim_start_matches('/');
    let is_own = path.starts_with("hostedzone/") || path.starts_with("change/");
    let meant = if is_own {
        format!("`arn:aws:route53:::{path}`")
    } else {
        "its ARN, such as `arn:aws:route53:::hostedzone/Z0123456789EXAMPLE`, or `*`".to_owned()
    };
    format!("the request's resource, `{resource}`, is no ARN: mend the request, write {meant}")
}

/// Values that the service would never send as the request spells them: then the request is at fault.
fn misspelt(request: &Request) -> Vec<String> {
    let of_key = |(key, value): (&str, &ContextValue)| -> Vec<String> {
        let seen = |value: &String| Some((value.clone(), seen_as(key, value)?));
        let values = value.values().iter().filter_map(seen);
        values
            .map(|(value, seen)| {
                format!("the request says `{value}`; Route 53 sends `{seen}`: mend the request, or give a `change_batch`")
            })
            .collect()
    };
    request.entries().flat_map(of_key).collect()
}
