//! Tree to policy. Nothing is dropped: what has no right shape becomes [`Malformed`], what cannot be known [`UnknownPart`].

use crate::syntax::pointer::Pointer;
use crate::syntax::{Entry, Kind, Node, Standing, Unknown, pointer};
use crate::text::{Located, Span, Text, nearest};

use super::document::{Malformed, PolicyDocument, PolicyKind, UnknownPart};
use super::operator::Operator;
use super::statement::{
    Condition, Effect, Elements, Partial, Principal, Principals, Statement, Value,
};

impl PolicyDocument {
    /// Whether a tree looks like a policy: an object with `Statement` whose statements have an `Effect`, or with a
    /// policy `Version`.
    #[must_use]
    pub fn recognises(root: &Node) -> bool {
        let Some(statement) = root.get("Statement") else {
            return lacks_statement(root);
        };
        let has_effect = |node: &Node| node.get("Effect").is_some();
        let version = root.get("Version").and_then(Node::as_str);
        version.is_some_and(|version| version.starts_with("20"))
            || has_effect(statement)
            || statement
                .as_list()
                .is_some_and(|list| list.iter().any(has_effect))
    }

    /// Reads a policy. With `kind` absent it is guessed: principals and nothing but `sts:` role actions make a trust
    /// policy, other principals a resource policy, no principals an identity policy.
    #[must_use]
    pub fn read(root: Node, kind: Option<PolicyKind>, address: Option<String>) -> Self {
        let mut reader = Reader::default();
        let (version, id, statements) = reader.document(&root);
        let kind_is_given = kind.is_some();
        let kind = kind.unwrap_or_else(|| guessed(&statements));
        let Reader {
            malformed, unknown, ..
        } = reader;
        Self {
            address,
            place: String::new(),
            bare: false,
            kind,
            kind_is_given,
            root,
            version,
            id,
            statements,
            malformed,
            unknown,
        }
    }
}

/// Whether nothing but its statements is missing or misspelt: a version of the policy language stands for a policy.
fn lacks_statement(root: &Node) -> bool {
    let version = root.get("Version").and_then(Node::as_str);
    let of_policies = matches!(version, Some("2012-10-17" | "2008-10-17"));
    let mut entries = root.as_map().into_iter().flatten();
    let alone = entries.all(|entry| matches!(entry.key.as_str(), "Version" | "Id"));
    of_policies && (alone || is_meant(root, "Statement", &TOP))
}

/// The elements of a policy.
const TOP: [&str; 3] = ["Version", "Id", "Statement"];

/// The elements of a statement.
const OF_STATEMENTS: [&str; 9] = [
    "Sid",
    "Effect",
    "Principal",
    "NotPrincipal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
];

/// The element that a misspelt one was meant to be.
fn meant(written: &str, known: &'static [&'static str]) -> Option<&'static str> {
    if known.contains(&written) {
        return None;
    }
    let same = |word: &&&str| word.eq_ignore_ascii_case(written);
    let folded = known.iter().find(same).copied();
    folded.or_else(|| nearest(written, known.iter().copied()))
}

fn did_you_mean(written: &str, known: &'static [&'static str]) -> String {
    meant(written, known).map_or_else(String::new, |word| format!("did you mean `{word}`? "))
}

/// Whether `node` has an element that was meant to be `word`.
fn is_meant(node: &Node, word: &str, known: &'static [&'static str]) -> bool {
    let mut entries = node.as_map().into_iter().flatten();
    entries.any(|entry| meant(entry.key.as_str(), known) == Some(word))
}

