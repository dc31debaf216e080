//! A YAML reader on top of granit-parser's events: spans of every key, value and comment, repeated keys, anchors and
//! aliases, several documents, with the types of YAML 1.2's core schema (`on`, `yes` and `no` are strings).
//!
//! Invariants: what an alias stands for is copied, so no tree ever holds a cycle, and the copies of one file are
//! bounded; a document that could not be read to its end is not in the result, but its fault is, and the documents
//! behind it are.

mod build;
mod merge;
mod pieces;
mod scalar;

use granit_parser::{ErrorKind, Parser, ScanError};

use crate::text::{Span, Text};

use super::{Fault, Parsed};
use build::Builder;

pub use merge::merged;
pub use scalar::as_written;

/// How deep lists and maps may nest, aliases followed.
pub const MAX_DEPTH: usize = 500;

/// How many values the aliases of one file may stand for in all.
pub const MAX_COPIES: usize = 25_000;

/// How many faults of one file are told.
const MAX_FAULTS: usize = 100;

/// Reads a YAML stream: no document (an empty file), one or several. A byte order mark at the start is passed over.
#[must_use]
pub fn read(text: &Text) -> Parsed {
    let options = granit_parser::options! {
        emit_unresolved_aliases: true,
        max_buffered_comment_events: usize::MAX,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
    };
    let mut parser = Parser::new_from_str_with_options(text.as_str(), options);
    let mut builder = Builder::new(text);
    while let Some(next) = parser.next_event() {
        let go_on = match next {
            Ok((event, span)) => builder.event(event, &span),
            Err(error) => {
                builder.abandon(fault(text, &error));
                false
            }
        };
        if go_on {
            continue;
        }
        if builder.faults() >= MAX_FAULTS {
            break;
        }
        match parser.proceed_next_document() {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                builder.abandon(fault(text, &error));
                break;
            }
        }
    }
    builder.finish()
}

fn fault(text: &Text, error: &ScanError) -> Fault {
    let input = text.as_str();
    let mut at = error.marker().byte_offset().unwrap_or(0).min(input.len());
    while !input.is_char_boundary(at) {
        at -= 1;
    }
    let mut reason = reason(error);
    if stands_in_a_template(input, at) {
        reason.push_str("; this looks like a template: render it first and check the result");
    }
    Fault {
        at: place(text, at),
        reason,
    }
}

/// The character at byte `at`, or the empty place at the end of a line or of the file.
fn place(text: &Text, at: usize) -> Span {
    let next = text.as_str().get(at..).and_then(|rest| rest.chars().next());
    match next.filter(|found| !matches!(found, '\r' | '\n')) {
        Some(found) => text.span_of(at..at + found.len_utf8()),
        None => text.place_of(at),
    }
}

fn reason(error: &ScanError) -> String {
    let kind = error.kind();
    let is_tab = matches!(
        kind,
        ErrorKind::TabInBlockIndentation
            | ErrorKind::TabInIndentation
            | ErrorKind::TabNotAllowed
            | ErrorKind::TabAtBlockScalarStart
    );
    if *kind == ErrorKind::RecursionLimitExceeded {
        too_deep()
    } else if is_tab {
        "a tab is not allowed in the indentation of YAML; use spaces".to_owned()
    } else {
        format!("this is no valid YAML: {}", error.info())
    }
}

fn too_deep() -> String {
    Fault::too_deep(MAX_DEPTH)
}

