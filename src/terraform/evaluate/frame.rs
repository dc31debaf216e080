//! Modules that call modules: each call has values of its own, evaluated only when something asks for them.

use std::collections::BTreeMap;

use crate::syntax::Unknown;
use crate::syntax::hcl::{Attribute, Block, Step, StepKind};
use crate::text::{Span, Text};

use super::Evaluator;
use super::instances::{Instances, Scope};
use super::loops::text_at;
use super::reference::attribute_name;
use crate::terraform::failure::{fault, limit, refusal};
use crate::terraform::library::local_folder;
use crate::terraform::value::{Mapping, Sequence, Value, ValueKind};
use crate::terraform::{Eval, Mode, Module};

/// How many calls of modules are gone through.
const MAX_FRAMES: usize = 1000;

/// One use of a module: the one that is applied, or one that a `module` block calls.
#[derive(Debug)]
pub(super) struct Frame<'m> {
    /// `module.records["a"].`, with the dot behind it; empty for the module that is applied.
    pub(super) path: String,
    pub(super) module: &'m Module,
    pub(super) locals: BTreeMap<&'m str, &'m Attribute>,
    pub(super) variables: BTreeMap<&'m str, &'m Block>,
    pub(super) set: BTreeMap<&'m str, &'m Attribute>,
    pub(super) resources: BTreeMap<(Mode, &'m str, &'m str), &'m Block>,
    outputs: BTreeMap<&'m str, &'m Block>,
    calls: BTreeMap<&'m str, &'m Block>,
    pub(super) whole: bool,
    pub(super) caller: Option<Caller<'m>>,
    pub(super) done: BTreeMap<String, Eval<Value>>,
    called: BTreeMap<String, usize>,
}

/// Who calls a module.
#[derive(Debug, Clone)]
pub(super) struct Caller<'m> {
    pub(super) frame: usize,
    pub(super) block: &'m Block,
    /// `each` or `count` of the call.
    pub(super) scope: Scope,
}

/// A call of a module that is here: its place among the frames, or why what it declares is not known.
pub(super) type Called = Result<usize, Unknown>;

impl<'m> Frame<'m> {
    pub(super) fn folder(&self) -> &'m str {
        &self.module.folder
    }

    pub(super) fn new(module: &'m Module) -> Self {
        let named = |kind| -> BTreeMap<&'m str, &'m Block> {
            let blocks = module
                .blocks()
                .filter(move |block| block.kind.as_str() == kind);
            blocks
                .filter_map(|block| Some((block.label(0)?, block)))
                .collect()
        };
        Self {
            path: String::new(),
            locals: module
                .locals()
                .map(|local| (local.name.as_str(), local))
                .collect(),
            set: module
                .variables
                .iter()
                .flat_map(|file| &file.body.attributes)
                .map(|set| (set.name.as_str(), set))
                .collect(),
            variables: named("variable"),
            outputs: named("output"),
            calls: named("module"),
            resources: module
                .resources()
                .map(|found| ((found.mode, found.kind, found.name), found.block))
                .collect(),
            whole: module.is_whole(),
            module,
            caller: None,
            done: BTreeMap::new(),
            called: BTreeMap::new(),
        }
    }
}

