//! An action's own file, `action.yml`: what a step that uses it runs.
//!
//! Source of the grammar: GitHub Docs, "Metadata syntax reference"
//! (<https://docs.github.com/en/actions/reference/workflows-and-actions/metadata-syntax>).

use crate::syntax::{Comment, Entry, Kind, Node};
use crate::text::Text;

use super::reader::Reader;
use super::{Image, ImagePlace, Malformed, Step};

/// An action's own file.
#[derive(Debug, Clone)]
pub struct ActionFile {
    /// The path of the file, as it is shown.
    pub path: String,
    /// The whole tree.
    pub root: Node,
    /// `name`.
    pub name: Option<Text>,
    /// The names of `inputs`.
    pub inputs: Vec<Text>,
    /// `runs.using`: `composite`, `docker`, `node24` and so on.
    pub using: Option<Text>,
    /// The steps of a composite action.
    pub steps: Vec<Step>,
    /// The image of a Docker action.
    pub image: Option<Image>,
    /// What has not the shape that GitHub asks for.
    pub malformed: Vec<Malformed>,
}

impl ActionFile {
    /// Whether a file is an action's: by its name, or by `runs` with `using`.
    #[must_use]
    pub fn recognises(path: &str, root: &Node) -> bool {
        let runs = root.get("runs");
        Self::recognises_path(path) && root.as_map().is_some()
            || runs.is_some_and(|runs| runs.get("using").is_some())
    }

    /// Whether GitHub takes a file for an action's because of its name.
    #[must_use]
    pub fn recognises_path(path: &str) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        matches!(name, "action.yml" | "action.yaml")
    }

    /// Reads an action's file; `source` and `comments` as for a workflow.
    #[must_use]
    pub fn read(path: &str, source: &str, root: Node, comments: &[Comment]) -> Self {
        let mut reader = Reader::new(source, comments);
        let mut action = Self {
            path: path.to_owned(),
            name: None,
            inputs: Vec::new(),
            using: None,
            steps: Vec::new(),
            image: None,
            malformed: Vec::new(),
            root: Node::new(Kind::Null, root.span()),
        };
        for Entry { key, value } in reader.map(&root, "an action") {
            match key.as_str() {
                "name" => action.name = reader.string(value, "`name`"),
                "inputs" => {
                    let entries = value.as_map().unwrap_or_default();
                    action.inputs = entries.iter().map(|entry| entry.key.clone()).collect();
                }
                "runs" => reader.runs(value, &mut action),
                _ => reader.near_miss(key, &["name", "inputs", "outputs", "runs"]),
            }
        }
        if root.as_map().is_some() && root.get("runs").is_none() {
            reader.wrong(&root, "an action needs `runs`, which is not here");
        }
        action.root = root;
        action.malformed = reader.malformed;
        action
    }
}

impl Reader<'_> {
    fn runs(&mut self, value: &Node, action: &mut ActionFile) {
        self.expressions(value);
        for Entry { key, value } in self.map(value, "`runs`") {
            match key.as_str() {
                "using" => action.using = self.string(value, "`using`"),
                "steps" => action.steps = self.steps(value),
                "image" => {
                    let text = self.string(value, "`image`");
                    action.image = text.map(|text| Image {
                        text,
                        place: ImagePlace::Action,
                    });
                }
                _ => self.near_miss(key, &["using", "steps", "image", "main", "pre", "post"]),
            }
        }
        if action
            .using
            .as_ref()
            .is_some_and(|using| using.as_str() == "composite")
        {
            let scripts = action.steps.iter().filter(|step| step.shell.is_none());
            for run in scripts.filter_map(|step| step.run.as_ref()) {
                let reason = "a `run` of a composite action needs `shell`, which is not here";
                self.malformed.push(Malformed {
                    at: run.span(),
                    reason: reason.to_owned(),
                });
            }
        }
        if value.as_map().is_some() && value.get("using").is_none() {
            self.wrong(value, "`runs` needs `using`, which is not here");
        }
    }
}