/// Whether the line of byte `at`, or the one before it, holds `{{` of a template language; `${{` is GitHub's own.
fn stands_in_a_template(input: &str, at: usize) -> bool {
    let before = input.get(..at).unwrap_or_default();
    let start = before
        .rmatch_indices('\n')
        .nth(1)
        .map_or(0, |(line_end, _)| line_end + 1);
    let lines = input.get(start..).unwrap_or_default();
    let end = lines
        .match_indices('\n')
        .map(|(line_end, _)| line_end)
        .find(|line_end| start + line_end >= at)
        .unwrap_or(lines.len());
    let lines = lines.get(..end).unwrap_or_default();
    lines.match_indices("{{").any(|(open, _)| {
        !lines
            .get(..open)
            .is_some_and(|before| before.ends_with(['$', '{']))
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Kind, Node, Parsed, pointer};
    use super::*;
    use crate::text::{SourceMap, Span};
    use proptest::prelude::*;

    fn parse(input: &str) -> Option<(SourceMap, Parsed)> {
        let mut sources = SourceMap::default();
        let file = sources.add("x.yaml", input);
        let parsed = read(&sources.text(file)?);
        Some((sources, parsed))
    }

    /// Every scalar below `node`, keys too.
    fn texts(node: &Node) -> Vec<Text> {
        let mut found = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match &node.kind {
                Kind::Text(text) => found.push(text.clone()),
                Kind::List(items) => open.extend(items),
                Kind::Map(entries) => {
                    found.extend(entries.iter().map(|entry| entry.key.clone()));
                    open.extend(entries.iter().map(|entry| &entry.value));
                }
                Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Unknown(_) => {}
            }
        }
        found
    }

    #[test]
    fn keys_values_and_comments_know_their_bytes() {
        let input = "# 한글\nname: 'it''s' # tail\non: {push: , x: [a]}\njobs:\n  a:\n    - b\n    -   c: 1\n\n\n# end\nz:\n";
        let (sources, parsed) = parse(input).unwrap();
        assert!(parsed.faults.is_empty(), "{:?}", parsed.faults);
        let root = parsed.documents.first().unwrap();
        let slice = |path: &str| sources.slice(pointer::find(root, path).unwrap().span());
        assert_eq!(slice("/name"), "'it''s'");
        assert_eq!(slice("/on"), "{push: , x: [a]}");
        assert_eq!(slice("/on/x"), "[a]");
        assert_eq!(slice("/jobs"), "a:\n    - b\n    -   c: 1");
        assert_eq!(slice("/jobs/a/1"), "c: 1");
        let nothing = root.get("z").unwrap().span();
        assert_eq!(nothing.range(), input.len() - 1..input.len() - 1);
        assert_eq!(nothing.range(), input.len() - 1..input.len() - 1);
        let name = root.get("name").unwrap().as_text().unwrap();
        assert_eq!(
            (name.as_str(), sources.slice(name.span_of(2..3))),
            ("it's", "''")
        );
        let comments: Vec<_> = parsed
            .comments
            .iter()
            .map(|comment| (sources.slice(comment.span), comment.text.as_str()))
            .collect();
        assert_eq!(
            comments,
            [("# 한글", " 한글"), ("# tail", " tail"), ("# end", " end")]
        );
        assert!(root.get("on").is_some());
    }

    #[test]
    fn each_line_of_a_block_can_be_pointed_at() {
        let input = "a:\n  run: |2 # c\n\n      one\n    two 한\n\n\n  f: >-\n   fold\n   ed\n\n     x\n  last: |+\n    k\r\n\r\n";
        let (sources, parsed) = parse(input).unwrap();
        let root = parsed.documents.first().unwrap();
        let text = |path: &str| pointer::find(root, path).unwrap().as_text().unwrap();
        let check = |path: &str, value: &str, wanted: &str| {
            let text = text(path);
            assert_eq!(text.as_str(), value);
            let at = value.find(wanted).unwrap();
            assert_eq!(sources.slice(text.span_of(at..at + wanted.len())), wanted);
        };
        check("/a/run", "\n  one\ntwo 한\n", "two 한");
        check("/a/run", "\n  one\ntwo 한\n", "one");
        check("/a/f", "fold ed\n\n  x", "ed");
        check("/a/f", "fold ed\n\n  x", "x");
        check("/a/last", "k\n\n", "k");
        let run = sources.slice(text("/a/run").span());
        assert_eq!(run, "|2 # c\n\n      one\n    two 한");
    }

    #[test]
    fn escapes_and_folded_lines_are_pieces_of_their_own() {
        let input = "\"a\\n\\u00e9\\\n   b  \n  c\\x41\"";
        let (sources, parsed) = parse(input).unwrap();
        let text = parsed.documents.first().unwrap().as_text().unwrap();
        assert_eq!(text.as_str(), "a\nébcA".replace("bc", "b c"));
        assert_eq!(sources.slice(text.span_of(2..4)), "\\u00e9");
        assert_eq!(sources.slice(text.span_of(5..6)), "  \n  ");
        assert_eq!(sources.slice(text.span_of(7..8)), "\\x41");
    }

    #[test]
    fn yaml_inside_a_block_of_yaml_is_read_with_the_places_of_the_file() {
        let (sources, parsed) =
            parse("data: |\n   a: |\n     x\n     y\n   b: [1,\n     two]\n").unwrap();
        let inner = parsed
            .documents
            .first()
            .unwrap()
            .get("data")
            .unwrap()
            .as_text()
            .unwrap();
        let inner = read(inner);
        let root = inner.documents.first().unwrap();
        assert_eq!(
            sources.slice(pointer::find(root, "/b/1").unwrap().span()),
            "two"
        );
        let a = root.get("a").unwrap().as_text().unwrap();
        assert_eq!(
            (a.as_str(), sources.slice(a.span_of(2..3))),
            ("x\ny\n", "y")
        );
    }

    #[test]
    fn an_alias_is_a_copy_that_knows_both_places() {
        let (sources, parsed) =
            parse("a: &x {k: v}\nb: *x\nc: {<<: *x, k: own, '<<': 1}\n").unwrap();
        assert!(parsed.faults.is_empty());
        let root = parsed.documents.first().unwrap();
        let value = pointer::find(root, "/b/k").unwrap();
        assert_eq!(sources.slice(value.span()), "v");
        assert_eq!(
            value
                .origin
                .through()
                .iter()
                .map(|span| sources.slice(*span))
                .collect::<Vec<_>>(),
            ["*x"]
        );
        let merged = merged(root.get("c").unwrap().clone());
        assert_eq!(merged.get("k").unwrap().as_str(), Some("own"));
        assert_eq!(merged.as_map().unwrap().len(), 2);
    }

    #[test]
    fn a_broken_document_is_told_and_the_others_are_read() {
        let (_, parsed) =
            parse("a: 1\n---\nb: [\n---\nc: *no\n---\n? [x]\n: 1\n---\nd: !Ref x\n").unwrap();
        let reasons: Vec<_> = parsed
            .faults
            .iter()
            .map(|fault| fault.reason.as_str())
            .collect();
        assert_eq!(
            reasons,
            [
                "this is no valid YAML: unclosed bracket '['",
                "the alias `*no` has no anchor `&no` before it",
                "a list stands here as a key, but only a string can be one"
            ]
        );
        assert_eq!(parsed.documents.len(), 4);
        let tagged = parsed.documents.last().unwrap().get("d").unwrap();
        assert!(tagged.as_unknown().unwrap().why.contains("`!Ref`"));
    }

    #[test]
    fn a_laugh_of_a_billion_ends_in_a_fault() {
        let mut input = String::from("a0: &a0 [lol, lol]\n");
        for level in 1..30 {
            let before = level - 1;
            input.push_str(&format!("a{level}: &a{level} [*a{before}, *a{before}]\n"));
        }
        let (_, parsed) = parse(&input).unwrap();
        assert!(
            parsed
                .faults
                .first()
                .unwrap()
                .reason
                .contains(&MAX_COPIES.to_string())
        );
        let (_, parsed) = parse("a: &a [*a]").unwrap();
        assert!(
            parsed
                .faults
                .first()
                .unwrap()
                .reason
                .contains("inside the value")
        );
    }

    #[test]
    fn too_deep_nesting_is_a_fault_with_its_place() {
        for input in [
            "[".repeat(100_000),
            "{a: ".repeat(100_000),
            "- ".repeat(100_000),
        ] {
            let (_, parsed) = parse(&input).unwrap();
            let fault = parsed.faults.first().unwrap();
            assert_eq!(fault.reason, "nested deeper than 500 levels");
            assert!(fault.at.start > 400, "{:?}", fault.at);
        }
        let (_, parsed) = parse(&format!(
            "{}1{}",
            "[".repeat(MAX_DEPTH),
            "]".repeat(MAX_DEPTH)
        ))
        .unwrap();
        assert!(parsed.faults.is_empty());
        // What walks a tree by recursion still fits a small stack.
        let open: String = (0..MAX_DEPTH - 1).map(|_| "{a: ").collect();
        let (_, parsed) = parse(&format!("{open}{{}}{}", "}".repeat(MAX_DEPTH - 1))).unwrap();
        let root = parsed.documents.first().unwrap();
        assert!(root.repeats().is_empty() && root.unknowns().is_empty());
        assert!(merged(root.clone()) == *root);
        let deep = format!("a: &a {}{}\n", "[".repeat(300), "]".repeat(300));
        let (_, parsed) = parse(&format!(
            "{deep}b: {}*a{}",
            "[".repeat(300),
            "]".repeat(300)
        ))
        .unwrap();
        assert!(parsed.faults.first().unwrap().reason.contains("deeper"));
    }

    #[test]
    fn thousands_of_comments_are_no_obstacle() {
        let input = format!("jobs:\n{}  a: 1\n", "  # c\n".repeat(50_000));
        let (_, parsed) = parse(&input).unwrap();
        assert!(parsed.faults.is_empty());
        assert_eq!(parsed.comments.len(), 50_000);
    }

    #[test]
    fn a_tab_or_a_template_is_told_as_such() {
        let (_, parsed) = parse("a:\n\tb: 1\n").unwrap();
        assert!(
            parsed.faults.first().unwrap().reason.contains("tab"),
            "{:?}",
            parsed.faults
        );
        let (_, parsed) = parse("a: x\n{{- if .Values.x }}\nb: 1\n{{ end }}\n").unwrap();
        assert!(
            parsed.faults.first().unwrap().reason.contains("render"),
            "{:?}",
            parsed.faults
        );
        let (_, parsed) = parse("if: ${{ x }}: y\n").unwrap();
        assert!(!parsed.faults.first().unwrap().reason.contains("render"));
    }

    #[test]
    fn an_empty_file_holds_no_document_and_a_byte_order_mark_is_passed_over() {
        for input in ["", "\u{feff}", "# c\n", "\n\n"] {
            let (_, parsed) = parse(input).unwrap();
            assert_eq!(
                (parsed.documents.len(), parsed.faults.len()),
                (0, 0),
                "{input:?}"
            );
        }
        let (sources, parsed) = parse("\u{feff}on: push\r\nx:\ty\r\n").unwrap();
        let root = parsed.documents.first().unwrap();
        assert_eq!(root.get("on").unwrap().as_str(), Some("push"));
        assert_eq!(sources.slice(root.get("x").unwrap().span()), "y");
    }

    fn is_inside(sources: &SourceMap, span: Span) -> bool {
        sources
            .get(span.file)
            .is_some_and(|source| source.text().get(span.range()).is_some())
    }

    /// The pieces make up the whole value, and those of equal length stand in the file as they stand in the value, but
    /// for blanks.
    fn reads_back(sources: &SourceMap, text: &Text) -> bool {
        let mut behind = 0;
        for piece in text.pieces().iter() {
            let value = text.as_str().get(piece.value.clone()).unwrap_or_default();
            let written = sources.slice(piece.span);
            if piece.value.start != behind
                || !is_inside(sources, piece.span)
                || written.len() == value.len() && written != value && !value.trim().is_empty()
            {
                return false;
            }
            behind = piece.value.end;
        }
        behind == text.as_str().len()
    }

    fn yaml() -> impl Strategy<Value = String> {
        let token = prop::sample::select(vec![
            "a",
            "b: ",
            "key:",
            " ",
            "  ",
            "\n",
            "\n  ",
            "\n    ",
            "- ",
            "? ",
            ": ",
            "[",
            "]",
            "{",
            "}",
            ", ",
            "\"",
            "'",
            "''",
            "\\n",
            "\\u00e9",
            "\\\n",
            "|\n",
            ">-\n",
            "|2+\n",
            "&x ",
            "*x",
            "!!str ",
            "!t ",
            "# c",
            "---\n",
            "...\n",
            "<<: ",
            "1",
            "~",
            "true",
            "한",
            "😀",
            "\t",
            "\r\n",
            "\r",
            "\u{feff}",
            "%YAML 1.2\n",
            "`",
            "@",
            "${{ x }}",
        ]);
        prop::collection::vec(token, 0..40).prop_map(|tokens| tokens.concat())
    }

    proptest! {
        #[test]
        fn any_text_ends_as_trees_or_faults_with_places_inside_the_file(input in prop_oneof![yaml(), any::<String>()]) {
            let (sources, parsed) = parse(&input).unwrap();
            for fault in &parsed.faults {
                prop_assert!(is_inside(&sources, fault.at));
            }
            for comment in &parsed.comments {
                prop_assert!(sources.slice(comment.span).starts_with('#'));
            }
            for document in &parsed.documents {
                let mut open = vec![document];
                while let Some(node) = open.pop() {
                    prop_assert!(is_inside(&sources, node.span()));
                    match &node.kind {
                        Kind::List(items) => open.extend(items),
                        Kind::Map(entries) => open.extend(entries.iter().map(|entry| &entry.value)),
                        Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::Unknown(_) => {}
                    }
                }
                for text in texts(document) {
                    prop_assert!(is_inside(&sources, text.span()));
                    prop_assert!(reads_back(&sources, &text), "{text:?}");
                }
            }
        }
    }
}
