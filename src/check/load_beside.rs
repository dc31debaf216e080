//! What people run and write down beside a failover: scripts, change batches, and who decides from where.

use crate::model::batch::ChangeBatch;
use crate::model::decider::Deciders;
use crate::model::observed::Observed;
use crate::model::script::Script;
use crate::syntax::json;
use crate::text::{FileId, Text};

use super::load::{Loaded, Options, Standing};

impl Loaded {
    /// Whether it is a change batch, a health check, or says who decides, or what was seen.
    pub(super) fn take_beside(
        &mut self,
        file: FileId,
        path: &str,
        text: &Text,
        options: Options,
    ) -> Option<bool> {
        let batch = ChangeBatch::looks_alike(text.as_str());
        let decider = Deciders::recognises_path(path);
        let observed = Observed::recognises_path(path);
        if options.subject.is_some() || !(batch || decider || observed) {
            return None;
        }
        let parsed = json::read(text);
        let root = parsed.documents.first()?;
        let found = batch.then(|| ChangeBatch::read(root)).flatten();
        let deciders = decider.then(|| Deciders::read(path, root)).flatten();
        let seen = observed.then(|| Observed::read(path, root)).flatten();
        if found.is_none() && deciders.is_none() && seen.is_none() {
            return None;
        }
        if !self.faults(file, &parsed) {
            self.workspace.batches.extend(found);
            self.workspace.deciders.extend(deciders);
            self.workspace.observed.extend(seen);
        }
        Some(true)
    }

    /// Whether a script has a command that is known here.
    pub(super) fn take_script(
        &mut self,
        file: FileId,
        path: &str,
        standing: Standing,
        options: Options,
    ) -> bool {
        let Some(text) = self
            .sources
            .text(file)
            .filter(|_| options.subject.is_none())
        else {
            return false;
        };
        let named = standing == Standing::Named;
        let script = Script::read(path, &text);
        if script.commands.is_empty() {
            if named {
                let reason = "there is neither `curl` nor `aws route53` in this script, the commands that are known here";
                self.unread(file, None, reason.to_owned());
            }
            return named;
        }
        self.workspace.scripts.push(script);
        true
    }
}