fn guessed(statements: &[Statement]) -> PolicyKind {
    if statements
        .iter()
        .all(|statement| statement.principals.is_none())
    {
        return PolicyKind::Identity;
    }
    let assumes = |action: &str| {
        let action = action.to_ascii_lowercase();
        [
            "sts:assumerole",
            "sts:tagsession",
            "sts:setsourceidentity",
            "sts:setcontext",
        ]
        .iter()
        .any(|p| action.starts_with(p))
    };
    let actions: Vec<&str> = statements
        .iter()
        .filter_map(|statement| statement.actions.as_ref())
        .flat_map(Elements::strings)
        .collect();
    // A trust policy has no `Resource`; one that has is no policy of an endpoint or of an organisation either, where each
    // statement names somebody.
    let names_somebody = |statement: &Statement| {
        let principals = statement.principals.as_ref();
        principals.is_some_and(|principals| {
            let mut entries = principals.entries.iter();
            !principals.negated && entries.all(|entry| entry.value.text.as_str() != "*")
        })
    };
    let mut all = statements.iter();
    let of_trust = all.all(|one| one.resources.is_none() || names_somebody(one));
    if of_trust && !actions.is_empty() && actions.into_iter().all(assumes) {
        PolicyKind::Trust
    } else {
        PolicyKind::Resource
    }
}

/// The strings that are known of a list that is not known as a whole.
fn known_of(value: &Node, at: &str) -> Vec<Value> {
    let items = value.as_list().unwrap_or(std::slice::from_ref(value));
    let parts = items.iter().filter_map(Node::as_unknown);
    let texts = parts.flat_map(|unknown| &unknown.parts);
    let texts = texts.filter_map(|part| part.node.as_text());
    texts
        .map(|text| Value {
            text: text.clone(),
            pointer: Pointer::to(at),
        })
        .collect()
}

#[derive(Default)]
struct Reader {
    malformed: Vec<Malformed>,
    unknown: Vec<UnknownPart>,
    /// Whether what is read may have more entries than stand there.
    open: bool,
}

type Top = (Option<Text>, Option<Text>, Vec<Statement>);

impl Reader {
    fn document(&mut self, root: &Node) -> Top {
        let Some(entries) = self.map(
            root,
            "",
            "a policy is an object with `Version` and `Statement`",
        ) else {
            return (None, None, Vec::new());
        };
        let (mut version, mut id, mut statements) = (None, None, None);
        for Entry { key, value } in entries {
            let at = pointer::join("", key.as_str());
            match key.as_str() {
                "Version" => version = self.string(value, &at, "`Version` is a string, \"2012-10-17\""),
                "Id" => id = self.string(value, &at, "`Id` is a string"),
                "Statement" => statements = Some(self.statements(value, &at)),
                other => self.malform(&at, key.span(), format!(
                    "`{other}` is no element of a policy; {}allowed are `Version`, `Id` and `Statement`",
                    did_you_mean(other, &TOP)
                )),
            }
        }
        if statements.is_none() && !is_meant(root, "Statement", &TOP) {
            self.malform("", root.span(), "`Statement` is missing".to_owned());
        }
        (version, id, statements.unwrap_or_default())
    }

