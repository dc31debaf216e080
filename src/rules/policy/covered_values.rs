//! Values of `Action` and `Resource` that another value of the same list takes in.

use crate::model::policy::{Elements, PolicyDocument, Statement};
use crate::rules::Sink;
use crate::text::quoted;

use super::cover::{self, Case};

/// Reports them in the lists that `list` takes from statements.
pub(super) fn tell(
    policy: &PolicyDocument,
    list: fn(&Statement) -> Option<&Elements>,
    case: Case,
    sink: &mut Sink<'_>,
) {
    if policy.span().len() > cover::LARGEST {
        return;
    }
    for list in policy.statements.iter().filter_map(list) {
        let outers = cover::coverings(&list.values, case);
        for (value, outer) in list.values.iter().zip(outers) {
            let Some(outer) = outer else {
                continue;
            };
            let (written, other) = (value.text.as_str(), outer.text.as_str());
            if written == other {
                sink.report(
                    value.text.span(),
                    format!("{} stands here twice", quoted(written)),
                )
                .pointer(value.pointer.clone())
                .related(outer.text.span(), "it stands here first")
                .help("take one of the two out");
                continue;
            }
            let message = format!("{} is already in {}", quoted(written), quoted(other));
            sink.report(value.text.span(), message)
                .pointer(value.pointer.clone())
                .related(outer.text.span(), "takes it in")
                .help("take it out, or the broader one if that is more than is meant");
        }
    }
}
