//! Every way in which a call of the SDK fails, as the executor's [`Fault`]: the service's own code and message where it
//! answered, otherwise whether the request may have gone out.

use std::error::Error;

use aws_smithy_runtime_api::client::orchestrator::HttpResponse;
use aws_smithy_runtime_api::client::result::SdkError;
use aws_smithy_types::error::metadata::ProvideErrorMetadata;

use crate::failover::{Fault, FaultKind};

use super::refused::Refused;
use super::wire::WireFault;

/// How much of an answer that is none is shown, in characters.
const SHOWN: usize = 60;

/// What `error` means, which a call of `operation` (its API name) came to.
pub(super) fn of<E>(operation: &str, error: &SdkError<E, HttpResponse>) -> Fault
where
    E: ProvideErrorMetadata + Error + 'static,
{
    match error {
        SdkError::ServiceError(context) => {
            let raw = context.raw();
            let http = raw.status().as_u16();
            let body = raw.body().bytes().unwrap_or_default();
            if (200..300).contains(&http) {
                // The SDK calls a yes that it cannot read an error of the service.
                return unreadable(&not_understood(operation, body));
            }
            let answer = context.err();
            let read = Refused::read(body);
            let code = answer
                .code()
                .map(str::to_owned)
                .or_else(|| read.code.clone());
            let message = answer.message().map(str::to_owned);
            let message = message.filter(|message| !message.is_empty());
            let message = message.unwrap_or_else(|| read.message());
            match code {
                Some(code) => Fault::answered(&code, Some(http), &message),
                None => Fault::answered(&word(http), Some(http), &of_another(operation, body)),
            }
        }
        SdkError::DispatchFailure(context) => {
            match cause::<WireFault>(context.as_connector_error()) {
                Some(fault) => of_wire(fault),
                None => Fault::lost(&innermost(error)),
            }
        }
        SdkError::ResponseError(context) => {
            let raw = context.raw();
            let body = raw.body().bytes().unwrap_or_default();
            match raw.status().as_u16() {
                200..=299 => unreadable(&not_understood(operation, body)),
                http => Fault::answered(&word(http), Some(http), &of_another(operation, body)),
            }
        }
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

/// A yes to `operation` whose document is none of AWS's.
fn not_understood(operation: &str, body: &[u8]) -> String {
    format!(
        "the answer to `{operation}` is none that AWS gives: {}",
        beginning(body)
    )
}

/// An answer to `operation` that names no error of AWS's: a proxy, a portal.
fn of_another(operation: &str, body: &[u8]) -> String {
    format!(
        "so `{operation}` was answered, not in the words of AWS: {}",
        beginning(body)
    )
}

/// How a body begins, in one line.
fn beginning(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let shown: String = text.trim_start().chars().take(SHOWN).collect();
    if shown.is_empty() {
        return "its body is empty".to_owned();
    }
    format!("its body begins `{}`", shown.escape_debug())
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
pub(super) fn innermost(error: &dyn Error) -> String {
    let mut last = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        last = cause.to_string();
        next = cause.source();
    }
    last
}