    fn statements(&mut self, value: &Node, at: &str) -> Vec<Statement> {
        match &value.kind {
            Kind::List(items) => {
                if items.is_empty() {
                    self.malform(
                        at,
                        value.span(),
                        "`Statement` is empty; it needs at least one statement".to_owned(),
                    );
                }
                let mut read = Vec::new();
                for (index, item) in items.iter().enumerate() {
                    let at = pointer::join(at, index);
                    if let Kind::Unknown(unknown) = &item.kind {
                        self.wrong(item, &at, "a statement is an object");
                        self.parts(unknown, index, &at, &mut read);
                    } else {
                        read.extend(self.statement(item, index, at));
                    }
                }
                read
            }
            Kind::Unknown(unknown) => {
                self.wrong(value, at, "`Statement` is a list of objects");
                let mut read = Vec::new();
                self.parts(unknown, 0, at, &mut read);
                read
            }
            Kind::Map(_) => self
                .statement(value, 0, at.to_owned())
                .into_iter()
                .collect(),
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) => {
                self.wrong(value, at, "`Statement` is a list of objects");
                Vec::new()
            }
        }
    }

    /// The statements that are known of a list that is not known as a whole. One that only may be there, or may say more,
    /// is incomplete: nothing is concluded from its being there.
    fn parts(&mut self, unknown: &Unknown, index: usize, at: &str, read: &mut Vec<Statement>) {
        for part in &unknown.parts {
            match &part.node.kind {
                Kind::Unknown(inner) => self.parts(inner, index, at, read),
                Kind::Map(_) => {
                    let outer = std::mem::replace(&mut self.open, part.standing == Standing::Open);
                    let statement = self.statement(&part.node, index, at.to_owned());
                    self.open = outer;
                    read.extend(statement.map(|mut statement| {
                        statement.possible |= part.standing == Standing::Possible;
                        statement.incomplete |= part.standing != Standing::Certain;
                        statement.open_conditions |= part.standing == Standing::Open;
                        statement
                    }));
                }
                Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::Text(_) | Kind::List(_) => {}
            }
        }
    }

    fn statement(&mut self, node: &Node, index: usize, at: String) -> Option<Statement> {
        let before = self.malformed.len() + self.unknown.len();
        let entries = self.map(node, &at, "a statement is an object")?;
        let mut statement = Statement {
            index,
            span: node.span(),
            pointer: at,
            sid: None,
            effect: None,
            actions: None,
            resources: None,
            principals: None,
            conditions: Vec::new(),
            condition_key: None,
            open_conditions: false,
            open: self.open,
            possible: false,
            incomplete: false,
        };
        for entry in entries {
            self.element(&mut statement, entry);
        }
        self.required(node, &statement);
        statement.incomplete = self.malformed.len() + self.unknown.len() > before;
        Some(statement)
    }

    fn element(&mut self, statement: &mut Statement, Entry { key, value }: &Entry) {
        let at = pointer::join(&statement.pointer, key.as_str());
        let twice = |taken: bool, reader: &mut Self, pair: &str| {
            if taken {
                reader.malform(
                    &at,
                    key.span(),
                    format!("a statement has either {pair}, not both"),
                );
            }
        };
        match key.as_str() {
            "Sid" => statement.sid = self.string(value, &at, "`Sid` is a string of letters and digits"),
            "Effect" => statement.effect = self.effect(value, &at),
            "Action" | "NotAction" => {
                let other = statement.actions.as_ref().is_some_and(|other| other.key != *key);
                twice(other, self, "`Action` or `NotAction`");
                let read = self.elements(key, value, at);
                keep(&mut statement.actions, read, |list| list.negated);
            }
            "Resource" | "NotResource" => {
                let other = statement.resources.as_ref().is_some_and(|other| other.key != *key);
                twice(other, self, "`Resource` or `NotResource`");
                let read = self.elements(key, value, at);
                keep(&mut statement.resources, read, |list| list.negated);
            }
            "Principal" | "NotPrincipal" => {
                let other = statement.principals.as_ref().is_some_and(|other| other.key != *key);
                twice(other, self, "`Principal` or `NotPrincipal`");
                let read = self.principals(key, value, &at);
                keep(&mut statement.principals, read, |list| list.negated);
            }
            "Condition" => {
                statement.condition_key = Some(key.clone());
                let blocks = value.as_map().unwrap_or_default().iter().map(|entry| &entry.value);
                let mut parts = std::iter::once(value).chain(blocks);
                statement.open_conditions = parts.any(|part| part.as_unknown().is_some());
                self.conditions(value, &at, &mut statement.conditions);
            }
            other => self.malform(&at, key.span(), format!(
                "`{other}` is no element of a statement; {}allowed are Sid, Effect, Principal, NotPrincipal, Action, \
                 NotAction, Resource, NotResource and Condition",
                did_you_mean(other, &OF_STATEMENTS)
            )),
        }
    }

    fn required(&mut self, node: &Node, statement: &Statement) {
        if self.open {
            return;
        }
        let span = node.span().slice(0, 1);
        // What is only misspelt is told where it stands.
        if node.get("Effect").is_none() && !is_meant(node, "Effect", &OF_STATEMENTS) {
            self.malform(
                &statement.pointer,
                span,
                "`Effect` is missing; allowed are `Allow` and `Deny`".to_owned(),
            );
        }
        if statement.actions.is_none() && !is_meant(node, "Action", &OF_STATEMENTS) {
            self.malform(&statement.pointer, span, "`Action` is missing".to_owned());
        }
    }

    fn effect(&mut self, value: &Node, at: &str) -> Option<Located<Effect>> {
        let text = self.string(value, at, "`Effect` is `Allow` or `Deny`")?;
        let effect = match text.as_str() {
            "Allow" => Effect::Allow,
            "Deny" => Effect::Deny,
            other => {
                self.malform(at, text.span(), format!("`{other}` is no effect; allowed are `Allow` and `Deny`, in this case of letters"));
                return None;
            }
        };
        Some(Located {
            value: effect,
            origin: text.origin(),
        })
    }

    fn elements(&mut self, key: &Text, value: &Node, at: String) -> Elements {
        let before = self.malformed.len() + self.unknown.len();
        let name = key.as_str();
        let values = self.strings(
            value,
            &at,
            &format!("`{name}` is a string or a list of strings"),
        );
        if value.as_list().is_some_and(<[Node]>::is_empty) {
            self.malform(
                &at,
                value.span(),
                format!("`{name}` is empty; it needs at least one value"),
            );
        }
        let mut values = values;
        if !name.starts_with("Not") {
            values.extend(known_of(value, &at));
        }
        let incomplete = self.malformed.len() + self.unknown.len() > before;
        Elements {
            negated: name.starts_with("Not"),
            key: key.clone(),
            span: value.span(),
            pointer: at,
            values,
            incomplete,
        }
    }

    fn principals(&mut self, key: &Text, value: &Node, at: &str) -> Principals {
        let before = self.malformed.len() + self.unknown.len();
        let mut entries = Vec::new();
        match &value.kind {
            Kind::Text(text) if text.as_str() == "*" => {
                entries.push(Principal {
                    kind: None,
                    value: Value {
                        text: text.clone(),
                        pointer: Pointer::to(at),
                    },
                });
            }
            Kind::Map(kinds) => {
                for Entry { key: kind, value } in kinds {
                    let at = pointer::join(at, kind.as_str());
                    let values =
                        self.strings(value, &at, "a principal is a string or a list of strings");
                    entries.extend(values.into_iter().map(|value| Principal {
                        kind: Some(kind.clone()),
                        value,
                    }));
                }
            }
            Kind::Null
            | Kind::Bool(_)
            | Kind::Number(_)
            | Kind::Text(_)
            | Kind::List(_)
            | Kind::Unknown(_) => {
                let shape =
                    "a principal is `\"*\"` or an object such as {\"Federated\": \"arn:…\"}";
                self.wrong(value, at, shape);
            }
        }
        let incomplete = self.malformed.len() + self.unknown.len() > before;
        Principals {
            negated: key.as_str() == "NotPrincipal",
            key: key.clone(),
            span: value.span(),
            entries,
            incomplete,
        }
    }

    fn conditions(&mut self, value: &Node, at: &str, found: &mut Vec<Condition>) {
        let Some(blocks) = self.map(value, at, "`Condition` is an object of operators") else {
            return;
        };
        for Entry {
            key: operator,
            value: block,
        } in blocks
        {
            let block_at = pointer::join(at, operator.as_str());
            let shape = "an operator holds an object of condition keys";
            for Entry { key, value } in self.map(block, &block_at, shape).unwrap_or_default() {
                let before = self.unknown.len() + self.malformed.len();
                let at = pointer::join(&block_at, key.as_str());
                let values = self.condition_values(value, &at);
                found.push(Condition {
                    operator: Operator::parse(operator.as_str()),
                    operator_text: operator.clone(),
                    block: block.span(),
                    block_pointer: block_at.clone(),
                    key: key.clone(),
                    partial: partial(value, &at),
                    pointer: at,
                    span: value.span(),
                    listed: value.as_list().is_some(),
                    values,
                    incomplete: self.unknown.len() + self.malformed.len() > before,
                });
            }
        }
    }

    /// Strings, numbers and truth values, alone or in a list.
    fn condition_values(&mut self, value: &Node, at: &str) -> Vec<Value> {
        self.values(value, at, |node| match &node.kind {
            Kind::Text(text) => Ok(text.clone()),
            Kind::Bool(value) => Ok(Text::whole(value.to_string(), node.origin.clone())),
            Kind::Number(digits) => Ok(Text::whole(digits.clone(), node.origin.clone())),
            Kind::Null | Kind::List(_) | Kind::Map(_) | Kind::Unknown(_) => {
                Err("a condition value is a string, a number or a truth value")
            }
        })
    }

    fn strings(&mut self, value: &Node, at: &str, shape: &str) -> Vec<Value> {
        self.values(value, at, |node| node.as_text().cloned().ok_or(shape))
    }

    /// A value or a list of values, as `read` takes them.
    fn values<'a>(
        &mut self,
        value: &Node,
        at: &str,
        read: impl Fn(&Node) -> Result<Text, &'a str>,
    ) -> Vec<Value> {
        let pointer = Pointer::to(at);
        let (items, listed) = match value.as_list() {
            Some(items) => (items, true),
            None => (std::slice::from_ref(value), false),
        };
        let mut values = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let pointer = match listed {
                true => pointer.element(index),
                false => pointer.clone(),
            };
            match read(item) {
                Ok(text) => values.push(Value { text, pointer }),
                Err(shape) => self.wrong(item, &pointer.to_string(), shape),
            }
        }
        values
    }

    fn string(&mut self, value: &Node, at: &str, shape: &str) -> Option<Text> {
        if let Kind::Text(text) = &value.kind {
            return Some(text.clone());
        }
        self.wrong(value, at, shape);
        None
    }

    fn map<'a>(&mut self, value: &'a Node, at: &str, shape: &str) -> Option<&'a [Entry]> {
        if let Kind::Map(entries) = &value.kind {
            return Some(entries);
        }
        self.wrong(value, at, shape);
        None
    }

    /// A value of the wrong kind, or one that is not known.
    fn wrong(&mut self, value: &Node, at: &str, shape: &str) {
        if let Kind::Unknown(unknown) = &value.kind {
            self.unknown.push(UnknownPart {
                pointer: at.to_owned(),
                at: value.span(),
                unknown: (**unknown).clone(),
            });
        } else {
            self.malform(
                at,
                value.span(),
                format!("{shape}, not {}", value.kind_name()),
            );
        }
    }

    fn malform(&mut self, pointer: &str, at: Span, message: String) {
        self.malformed.push(Malformed {
            pointer: pointer.to_owned(),
            at,
            message,
        });
    }
}

