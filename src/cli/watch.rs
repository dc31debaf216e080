//! `pointsman watch`: what can be typed, and what becomes of it.

use std::io::{self, IsTerminal as _, Write};
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use clap::{Args as ClapArgs, ValueEnum};

use crate::adapters::{DiskFiles, DnsClient, Runtime};
use crate::app::watch::{self, Progress, Request};
use crate::app::{AppError, Exit, SpecChoice};
use crate::diag::Severity;
use crate::model::dns::RecordType;

use super::args::{FormatArg, words};

#[derive(Debug, ClapArgs)]
#[command(after_help = "\
Asks each server once a second. New is another value than at the start; with a spec, only a site's address. ^C ends with \
what was seen.

Exit status: 0 all show the new value; 1 not all of them within --until; 2 wrong usage or spec; 3 nobody could be asked")]
pub(super) struct WatchArgs {
    /// The record [default: the first that the spec switches]
    pub(super) name: Option<String>,
    /// The record's type
    #[arg(long = "type", value_enum, ignore_case = true, default_value_t = TypeArg::A, value_name = "TYPE")]
    kind: TypeArg,
    /// A resolver to ask, too [default: the system's, unless --server is given]
    #[arg(long, value_name = "IP[:PORT]", value_parser = socket)]
    pub(super) resolver: Vec<SocketAddr>,
    /// An authoritative server [default: those that the resolver names]
    #[arg(long, value_name = "IP[:PORT]", value_parser = socket)]
    pub(super) server: Vec<SocketAddr>,
    /// The new value: an address, or the name of a site of the spec; more than once for several
    #[arg(long, value_name = "IP|SITE")]
    pub(super) expect: Vec<String>,
    /// How long to wait, such as 90s, 15m or 2h
    #[arg(long, value_name = "DURATION", default_value = "1h", value_parser = duration)]
    pub(super) until: Duration,
    /// How long a server may take for one answer
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = duration)]
    pub(super) timeout: Duration,
    /// The journal of the run that makes the change: its parts are told beside. It is read at the end
    #[arg(long, value_name = "FILE")]
    pub(super) journal: Option<String>,
    /// The form of the output
    #[arg(long, value_parser = words(&["human", "json"]))]
    pub(super) format: Option<FormatArg>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TypeArg {
    #[value(name = "A")]
    A,
    #[value(name = "AAAA")]
    Aaaa,
}

pub(super) fn run(
    args: WatchArgs,
    spec: SpecChoice,
    files: &DiskFiles,
    out: &mut dyn Write,
) -> Result<Exit, AppError> {
    let mut runtime = Runtime::new()?;
    let mut servers = DnsClient::new(runtime.clone()).patient_for(args.timeout);
    let request = Request {
        spec,
        name: args.name,
        kind: match args.kind {
            TypeArg::A => RecordType::A,
            TypeArg::Aaaa => RecordType::Aaaa,
        },
        resolvers: args.resolver,
        servers: args.server,
        expect: args.expect,
        until: args.until,
        journal: args.journal,
        format: super::format(args.format, Severity::Error),
    };
    let mut stderr = io::stderr().lock();
    let live = stderr.is_terminal();
    let mut progress = Progress::new(&mut stderr, live);
    watch::run(
        &request,
        files,
        &mut runtime,
        &mut servers,
        out,
        &mut progress,
    )
}

/// An address, with the port of DNS where none is written.
pub(super) fn socket(text: &str) -> Result<SocketAddr, String> {
    let bare: Option<IpAddr> = text.parse().ok();
    let with_port = text.parse().ok();
    let socket = with_port.or_else(|| bare.map(|address| SocketAddr::new(address, 53)));
    socket.ok_or_else(|| {
        "an address is expected, such as 192.0.2.53, 192.0.2.53:5353 or [2001:db8::53]:53"
            .to_owned()
    })
}

/// A number with `s`, `m` or `h`; a bare number is seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = match text.strip_suffix(['s', 'm', 'h']) {
        Some(number) if text.ends_with('h') => (number, 3600),
        Some(number) if text.ends_with('m') => (number, 60),
        Some(number) => (number, 1),
        None => (text, 1),
    };
    let seconds: Option<u64> = number.parse().ok();
    let seconds = seconds.and_then(|number| number.checked_mul(unit));
    seconds
        .filter(|seconds| (1..=604_800).contains(seconds))
        .map(Duration::from_secs)
        .ok_or_else(|| "a duration from 1s to 168h is expected, such as 90s, 15m or 2h".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_the_port_of_dns_unless_another_is_written() {
        let told = |text: &str| socket(text).map(|it| it.to_string());
        assert_eq!(told("192.0.2.53").unwrap(), "192.0.2.53:53");
        assert_eq!(told("192.0.2.53:5353").unwrap(), "192.0.2.53:5353");
        assert_eq!(told("2001:db8::53").unwrap(), "[2001:db8::53]:53");
        assert_eq!(told("[2001:db8::53]:5353").unwrap(), "[2001:db8::53]:5353");
        for wrong in ["", "dns.example.com", "192.0.2.53:", "192.0.2.53:99999"] {
            assert!(told(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn durations_are_seconds_minutes_or_hours() {
        let told = |text: &str| duration(text).ok().map(|it| it.as_secs());
        assert_eq!(told("90"), Some(90));
        assert_eq!(told("90s"), Some(90));
        assert_eq!(told("15m"), Some(900));
        assert_eq!(told("2h"), Some(7200));
        for wrong in ["", "0", "-1s", "1d", "h", "99999999999999999999", "169h"] {
            assert_eq!(told(wrong), None, "{wrong}");
        }
    }
}
