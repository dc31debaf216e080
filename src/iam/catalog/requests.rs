//! What real requests for an action look like, of the services whose data is complete: on which resources they are made,
//! and which keys they never carry.

use crate::model::policy::glob_matches_ignoring_case;
use crate::text::nearest;

use super::{Action, COMPLETE, Resource, Service, glob_of, is_of_caller, key, service};

/// Which resources a service asks about for an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AskedOn {
    /// `*` alone: the action is limited to no resource.
    Everything,
    /// One that has a form of these, in which `*` stands for what differs; and `*` too, where the flag says so.
    Of(Vec<String>, bool),
}

/// The action, where the catalog has all of its service.
#[must_use]
pub fn settled(written: &str) -> Option<Action> {
    let (prefix, name) = written.split_once(':')?;
    let service = service(prefix).filter(|service| service.is_complete())?;
    service.action(name)
}

/// What requests for an action are made on; `None` where that is not known.
#[must_use]
pub fn asked_on(action: &str) -> Option<AskedOn> {
    let action = settled(action).filter(|action| !action.has_open_types())?;
    let forms: Vec<String> = action
        .resource_types()
        .map(|kind| glob_of(kind.arn(), "*").replacen("arn:*:", "arn:aws:", 1))
        .collect();
    Some(if forms.is_empty() {
        AskedOn::Everything
    } else {
        AskedOn::Of(forms, !action.always_has_resource())
    })
}

/// The actions that a pattern matches, where the catalog has all of its service; `None` for what is no pattern, too.
#[must_use]
pub fn actions_matching(written: &str) -> Option<Vec<String>> {
    let (prefix, name) = written.split_once(':')?;
    let service = service(prefix).filter(|service| service.is_complete())?;
    let fits = |action: &Action| glob_matches_ignoring_case(name, action.name());
    name.contains(['*', '?']).then(|| {
        let actions = service.actions_like(name).filter(fits);
        actions
            .map(|action| format!("{}:{}", service.name(), action.name()))
            .collect()
    })
}

/// Whether there is such an action, or one that the pattern matches; what is not known may be.
#[must_use]
pub fn is_real(action: &str) -> bool {
    if let Some(actions) = actions_matching(action) {
        return !actions.is_empty();
    }
    let prefix = action.split_once(':').map_or("", |(prefix, _)| prefix);
    let complete = service(prefix).is_some_and(Service::is_complete);
    !complete || settled(action).is_some()
}

/// Whether some request for `action` can be about what `resource`, an ARN or a pattern of a policy, stands for. What is
/// not known may be.
#[must_use]
pub fn may_be_on(action: &str, resource: &str) -> bool {
    let all = !resource.is_empty() && resource.bytes().all(|byte| byte == b'*');
    match asked_on(action) {
        None => true,
        Some(AskedOn::Everything) => all,
        Some(AskedOn::Of(..)) => {
            let kinds = settled(action).into_iter().flat_map(Action::resource_types);
            let resource = Resource::of(resource);
            all || kinds.into_iter().any(|kind| kind.may_be(&resource))
        }
    }
}

/// Whether no request for `action` carries `written`: a key of a service whose data is complete, which comes with other
/// actions of that service. A key of any other service may come along with whoever asks, as those of a build do: the
/// reference lists it under the service that made it, and does not say where else it goes.
#[must_use]
pub fn never_carries(action: &str, written: &str) -> bool {
    let prefix = written.split_once(':').map_or("", |(prefix, _)| prefix);
    let settles = service(prefix).is_some_and(Service::is_complete);
    let own = settles && key(written).is_some() && !is_of_caller(written);
    own && settled(action).is_some_and(|action| !action.carries(written))
}

/// The name of the service's own that comes nearest to an action which does not exist, with its service.
#[must_use]
pub fn nearest_action(written: &str) -> Option<String> {
    let (prefix, name) = written.split_once(':')?;
    let known = service(prefix).or_else(|| service(nearest(prefix, COMPLETE)?))?;
    let near = nearest(name, known.actions().map(Action::name))?;
    Some(format!("{}:{near}", known.name()))
}