/// The strings that are known in part, alone or in a list.
fn partial(value: &Node, at: &str) -> Vec<Partial> {
    let of = |node: &Node, pointer: String| {
        let around = node.as_unknown()?.around.clone();
        (!around.is_empty()).then(|| Partial {
            around,
            span: node.span(),
            pointer,
        })
    };
    match value.as_list() {
        Some(items) => {
            let items = items.iter().enumerate();
            items
                .filter_map(|(index, item)| of(item, pointer::join(at, index)))
                .collect()
        }
        None => of(value, at.to_owned()).into_iter().collect(),
    }
}

/// Keeps what was read, unless it turns round what stands there: of `Action` beside `NotAction`, which AWS refuses together,
/// the list that says less is judged on.
fn keep<T>(kept: &mut Option<T>, read: T, negated: impl Fn(&T) -> bool) {
    if !negated(&read) || kept.as_ref().is_none_or(negated) {
        *kept = Some(read);
    }
}

#[cfg(test)]
mod tests {
    use super::super::PolicyVersion;
    use super::*;
    use crate::syntax::json;
    use crate::text::SourceMap;

    fn read(input: &str) -> (SourceMap, PolicyDocument) {
        let mut sources = SourceMap::default();
        let file = sources.add("p.json", input);
        let root = json::read(&sources.text(file).unwrap()).documents.remove(0);
        (sources, PolicyDocument::read(root, None, None))
    }

