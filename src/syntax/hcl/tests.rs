//! Tests of the HCL reader.

use super::*;
use crate::text::{FileId, SourceMap};
use proptest::prelude::*;

fn parse(input: &str) -> (SourceMap, HclFile) {
    let mut sources = SourceMap::default();
    let file = sources.add("x.tf", input);
    let text = Text::verbatim(input, Span::new(file, 0, input.len()));
    let read = read(&text);
    (sources, read)
}

/// The value of the attribute `a` of a file without faults, if it is a plain string.
fn string(input: &str) -> Option<(SourceMap, Text)> {
    let (sources, file) = parse(input);
    let text = file.body.attribute("a")?.value.literal()?.clone();
    file.faults.is_empty().then_some((sources, text))
}

fn fault(input: &str) -> Option<(String, String)> {
    let (sources, file) = parse(input);
    let fault = file.faults.first()?;
    Some((sources.slice(fault.at).to_owned(), fault.reason.clone()))
}

#[test]
fn an_escape_is_a_piece_of_its_own() {
    let (sources, text) = string(r#"a = "\\052.example.com" # x"#).unwrap();
    assert_eq!(text.as_str(), r"\052.example.com");
    assert_eq!(sources.slice(text.span_of(0..1)), r"\\");
    assert_eq!(sources.slice(text.span_of(0..4)), r"\\052");
    assert_eq!(sources.slice(text.span_of(5..12)), "example");
    assert_eq!(sources.slice(text.span()), r#""\\052.example.com""#);
}

#[test]
fn doubled_marks_and_code_points_are_read() {
    let (sources, text) = string(r#"a = "$${x} %%{y} \u00e9\U0001F600 $a %b""#).unwrap();
    assert_eq!(text.as_str(), "${x} %{y} \u{e9}\u{1F600} $a %b");
    assert_eq!(sources.slice(text.span_of(0..2)), "$${");
    let at = text.as_str().find('\u{e9}').unwrap();
    assert_eq!(sources.slice(text.span_of(at..at + 2)), r"\u00e9");
}

#[test]
fn octal_in_quotes_is_told_how_to_write_it() {
    let mut sources = SourceMap::default();
    let file = sources.add("main.tf", r#"a = ["\052.example.com"]"#);
    let read = read(&sources.text(file).unwrap());
    assert!(read.faults.is_empty(), "{:?}", read.faults);
    let [mistake] = read.mistakes.as_slice() else {
        panic!("{:?}", read.mistakes);
    };
    assert_eq!(mistake.kind, MistakeKind::OctalEscape);
    assert_eq!(sources.slice(mistake.at), r"\052");
}

#[test]
fn policy_variables_are_text_and_expressions_are_not() {
    let mut sources = SourceMap::default();
    let input = "a = \"${aws:username}/${aws:PrincipalTag/Team, 'x'}/${*}\"\nb = \"${c == 1 ? \"x:y\" : d}${e::f(1)}\"\n";
    let file = sources.add("main.tf", input);
    let read = read(&sources.text(file).unwrap());
    assert!(read.faults.is_empty(), "{:?}", read.faults);
    let written: Vec<&str> = read.mistakes.iter().map(|it| it.written.as_str()).collect();
    assert_eq!(
        written,
        ["${aws:username}", "${aws:PrincipalTag/Team, 'x'}", "${*}"]
    );
}

#[test]
fn a_heredoc_keeps_backslashes_and_maps_its_lines() {
    let input = "a = <<-EOT\n    {\"k\": \"\\\\052\"}\n\n      x\n    EOT\nb = 1\n";
    let (sources, text) = string(input).unwrap();
    assert_eq!(text.as_str(), "{\"k\": \"\\\\052\"}\n\n  x\n");
    assert_eq!(sources.slice(text.span_of(7..12)), "\\\\052");
    let at = text.as_str().find('x').unwrap();
    assert_eq!(
        text.span_of(at..at + 1).start as usize,
        input.find("x\n").unwrap()
    );
}

#[test]
fn a_heredoc_may_stand_in_a_call_and_be_empty() {
    let (_, file) = parse("a = chomp(<<EOT\nEOT\n)\nb = [<<X\n  X\n]\n");
    assert!(file.faults.is_empty(), "{:?}", file.faults);
}

#[test]
fn strip_marks_work_on_the_literal_beside_them() {
    let (_, file) = parse("a = \"x ${~ y ~} z\"\nb = \"${z}\"\nc = \" ${~ z}\"\n");
    let parts = |name: &str| {
        let Form::Template(template) = &file.body.attribute(name).unwrap().value.form else {
            panic!("no template");
        };
        let shown = template.parts.iter().map(|part| match part {
            Part::Literal(text) => text.as_str().to_owned(),
            Part::Interpolation(_) | Part::If(_) | Part::For(_) => "$".to_owned(),
        });
        shown.collect::<Vec<_>>()
    };
    assert_eq!(parts("a"), ["x", "$", "z"]);
    assert_eq!(parts("b"), ["$"], "passed through as it is");
    assert_eq!(parts("c"), ["$", ""], "made a string");
}

#[test]
fn repeated_keys_and_keyword_keys_are_kept() {
    let (_, file) = parse("a = { x = 1, x = 2\n null: 3, (local.k) = 4\n \"q\" = 5 }");
    let Form::Object(items) = &file.body.attribute("a").unwrap().value.form else {
        panic!("no object");
    };
    let names: Vec<_> = items
        .iter()
        .map(|item| match &item.key {
            Key::Name(name) => name.as_str(),
            Key::Expression(_) => "(…)",
        })
        .collect();
    assert_eq!(names, ["x", "x", "null", "(…)", "(…)"]);
}

#[test]
fn comments_are_found_everywhere_with_their_bytes() {
    let input = "# one\na = [ // two\r\n 1, /* three\n */ 2 ]\n";
    let (sources, file) = parse(input);
    let seen: Vec<_> = file
        .comments
        .iter()
        .map(|comment| sources.slice(comment.span))
        .collect();
    assert_eq!(seen, ["# one", "// two", "/* three\n */"]);
    assert_eq!(file.comments[1].text, " two");
    assert!(file.faults.is_empty());
}

#[test]
fn a_hash_in_a_string_is_no_comment() {
    let (_, file) = parse("a = \"# no // no\"\nb = <<E\n# no\nE\n");
    assert!(file.comments.is_empty());
}

#[test]
fn a_byte_order_mark_and_carriage_returns_are_accepted() {
    let (sources, file) = parse("\u{feff}locals {\r\n  a = 1\r\n}\r\n");
    assert!(file.faults.is_empty(), "{:?}", file.faults);
    let block = file.body.blocks.first().unwrap();
    assert_eq!(sources.slice(block.head), "locals");
}

#[test]
fn an_empty_file_is_an_empty_body() {
    let (_, file) = parse("");
    assert!(file.faults.is_empty() && file.body.blocks.is_empty());
}

#[test]
fn one_broken_block_does_not_hide_the_others() {
    let input = "locals {\n  a = = 1\n}\n\nresource \"x\" \"y\" {\n  b = 1\n}\n\nmodule \"z\" {\n";
    let (sources, file) = parse(input);
    let heads: Vec<_> = file
        .body
        .blocks
        .iter()
        .map(|block| sources.slice(block.head))
        .collect();
    assert_eq!(heads, ["resource \"x\" \"y\""]);
    let places: Vec<_> = file
        .faults
        .iter()
        .map(|fault| sources.slice(fault.at))
        .collect();
    assert_eq!(places, ["=", "{"]);
}

#[test]
fn an_attribute_set_twice_is_told_at_the_second() {
    let (_, file) = parse("locals {\n  a = 1\n  a = 2\n}\n");
    let fault = file.faults.first().unwrap();
    assert_eq!(fault.at, Span::new(FileId(0), 19, 20));
    assert_eq!(file.body.blocks.len(), 1, "the block is there all the same");
}

#[test]
fn operators_of_one_precedence_stand_in_one_row() {
    let (_, file) = parse("a = 1 + 2 * 3 - 4 == 7 && !b ? [x...] : -c.d[0]\n");
    assert_eq!(file.faults.len(), 1, "`...` belongs to calls alone");
    let (_, file) = parse("a = 1 + 2 * 3 - 4 == 7 && !b ? f(x...) : -c.d[0].*.e\n");
    assert!(file.faults.is_empty(), "{:?}", file.faults);
}

#[test]
fn deep_nesting_is_refused_with_its_place() {
    for open in ["[", "(", "{a=", "a{", "f(", "!", "-", "\"${", "a[", "x?y:"] {
        let (_, file) = parse(&format!("a = {}", open.repeat(100_000)));
        assert!(!file.faults.is_empty(), "{open}");
    }
    let (_, file) = parse(&format!("a = {}1{}\n", "[".repeat(64), "]".repeat(64)));
    assert!(file.faults.is_empty(), "{:?}", file.faults);
    let (_, file) = parse(&"a {\n".repeat(100_000));
    assert!(file.faults.first().unwrap().reason.contains("64 levels"));
}

#[test]
fn long_rows_do_not_nest() {
    let (_, file) = parse(&format!(
        "a = 1{}{}\n",
        " + 1".repeat(50_000),
        ".x".repeat(50_000)
    ));
    assert!(file.faults.is_empty(), "{:?}", file.faults);
}

#[test]
fn what_is_never_closed_is_told_at_its_beginning() {
    for (input, place) in [
        ("a = \"x\nb = 1\n", "\""),
        ("a = <<EOT\nx\n", "<<"),
        ("a = [1,\n", "["),
        ("a = f(1\n", "("),
        ("a = {b = 1\n", "{"),
        ("a \"b\" {\n c = 1\n", "{"),
        ("a = 1 /* x", "/"),
        ("a = \"%{ if b }x\"\n", "%{ if b }"),
    ] {
        let (found, reason) = fault(input).unwrap();
        assert_eq!(found, place, "{input:?}: {reason}");
    }
}

/// Spans lie in the file, on character borders, and the parts of a node inside the node.
fn check_body(input: &str, body: &Body) -> Result<(), TestCaseError> {
    for attribute in &body.attributes {
        prop_assert!(input.get(attribute.span.range()).is_some());
        prop_assert_eq!(
            input.get(attribute.name.span().range()),
            Some(attribute.name.as_str())
        );
        check_expression(input, &attribute.value)?;
    }
    for block in &body.blocks {
        prop_assert!(input.get(block.span.range()).is_some());
        prop_assert!(block.span.contains(block.head));
        prop_assert!(block.span.contains(block.body.span));
        check_body(input, &block.body)?;
    }
    Ok(())
}

fn check_expression(input: &str, expression: &Expression) -> Result<(), TestCaseError> {
    prop_assert!(input.get(expression.span.range()).is_some());
    if let Some(text) = expression.literal() {
        for (at, c) in text.as_str().char_indices() {
            let span = text.span_of(at..at + c.len_utf8());
            prop_assert!(input.get(span.range()).is_some());
            prop_assert!(expression.span.contains(span));
        }
    }
    if let Form::List(items) = &expression.form {
        items
            .iter()
            .try_for_each(|item| check_expression(input, item))?;
    }
    if let Form::Object(items) = &expression.form {
        let mut values = items.iter().map(|item| &item.value);
        values.try_for_each(|value| check_expression(input, value))?;
    }
    if let Form::Parens(inner) = &expression.form {
        check_expression(input, inner)?;
    }
    if let Some(call) = expression.call() {
        let mut arguments = call.arguments.iter();
        arguments.try_for_each(|argument| check_expression(input, argument))?;
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_text_makes_it_panic(input in "(?s)[ \\n\\r\t\"\\\\${}%~#/*a-c=<>E:?!&|.,\\[\\]()0-9-한é]{0,80}") {
        let (sources, file) = parse(&input);
        check_body(&input, &file.body)?;
        for fault in &file.faults {
            prop_assert!(input.get(fault.at.range()).is_some());
        }
        for comment in &file.comments {
            prop_assert!(sources.slice(comment.span).starts_with(['#', '/']));
        }
    }

    #[test]
    fn nothing_built_from_real_words_makes_it_panic(words in prop::collection::vec(prop::sample::select(vec![
        "a", " = ", "{\n", "}\n", "\"", "${", "~}", "}", "<<E\n", "<<-E\n", "  E\n", "E\n", "[", "]", "(", ")", "for ",
        " in ", ":", " => ", "...", " if ", "%{ if a }", "%{ else }", "%{ endif }", "%{ for x in y ~}", "%{ endfor }",
        "\\n", "$${", "# c\n", "/*", "*/", "한글", "1.5e3", ".0", ".*", "[*]", " ? ", " : ", "-", "!", "&&", "\r\n", "null",
    ]), 0..40)) {
        let input = words.concat();
        let (_, file) = parse(&input);
        check_body(&input, &file.body)?;
    }
}
