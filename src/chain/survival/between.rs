//! What fails between the heartbeat and the records: Uptime Kuma, GitHub, AWS, a message, a resolver.

use super::{Facts, Failure, NO_MESSAGES, NOBODY, NOTHING, UNTIL_PERSON};

const UNHEARD: &str = "no dispatch starts a run";
const FAILING: &str = "each dispatch starts a run that fails";

/// How a failure ends that nothing can go around.
#[derive(Clone, Copy)]
enum Ends {
    /// When a person has mended it.
    Mended,
    /// When it is over, and the next message comes.
    Over(&'static str),
}

impl Facts<'_> {
    /// A failure that nobody feels while home lives, and that keeps everything where it is when home dies.
    fn latent(
        &self,
        (id, what): (&'static str, &str),
        notices: impl Into<String>,
        messages: &str,
        ends: Ends,
        person: &str,
    ) -> Failure {
        let until = match (ends, self.repeats()) {
            (Ends::Mended, _) => UNTIL_PERSON.to_owned(),
            (Ends::Over(what), Some(every)) => {
                format!("{UNTIL_PERSON}, or {what}; a message comes every {every:.0} min")
            }
            (Ends::Over(_), None) => format!("{UNTIL_PERSON}: no message is repeated"),
        };
        Failure {
            id,
            what: what.to_owned(),
            notices: notices.into(),
            switches: NOTHING.to_owned(),
            lasts: format!("no time while {} lives; then {until}", self.home),
            messages: messages.to_owned(),
            person: person.to_owned(),
        }
    }

    /// Who notices that GitHub does not take the token; none where no monitor checks it.
    fn token_noticed(&self) -> Option<String> {
        if self.duties.token_check.is_empty() {
            return None;
        }
        let check = &self.spec.monitors.token_check;
        let within = u64::from(check.interval_seconds)
            + u64::from(check.retries) * u64::from(check.retry_interval_seconds);
        let minutes = within.div_ceil(60);
        Some(format!("people by the token check, within {minutes} min"))
    }

    pub(super) fn of_github(&self) -> [Failure; 6] {
        let token = self.token_noticed();
        let nobody = || NOBODY.to_owned();
        let as_if = token
            .as_ref()
            .map(|token| format!("{token}, as if the token were bad"));
        let redirect = token
            .as_ref()
            .map(|token| format!("{token}: a redirect, which it does not follow"));
        let minutes = self.spec.github.job_timeout_minutes;
        let by_hand =
            format!("run the executor by hand; the job's {minutes} min begin only with a runner");
        [
            self.latent(
                ("github", "GitHub's API is down"),
                as_if.unwrap_or_else(nobody),
                UNHEARD,
                Ends::Over("GitHub is back"),
                "run the executor by hand, away from GitHub",
            ),
            self.latent(
                ("actions-queue", "runs wait for a runner"),
                "nobody: the token check asks the API, not a runner",
                "dispatches wait, and newer ones replace older ones",
                Ends::Over("a runner is free for what waits"),
                &by_hand,
            ),
            self.latent(
                ("dispatch-token", "the dispatch token is expired or revoked"),
                token.unwrap_or_else(nobody),
                UNHEARD,
                Ends::Mended,
                "make a new token, in the monitor's environment too",
            ),
            self.latent(
                ("trust", "the trust policy no longer fits the job's subject"),
                NOBODY,
                FAILING,
                Ends::Mended,
                "compare both with `pointsman validate trust`, apply Terraform",
            ),
            self.latent(
                ("renamed", "the repository is renamed or transferred"),
                redirect.unwrap_or_else(nobody),
                UNHEARD,
                Ends::Mended,
                "the subject becomes immutable with it: correct the spec, `pointsman generate`, apply",
            ),
            self.latent(
                ("action-gone", "a pinned action is gone"),
                NOBODY,
                FAILING,
                Ends::Mended,
                "pin a commit that is there: `pointsman pins verify`",
            ),
        ]
    }

    pub(super) fn of_aws(&self) -> [Failure; 3] {
        let region = &self.spec.aws.sts_region;
        let sts = if region == "us-east-1" {
            "STS is asked there too".to_owned()
        } else {
            format!("STS is asked in {region} and lives")
        };
        let wait = "wait, or accelerated recovery if the zone had it before (about 60 min)";
        [
            self.latent(
                ("route53", "Route 53's control plane is down"),
                "the run, when one is needed: it ends as failed",
                FAILING,
                Ends::Over("it is back"),
                wait,
            ),
            self.latent(
                ("us-east-1", "us-east-1 is down"),
                format!("the run, when one is needed; {sts}, but the records are changed in us-east-1 alone"),
                FAILING,
                Ends::Over("it is back"),
                wait,
            ),
            self.resolver(),
        ]
    }

    fn resolver(&self) -> Failure {
        let notices = if self.duties.transition_notice.is_empty() {
            "nobody"
        } else {
            "people, only if it is the one that the transition notice asks and it names the standby"
        };
        let messages = if self.duties.failback_retry.is_empty() {
            "0 dispatches"
        } else {
            "0 dispatches; if it is the one that the fail-back retry asks, its dispatches start runs that change nothing"
        };
        Failure {
            id: "resolver",
            what: "a resolver answers falsely or not at all".to_owned(),
            notices: notices.to_owned(),
            switches: "nothing: the run asks the authoritative servers".to_owned(),
            lasts: format!(
                "its own visitors, up to the TTL of {} s",
                self.spec.records.ttl
            ),
            messages: messages.to_owned(),
            person: NOTHING.to_owned(),
        }
    }

    pub(super) fn of_watching(&self) -> [Failure; 1] {
        [self.latent(
            ("kuma", "Uptime Kuma is dead"),
            "nobody: what would tell is what is dead",
            NO_MESSAGES,
            Ends::Mended,
            "watch Uptime Kuma from a third place",
        )]
    }

    /// Faults on the way that delay a move and do not keep it from happening.
    pub(super) fn of_the_way(&self) -> [Failure; 3] {
        [self.ttl(), self.webhook_lost(), self.run_evicted()]
    }

    fn ttl(&self) -> Failure {
        let ttl = self.spec.records.ttl;
        Failure {
            id: "ttl",
            what: "the records have another TTL than the spec".to_owned(),
            notices: "`pointsman validate`, before the merge; of a change by hand nobody"
                .to_owned(),
            switches: "as otherwise: the run keeps the TTL that it finds".to_owned(),
            lasts: format!("longer by what the TTL exceeds {ttl} s"),
            messages: self.counted(),
            person: "apply Terraform in quiet times".to_owned(),
        }
    }

    fn webhook_lost(&self) -> Failure {
        let every = self.repeats();
        let switches = every.map_or_else(
            || "nothing: the message is never repeated".to_owned(),
            |every| format!("the repeat after {every:.0} min starts a run"),
        );
        let lasts = every.map_or_else(
            || UNTIL_PERSON.to_owned(),
            |every| format!("{} and {every:.0} min more", self.minutes()),
        );
        let person = if every.is_some() {
            NOTHING
        } else {
            "dispatch the workflow by hand"
        };
        Failure {
            id: "webhook-lost",
            what: "the message at home's death is lost".to_owned(),
            notices: self.home_noticed(),
            switches,
            lasts,
            messages: "one dispatch less".to_owned(),
            person: person.to_owned(),
        }
    }

    fn run_evicted(&self) -> Failure {
        Failure {
            id: "run-evicted",
            what: "a waiting run is replaced by a newer one".to_owned(),
            notices: "nobody: it ends as cancelled".to_owned(),
            switches: "the newer run, which decides from what it finds".to_owned(),
            lasts: "no longer than otherwise".to_owned(),
            messages: "one run less than dispatches".to_owned(),
            person: NOTHING.to_owned(),
        }
    }
}