impl<'m> Evaluator<'m> {
    /// The module that is looked at.
    pub(in super::super) fn module(&self) -> &'m Module {
        self.frame().module
    }

    pub(super) fn frame(&self) -> &Frame<'m> {
        self.frame_at(self.at)
    }

    /// The one that is applied is at 0.
    fn frame_at(&self, at: usize) -> &Frame<'m> {
        let called = at.checked_sub(1).and_then(|place| self.frames.get(place));
        called.unwrap_or(&self.root)
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame<'m> {
        let place = self.at.checked_sub(1);
        let called = place.and_then(|place| self.frames.get_mut(place));
        called.unwrap_or(&mut self.root)
    }

    /// `address`, as it is called from the module that is applied.
    pub(in super::super) fn rooted(&self, address: &str) -> String {
        format!("{}{address}", self.frame().path)
    }

    /// `make` is done in another use of a module, outside of every scope.
    pub(in super::super) fn in_frame<T>(
        &mut self,
        frame: usize,
        make: impl FnOnce(&mut Self) -> T,
    ) -> T {
        let outer = std::mem::take(&mut self.scope);
        let base = std::mem::take(&mut self.base);
        let before = std::mem::replace(&mut self.at, frame);
        let made = make(self);
        self.at = before;
        self.base = base;
        self.scope = outer;
        made
    }

    /// `make` is done as if blocks that are never made were made by somebody who sets other variables: how many there are
    /// is not known, and what comes to an error as the variables stand may come to something. Nothing of that is kept.
    pub(in super::super) fn supposing<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> T {
        let take = |frame: &mut Frame<'m>| std::mem::take(&mut frame.done);
        let root = take(&mut self.root);
        let called: Vec<_> = self.frames.iter_mut().map(take).collect();
        self.supposed = true;
        let made = make(self);
        self.supposed = false;
        self.root.done = root;
        let kept = called
            .into_iter()
            .chain(std::iter::repeat_with(BTreeMap::new));
        for (frame, done) in self.frames.iter_mut().zip(kept) {
            frame.done = done;
        }
        made
    }

    /// All uses of modules that the module that is looked at calls, by the name of the call.
    pub(in super::super) fn calls(&mut self) -> Vec<(&'m str, &'m Block, Vec<Called>)> {
        let calls: Vec<_> = self
            .frame()
            .calls
            .iter()
            .map(|(name, block)| (*name, *block))
            .collect();
        let all = calls.into_iter().map(|(name, block)| {
            let keys = self.each_instance(block).unwrap_or_default();
            let called = keys.into_iter().map(|(index, scope)| {
                self.call(name, block, &index, scope, block.head)
                    .unwrap_or_else(|fault| {
                        Err(Unknown {
                            why: fault.reason,
                            missing: vec![self.rooted(&format!("module.{name}"))],
                            ..Unknown::default()
                        })
                    })
            });
            let called = called.collect();
            (name, block, called)
        });
        all.collect()
    }

    /// The use of a module that one instance of the block `name` makes.
    fn call(
        &mut self,
        name: &str,
        block: &'m Block,
        index: &str,
        scope: Scope,
        span: Span,
    ) -> Eval<Called> {
        let address = format!("module.{name}{index}");
        if let Some(found) = self.frame().called.get(&address) {
            return Ok(Ok(*found));
        }
        let path = self.rooted(&format!("{address}."));
        let shown = self.rooted(&address);
        let unknown = |why: String| {
            Ok(Err(Unknown {
                why,
                missing: vec![shown.clone()],
                ..Unknown::default()
            }))
        };
        let source = block
            .body
            .attribute("source")
            .and_then(|source| source.value.literal());
        let Some(source) = source else {
            return unknown(format!("`{shown}` has no `source` that is written out"));
        };
        let folder = local_folder(&self.frame().module.folder, source.as_str());
        let found = folder
            .as_deref()
            .and_then(|folder| self.library?.modules.get(folder));
        let Some(module) = found else {
            let source = source.as_str();
            return unknown(self.why_not_here(&shown, source, folder.as_deref()));
        };
        if let Some(circle) = self.circle(module) {
            return Err(refusal(span, format!("this module calls itself: {circle}")));
        }
        if self.frames.len() >= MAX_FRAMES {
            return Err(limit(
                span,
                format!("more than {MAX_FRAMES} calls of modules"),
            ));
        }
        let mut frame = Frame::new(module);
        // Files that set variables do so for the module that is applied alone.
        frame.set = BTreeMap::new();
        frame.path = path;
        frame.caller = Some(Caller {
            frame: self.at,
            block,
            scope,
        });
        self.frames.push(frame);
        let at = self.frames.len();
        self.frame_mut().called.insert(address, at);
        Ok(Ok(at))
    }

    /// Why the module that `shown` calls is not here.
    fn why_not_here(&self, shown: &str, source: &str, folder: Option<&str>) -> String {
        let link = || self.library?.files.get(folder?)?.as_link();
        if let Some(reason) = link() {
            format!("`{source}` of `{shown}` {reason}")
        } else if source.starts_with('.') {
            format!("`{shown}` is a module in the folder `{source}`, which was not read")
        } else {
            format!("`{shown}` is a module of another place, `{source}`")
        }
    }

    /// The way from `module` back to itself, where it is one of the callers.
    fn circle(&self, module: &Module) -> Option<String> {
        let shown = |folder: &str| {
            if folder.is_empty() {
                ".".to_owned()
            } else {
                folder.to_owned()
            }
        };
        let mut way = vec![shown(&module.folder)];
        let mut at = Some(self.at);
        while let Some(frame) = at.map(|at| self.frame_at(at)) {
            way.push(shown(&frame.module.folder));
            if frame.module.folder == module.folder {
                way.reverse();
                return Some(way.join(" -> "));
            }
            at = frame.caller.as_ref().map(|caller| caller.frame);
        }
        None
    }

    /// What `module.name…` comes to.
    pub(super) fn module_output(&mut self, steps: &[Step], span: Span) -> Eval<Value> {
        let name = steps.first().and_then(attribute_name);
        let name = name.ok_or_else(|| fault(span, "`module` is followed by `.` and a name"))?;
        let rest = steps.get(1..).unwrap_or(&[]);
        let Some(block) = self.frame().calls.get(name).copied() else {
            return self.undeclared(&format!("module.{name}"), "a `module` block", span);
        };
        match self.instances(block)? {
            Instances::Single => {
                let called = self.call(name, block, "", Vec::new(), span)?;
                self.outputs_of(called, name, rest, span)
            }
            Instances::Unknown(unknown) => {
                // Which one it is is not known: what all of them have in common is.
                if let Some((StepKind::Index(_), rest)) =
                    rest.split_first().map(|(first, rest)| (&first.kind, rest))
                {
                    let called = self.call(name, block, "", Vec::new(), span)?;
                    return self.outputs_of(called, name, rest, span);
                }
                Ok(Value::new(ValueKind::Unknown(unknown), span))
            }
            Instances::Counted(all) => {
                let mut values = Vec::new();
                for (at, count) in all.into_iter().enumerate() {
                    let scope = vec![("count".to_owned(), count)];
                    let called = self.call(name, block, &format!("[{at}]"), scope, span)?;
                    values.push(self.outputs_of(called, name, &[], span)?);
                }
                let all = Value::new(ValueKind::Sequence(Sequence::Tuple, values), span);
                self.walk(all, rest)
            }
            Instances::Keyed(all) => {
                let mut values = Vec::new();
                for (key, each) in all {
                    let scope = vec![("each".to_owned(), each)];
                    let index = format!("[{:?}]", key.as_str());
                    let called = self.call(name, block, &index, scope, span)?;
                    values.push((key, self.outputs_of(called, name, &[], span)?));
                }
                let all = Value::new(ValueKind::Mapping(Mapping::Object, values), span);
                self.walk(all, rest)
            }
        }
    }

    fn outputs_of(
        &mut self,
        called: Called,
        name: &str,
        steps: &[Step],
        span: Span,
    ) -> Eval<Value> {
        let frame = match called {
            Ok(frame) => frame,
            Err(mut unknown) => {
                let output = steps.first().and_then(attribute_name);
                let output = output.map_or_else(String::new, |output| format!(".{output}"));
                unknown.missing = vec![self.rooted(&format!("module.{name}{output}"))];
                return Ok(Value::new(ValueKind::Unknown(unknown), span));
            }
        };
        let Some((first, rest)) = steps.split_first() else {
            let names: Vec<&'m str> = self.frame_at(frame).outputs.keys().copied().collect();
            let mut entries: Vec<(Text, Value)> = Vec::new();
            for output in names {
                let value = self
                    .output(frame, output, span)
                    .unwrap_or_else(|failure| failure.unknown(Vec::new()));
                entries.push((text_at(output, span), value));
            }
            return Ok(Value::new(
                ValueKind::Mapping(Mapping::Object, entries),
                span,
            ));
        };
        let output = attribute_name(first)
            .ok_or_else(|| fault(first.span, "a module has outputs by name alone"))?;
        let value = self.output(frame, output, span)?;
        self.walk(value, rest)
    }

    fn output(&mut self, frame: usize, name: &str, span: Span) -> Eval<Value> {
        self.in_frame(frame, |evaluator| {
            let Some(block) = evaluator.frame().outputs.get(name).copied() else {
                let address = format!("output.{name}");
                return evaluator.undeclared(&address, "an `output` block", span);
            };
            let Some(value) = block.body.attribute("value") else {
                return Err(fault(block.head, "this output has no `value`"));
            };
            evaluator.once(format!("output.{name}"), span, |evaluator| {
                evaluator.eval(&value.value)
            })
        })
    }
}
