//! Every way in which a call of the SDK fails, as the executor's [`Fault`]: the service's own code and message where it
//! answered, otherwise whether the request may have gone out.

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

use crate::failover::{Fault, FaultKind};

use super::wire::WireFault;

/// What `error` means.
pub(super) fn of<E>(error: &SdkError<E, HttpResponse>) -> Fault
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match error {
        SdkError::ServiceError(context) => {
            let http = context.raw().status().as_u16();
            let answer = context.err();
            if (200..300).contains(&http) {
                // The SDK calls a yes that it cannot read an error of the service.
                return unreadable(&innermost(error));
            }
            let message = answer.message().unwrap_or_default();
            let code = answer.code().map_or_else(|| word(http), str::to_owned);
            Fault::answered(&code, Some(http), message)
        }
        SdkError::DispatchFailure(context) => {
            match cause::<WireFault>(context.as_connector_error()) {
                Some(fault) => of_wire(fault),
                None => Fault::lost(&innermost(error)),
            }
        }
        SdkError::ResponseError(context) => match context.raw().status().as_u16() {
            200..=299 => unreadable(&innermost(error)),
            http => Fault::answered(&word(http), Some(http), &innermost(error)),
        },
        SdkError::ConstructionFailure(_) => Fault {
            kind: FaultKind::Rejected,
            code: "RequestNotBuilt".to_owned(),
            message: innermost(error),
        },
        // A time-out of the SDK's own; none is set, and what it would have cut off may have gone out.
        SdkError::TimeoutError(_) | _ => Fault::lost(&innermost(error)),
    }
}

/// An answer that says yes and cannot be read: what was asked may have been done.
pub(super) fn unreadable(why: &str) -> Fault {
    Fault {
        kind: FaultKind::Lost,
        code: "UnreadableAnswer".to_owned(),
        message: why.to_owned(),
    }
}

fn of_wire(fault: &WireFault) -> Fault {
    let kind = if fault.sent {
        FaultKind::Lost
    } else {
        FaultKind::Unavailable
    };
    Fault {
        kind,
        code: fault.code.to_owned(),
        message: fault.message.clone(),
    }
}

/// The code of an answer that has none.
fn word(http: u16) -> String {
    format!("HTTP {http}")
}

/// The first cause of this type, the error itself included.
fn cause<T: Error + 'static>(error: Option<&(impl Error + 'static)>) -> Option<&T> {
    let mut next = error.map(|error| error as &(dyn Error + 'static));
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

/// The last cause, in words.
fn innermost(error: &dyn Error) -> String {
    let mut last = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        last = cause.to_string();
        next = cause.source();
    }
    last
}
