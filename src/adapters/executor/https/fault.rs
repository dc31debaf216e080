//! Why a request had no answer, from the errors of sockets, TLS and HTTP.

use std::error::Error;
use std::io;

use rustls::CertificateError;

use crate::failover::NoAnswer;

/// From a socket, or from TLS on top of it.
pub(super) fn of_io(error: &io::Error) -> NoAnswer {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
    if let Some(tls) = inner {
        return of_tls(tls);
    }
    of_kind(error.kind())
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the standard library's list is open"
)]
fn of_kind(kind: io::ErrorKind) -> NoAnswer {
    match kind {
        io::ErrorKind::ConnectionRefused => NoAnswer::Refused,
        io::ErrorKind::ConnectionReset
        | io::ErrorKind::ConnectionAborted
        | io::ErrorKind::BrokenPipe
        | io::ErrorKind::NotConnected
        | io::ErrorKind::UnexpectedEof => NoAnswer::Reset,
        io::ErrorKind::HostUnreachable
        | io::ErrorKind::NetworkUnreachable
        | io::ErrorKind::NetworkDown
        | io::ErrorKind::AddrNotAvailable
        | io::ErrorKind::PermissionDenied => NoAnswer::Unreachable,
        io::ErrorKind::TimedOut => NoAnswer::Timeout,
        _ => NoAnswer::Other,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's list is open, and anything else is a fault of TLS"
)]
fn of_tls(error: &rustls::Error) -> NoAnswer {
    let rustls::Error::InvalidCertificate(why) = error else {
        return NoAnswer::Tls;
    };
    match why {
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            NoAnswer::CertificateName
        }
        CertificateError::Expired
        | CertificateError::ExpiredContext { .. }
        | CertificateError::NotValidYet
        | CertificateError::NotValidYetContext { .. } => NoAnswer::CertificateExpired,
        CertificateError::UnknownIssuer => NoAnswer::CertificateUntrusted,
        // A certificate that issued itself and says so is told by a name of the verifier's alone.
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => {
            NoAnswer::CertificateUntrusted
        }
        _ => NoAnswer::Tls,
    }
}

/// From HTTP: whatever lies below it, or a fault of its own.
pub(super) fn of_http(error: &hyper::Error) -> NoAnswer {
    if let Some(io) = below(error) {
        return of_io(io);
    }
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        NoAnswer::Reset
    } else {
        NoAnswer::Other
    }
}

/// Whether the connection ended, without TLS saying so before.
pub(super) fn is_end(error: &hyper::Error) -> bool {
    below(error).is_some_and(|io| io.kind() == io::ErrorKind::UnexpectedEof)
}

/// The error of the connection that made this one.
fn below(error: &hyper::Error) -> Option<&io::Error> {
    let mut below: Option<&(dyn Error + 'static)> = error.source();
    while let Some(cause) = below {
        if let Some(io) = cause.downcast_ref() {
            return Some(io);
        }
        below = cause.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustls::Error as Tls;

    #[test]
    fn each_fault_of_a_socket_and_of_tls_has_its_word() {
        let sockets = [
            (io::ErrorKind::ConnectionRefused, "refused"),
            (io::ErrorKind::ConnectionReset, "reset"),
            (io::ErrorKind::UnexpectedEof, "reset"),
            (io::ErrorKind::NetworkUnreachable, "icmp_unreachable"),
            (io::ErrorKind::HostUnreachable, "icmp_unreachable"),
            (io::ErrorKind::TimedOut, "timeout"),
            (io::ErrorKind::OutOfMemory, "other"),
        ];
        for (kind, word) in sockets {
            assert_eq!(of_io(&kind.into()).word(), word, "{kind:?}");
        }
        let faults = [
            (
                Tls::InvalidCertificate(CertificateError::NotValidForName),
                "tls_name_mismatch",
            ),
            (
                Tls::InvalidCertificate(CertificateError::NotValidYet),
                "tls_expired",
            ),
            (
                Tls::InvalidCertificate(CertificateError::UnknownIssuer),
                "tls_untrusted",
            ),
            (
                Tls::InvalidCertificate(CertificateError::BadSignature),
                "tls",
            ),
            (Tls::NoApplicationProtocol, "tls"),
        ];
        for (fault, word) in faults {
            let error = io::Error::new(io::ErrorKind::InvalidData, fault);
            assert_eq!(of_io(&error).word(), word, "{error:?}");
        }
    }
}
