//! What fails between the heartbeat and the records: Uptime Kuma, GitHub, AWS, a message, a resolver.

use crate::model::spec::SubjectFormat;

use super::{Duty, Facts, Failure, NO_MESSAGES, NOBODY, NOTHING, UNDECIDED, UNTIL_PERSON};

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
        let until = match (ends, &self.stop, self.repeats()) {
            (Ends::Mended, _, _) => UNTIL_PERSON.to_owned(),
            (Ends::Over(_), Some(stop), _) => format!("{UNTIL_PERSON}: {stop}, too"),
            (Ends::Over(what), None, Some(every)) => {
                format!("{UNTIL_PERSON}, or {what}; a message comes every {every:.0} min")
            }
            (Ends::Over(_), None, None) => format!("{UNTIL_PERSON}: no message is repeated"),
        };
        Failure {
            id,
            what: what.to_owned(),
            notices: notices.into(),
            switches: NOTHING.to_owned(),
            lasts: format!("no time while {} lives; then {until}", self.home),
            messages: if messages == NO_MESSAGES {
                messages.to_owned()
            } else {
                self.sent(messages)
            },
            person: person.to_owned(),
        }
    }

    /// Who notices that GitHub does not take the token, and within which time: the check that is due next, those that are
    /// forgiven, and what each of them takes. Else why nobody does.
    fn token_noticed(&self) -> Result<String, String> {
        let Some(holder) = self.working(Duty::TokenCheck) else {
            let words = self.standing_words(Duty::TokenCheck, NOBODY, "the token check");
            let words = words.unwrap_or_default();
            return Err(if words == NOBODY {
                words
            } else {
                format!("nobody to rely on: {words}")
            });
        };
        let Ok(watch) = &holder.watch else {
            return Err(UNDECIDED.to_owned());
        };
        let minutes = ((watch.interval + watch.forgiving(watch.timeout)) / 60.0).ceil();
        Ok(format!("people by the token check, within {minutes} min"))
    }

    pub(super) fn of_github(&self) -> [Failure; 6] {
        let token = self.token_noticed();
        let told = |words: &str| match &token {
            Ok(token) => format!("{token}{words}"),
            Err(nobody) => nobody.clone(),
        };
        let minutes = self.spec.github.job_timeout_minutes;
        let by_hand =
            format!("run the executor by hand; the job's {minutes} min begin only with a runner");
        [
            self.latent(
                ("github", "GitHub's API is down"),
                told(", as if the token were bad"),
                UNHEARD,
                Ends::Over("GitHub is back"),
                "run the executor by hand, away from GitHub",
            ),
            self.latent(
                ("actions-queue", "runs wait for a runner"),
                "nobody: the token check asks the API, not a runner",
                if self.chain.given.keeps_waiting {
                    "dispatches wait one behind another, up to 100 (`queue: max`)"
                } else {
                    "dispatches wait, and newer ones replace older ones"
                },
                Ends::Over("a runner is free for what waits"),
                &by_hand,
            ),
            self.latent(
                ("dispatch-token", "the dispatch token is expired or revoked"),
                told(""),
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
            self.renamed(&told(": a redirect, which it does not follow")),
            self.latent(
                ("action-gone", "a pinned action is gone"),
                NOBODY,
                FAILING,
                Ends::Mended,
                "pin a commit that is there: `pointsman pins verify`",
            ),
        ]
    }

    /// GitHub answers with a redirect, which Uptime Kuma's webhook follows with its body (status 307; axios, RFC 9110, section
    /// 15.4.8), so that a run starts; its subject has the new name, in the immutable format whatever it was before.
    fn renamed(&self, notices: &str) -> Failure {
        let github = &self.spec.github;
        let of_names = [
            "context",
            "job_workflow_ref",
            "repo",
            "repository",
            "repository_owner",
            "workflow_ref",
        ];
        let mut template = github.subject_claims.iter();
        let keeps = !github.subject_claims.is_empty()
            && !template.any(|claim| of_names.contains(&claim.as_str()));
        let subject = match (keeps, github.subject_format) {
            (true, _) => "its subject holds no name and stays",
            (false, SubjectFormat::Classic) => "the subject becomes immutable with it",
            (false, SubjectFormat::Immutable) => "the subject has the new name",
        };
        let person = format!("{subject}: correct the spec, `pointsman generate`, apply");
        let failure = self.latent(
            ("renamed", "the repository is renamed or transferred"),
            notices,
            FAILING,
            Ends::Mended,
            &person,
        );
        if keeps {
            let undecided = || UNDECIDED.to_owned();
            return Failure {
                switches: undecided(),
                lasts: undecided(),
                messages: undecided(),
                ..failure
            };
        }
        failure
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
        let notices = if !self.works(Duty::TransitionNotice) {
            "nobody"
        } else {
            "people, only if it is the one that the transition notice asks and it names the standby"
        };
        let messages = if !self.works(Duty::FailbackRetry) {
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
                self.chain.given.ttl.unwrap_or(self.spec.records.ttl)
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
            switches: self
                .switched(|| "as otherwise: the run keeps the TTL that it finds".to_owned()),
            lasts: match self.chain.given.ttl.filter(|found| *found != ttl) {
                _ if !self.switches() => self.minutes(),
                Some(found) => format!("{}, with {found} s for {ttl} s", self.minutes()),
                None => format!("longer by what the TTL exceeds {ttl} s"),
            },
            messages: self.counted(),
            person: "apply Terraform in quiet times".to_owned(),
        }
    }

    fn webhook_lost(&self) -> Failure {
        let every = self.repeats().filter(|_| self.switches());
        let switches = self.switched(|| match every {
            Some(every) => format!("the repeat after {every:.0} min starts a run"),
            None => "nothing: the message is never repeated".to_owned(),
        });
        let lasts = match every {
            Some(every) => format!("{} and {every:.0} min more", self.minutes()),
            None if self.is_open() => UNDECIDED.to_owned(),
            None => UNTIL_PERSON.to_owned(),
        };
        let person = if every.is_some() {
            NOTHING.to_owned()
        } else if self.switches() {
            "dispatch the workflow by hand".to_owned()
        } else {
            self.after_home()
        };
        Failure {
            id: "webhook-lost",
            what: "the message at home's death is lost".to_owned(),
            notices: self.home_noticed(),
            switches,
            lasts,
            messages: self.sent("one dispatch less"),
            person,
        }
    }

    /// Of runs that wait GitHub keeps the newest alone, unless `queue: max` says otherwise.
    fn run_evicted(&self) -> Failure {
        let kept = self.chain.given.keeps_waiting;
        let newer = || "the newer run, which decides from what it finds".to_owned();
        let (notices, switches, messages) = if kept {
            (
                "nobody needs to: `queue: max` keeps up to 100 runs waiting",
                self.switched(|| "each run in its turn, from what it finds".to_owned()),
                "a run for each dispatch",
            )
        } else {
            (
                "nobody: it ends as cancelled",
                self.switched(newer),
                "one run less than dispatches",
            )
        };
        let lasts = if self.switches() {
            "no longer than otherwise".to_owned()
        } else {
            self.minutes()
        };
        Failure {
            id: "run-evicted",
            what: "a waiting run is replaced by a newer one".to_owned(),
            notices: notices.to_owned(),
            switches,
            lasts,
            messages: self.sent(messages),
            person: NOTHING.to_owned(),
        }
    }
}