    #[test]
    fn every_part_knows_its_bytes_and_its_pointer() {
        let (sources, policy) = read(
            r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":["route53:ChangeResourceRecordSets"],
            "Resource":"*","Condition":{"ForAllValues:StringEquals":{"k":["a","b"]},"Bool":{"x":true}}}}"#,
        );
        let statement = &policy.statements[0];
        assert_eq!(policy.grammar(), PolicyVersion::V2012);
        assert!(statement.allows() && statement.covers_action("route53:changeresourcerecordsets"));
        let b = &statement.conditions[0].values[1];
        assert_eq!(
            b.pointer.to_string(),
            "/Statement/Condition/ForAllValues:StringEquals/k/1"
        );
        assert_eq!(sources.slice(b.text.span()), "\"b\"");
        assert_eq!(statement.conditions[1].values[0].text.as_str(), "true");
        assert_eq!(policy.malformed, []);
    }

    #[test]
    fn a_wrong_shape_is_told_and_the_rest_is_read() {
        let (_, policy) =
            read(r#"{"Statement":[{"Effect":"allow","Action":[1,"a:b"],"Foo":1},7]}"#);
        let told: Vec<_> = policy
            .malformed
            .iter()
            .map(|m| m.pointer.as_str())
            .collect();
        assert_eq!(
            told,
            [
                "/Statement/0/Effect",
                "/Statement/0/Action/0",
                "/Statement/0/Foo",
                "/Statement/1"
            ]
        );
        let statement = &policy.statements[0];
        assert!(statement.incomplete && statement.covers_action("a:b"));
    }

    #[test]
    fn of_a_list_beside_its_reverse_the_list_counts() {
        for statement in [
            r#"{"Effect":"Allow","Action":"s3:GetObject","NotAction":"iam:*","NotResource":"x","Resource":"y"}"#,
            r#"{"Effect":"Allow","NotAction":"iam:*","Action":"s3:GetObject","Resource":"y","NotResource":"x"}"#,
        ] {
            let (_, policy) = read(&format!(r#"{{"Statement":[{statement}]}}"#));
            assert_eq!(policy.malformed.len(), 2, "{statement}");
            let statement = &policy.statements[0];
            let lists = [&statement.actions, &statement.resources];
            let lists = lists.map(|list| list.as_ref().unwrap());
            assert!(statement.incomplete && lists.iter().all(|list| !list.negated));
            assert_eq!(
                lists.map(|list| list.strings().next().unwrap()),
                ["s3:GetObject", "y"]
            );
        }
    }

    #[test]
    fn the_kind_is_guessed_from_principals_and_actions() {
        let trust = r#"{"Statement":[{"Effect":"Allow","Principal":{"Federated":"x"},"Action":"sts:AssumeRoleWithWebIdentity"}]}"#;
        assert_eq!(read(trust).1.kind, PolicyKind::Trust);
        let limited = trust.replace("\"Action\"", "\"Resource\":\"*\",\"Action\"");
        assert_eq!(read(&limited).1.kind, PolicyKind::Trust);
        // Policies of an endpoint and of an organisation look so.
        let anybody = limited.replace(r#"{"Federated":"x"}"#, "\"*\"");
        assert_eq!(read(&anybody).1.kind, PolicyKind::Resource);
        let bucket = r#"{"Statement":[{"Effect":"Allow","Principal":"*","Action":"s3:GetObject","Resource":"*"}]}"#;
        assert_eq!(read(bucket).1.kind, PolicyKind::Resource);
        assert_eq!(read(r#"{"Statement":[]}"#).1.kind, PolicyKind::Identity);
    }
}
