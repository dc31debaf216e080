//! Host names as clusters write them, and which hosts they stand for.

use crate::model::dns::RecordName;
use crate::syntax::Node;
use crate::text::{Span, Text};

/// A list of host names, some of which may be wildcards.
#[derive(Debug, Clone)]
pub struct Names {
    /// Where it stands.
    pub at: Span,
    /// The names as they are written.
    pub texts: Vec<Text>,
    /// Whether a part of it is filled in elsewhere.
    pub open: bool,
    /// Whether it stands for every host, as a list that is left out does.
    pub every: bool,
    /// Whether a wildcard stands for one label alone, as that of an `Ingress` does.
    pub one_label: bool,
}

impl Names {
    /// The list at `node`; for every host when there is none.
    pub(super) fn or_every(node: Option<&Node>, at: Span) -> Self {
        let mut names = Self::of(node, at);
        names.every = node.is_none();
        names
    }

    /// The list at `node`, or the one name there; empty when there is none.
    pub(super) fn of(node: Option<&Node>, at: Span) -> Self {
        let items = match node {
            Some(node) => node.as_list().unwrap_or(std::slice::from_ref(node)),
            None => &[],
        };
        let texts: Vec<Text> = items.iter().filter_map(Node::as_text).cloned().collect();
        let filled_in = |text: &Text| {
            ["${", "$(", "{{"]
                .iter()
                .any(|sign| text.as_str().contains(sign))
        };
        Self {
            at: node.map_or(at, Node::span),
            open: texts.len() < items.len() || texts.iter().any(filled_in),
            texts,
            every: false,
            one_label: false,
        }
    }

    /// The names at these places, for which a wildcard stands for one label.
    pub(super) fn of_ingress(nodes: &[&Node], at: Span) -> Self {
        let each = nodes.iter().map(|node| Self::of(Some(node), at));
        let mut whole = Self {
            one_label: true,
            ..Self::of(None, at)
        };
        let mut places = None;
        for names in each {
            places = Some(places.map_or(names.at, |place: Span| place.cover(names.at)));
            whole.open |= names.open;
            whole.texts.extend(names.texts);
        }
        whole.at = places.unwrap_or(at);
        whole
    }

    /// Whether requests for `host` belong to it: a wildcard of a gateway or a route stands for names of any depth below
    /// it, and not for the name itself. Istio writes a namespace before the host.
    #[must_use]
    pub fn serve(&self, host: &RecordName) -> bool {
        let is_it = |text: &Text| {
            let written = text.as_str();
            let written = written.rsplit_once('/').map_or(written, |(_, host)| host);
            written == "*"
                || RecordName::parse(written).is_ok_and(|name| {
                    let near = !self.one_label || host.parent() == name.parent();
                    name == *host || host.is_covered_by(&name) && near
                })
        };
        self.every || self.texts.iter().any(is_it)
    }

    /// Whether routes of the namespace `of` may be for `host` at a gateway in `own`, by what stands before the host: `*` for
    /// all, `.` for the gateway's own, else the namespace itself (Istio, `Gateway`, `Server.hosts`). An empty namespace is
    /// left to whoever applies it, and may be any.
    #[must_use]
    pub fn let_in(&self, host: &RecordName, of: &str, own: &str) -> bool {
        let takes = |text: &Text| {
            let Some((namespace, _)) = text.as_str().rsplit_once('/') else {
                return true;
            };
            let wanted = if namespace == "." { own } else { namespace };
            wanted == "*" || wanted == of || wanted.is_empty() || of.is_empty()
        };
        let serving = self.texts.iter().filter(|text| {
            let one = Self {
                texts: vec![(*text).clone()],
                every: false,
                ..self.clone()
            };
            one.serve(host)
        });
        self.every || serving.into_iter().any(takes)
    }

    /// The name of a certificate that is good for `host`: a wildcard stands for one label and no more (RFC 9525,
    /// section 6.3).
    #[must_use]
    pub fn certifies(&self, host: &RecordName) -> Option<&Text> {
        let one_below = |name: &RecordName| host.parent() == name.parent();
        self.texts.iter().find(|text| {
            RecordName::parse(text.as_str())
                .is_ok_and(|name| name == *host || host.is_covered_by(&name) && one_below(&name))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::yaml;
    use crate::text::SourceMap;

    fn names(source: &str) -> Option<Names> {
        let mut sources = SourceMap::default();
        let file = sources.add("x.yaml", source);
        let parsed = yaml::read(&sources.text(file)?);
        let root = parsed.documents.first()?;
        Some(Names::of(Some(root), root.span()))
    }

    #[test]
    fn a_wildcard_of_a_certificate_is_one_label_and_one_of_a_gateway_is_any_depth() {
        let host = |name| RecordName::parse(name).unwrap();
        let wild = names("['*.Example.com']").unwrap();
        assert!(wild.certifies(&host("www.example.com")).is_some());
        assert!(wild.certifies(&host("*.example.com")).is_some());
        assert!(wild.certifies(&host("a.www.example.com")).is_none());
        assert!(wild.certifies(&host("example.com")).is_none());
        assert!(wild.serve(&host("a.www.example.com")) && !wild.serve(&host("example.com")));
        assert!(
            names("[infra/www.example.com]")
                .unwrap()
                .serve(&host("www.example.com"))
        );
        assert!(names("['./*']").unwrap().serve(&host("www.example.com")));
    }

    #[test]
    fn what_is_filled_in_elsewhere_is_open() {
        assert!(names("['${DOMAIN}', www.example.com]").unwrap().open);
        assert!(names("[{a: b}]").unwrap().open);
        assert!(!names("www.example.com").unwrap().open);
    }
}
