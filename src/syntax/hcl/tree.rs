//! The tree of an HCL file: what is written, before any of it is evaluated.

use crate::syntax::{Comment, Fault};
use crate::text::{Span, Text};

/// What the reader gives back.
#[derive(Debug, Clone)]
pub struct HclFile {
    /// The whole file as a body.
    pub body: Body,
    /// All comments, in order.
    pub comments: Vec<Comment>,
    /// What could not be read; empty when the whole file was.
    pub faults: Vec<Fault>,
    /// What Terraform refuses, but is read as it is meant.
    pub mistakes: Vec<Mistake>,
}

/// Something that Terraform refuses, read as it is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Where.
    pub at: Span,
    /// What it is.
    pub kind: MistakeKind,
    /// What stands there.
    pub written: String,
}

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MistakeKind {
    /// A policy variable of IAM, such as `${aws:username}`, that Terraform takes for an insertion.
    PolicyVariable,
    /// An octal escape in a string with quotes, `\\052`, of which HCL has none.
    OctalEscape,
}

/// The inside of a file or block.
#[derive(Debug, Clone)]
pub struct Body {
    /// `name = expression`, in written order.
    pub attributes: Vec<Attribute>,
    /// Blocks, in written order.
    pub blocks: Vec<Block>,
    /// The bytes between the braces, or the whole file.
    pub span: Span,
}

/// `name = expression`.
#[derive(Debug, Clone)]
pub struct Attribute {
    /// The name.
    pub name: Text,
    /// The expression.
    pub value: Expression,
    /// Name to end of expression.
    pub span: Span,
}

/// `kind "label" … { … }`.
#[derive(Debug, Clone)]
pub struct Block {
    /// The word it begins with, such as `resource`.
    pub kind: Text,
    /// Its labels, bare or quoted.
    pub labels: Vec<Text>,
    /// What stands between its braces.
    pub body: Body,
    /// Kind to last label.
    pub head: Span,
    /// Kind to closing brace.
    pub span: Span,
}

/// An expression and its bytes.
#[derive(Debug, Clone)]
pub struct Expression {
    /// The bytes.
    pub span: Span,
    /// What it is.
    pub form: Form,
}

/// What an expression is.
#[derive(Debug, Clone)]
pub enum Form {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, as it is written.
    Number(String),
    /// A string in quotes or a heredoc.
    Template(Template),
    /// `[a, b]`.
    List(Vec<Expression>),
    /// `{ a = b }`; repeated keys are all there.
    Object(Vec<Item>),
    /// A name alone: the root of a reference, or a `for` variable.
    Variable(Text),
    /// Something followed by `.name`, `[index]` or a splat.
    Traversal(Box<Expression>, Vec<Step>),
    /// `name(arguments)`.
    Call(Box<Call>),
    /// `(inner)`.
    Parens(Box<Expression>),
    /// `condition ? yes : no`.
    Conditional(Box<Conditional>),
    /// `!x` or `-x`.
    Unary(Sign, Box<Expression>),
    /// `a + b - c`: operands of one precedence, taken from left to right.
    Operation(Box<Expression>, Vec<(Operator, Expression)>),
    /// `[for …]` or `{for …}`.
    For(Box<For>),
}

/// A key and a value of an object expression.
#[derive(Debug, Clone)]
pub struct Item {
    /// The key.
    pub key: Key,
    /// The value.
    pub value: Expression,
}

/// The key of an object expression.
#[derive(Debug, Clone)]
pub enum Key {
    /// A bare word: its name, not a reference.
    Name(Text),
    /// Anything else, quoted strings and `(…)` included.
    Expression(Expression),
}

/// One step of a traversal.
#[derive(Debug, Clone)]
pub struct Step {
    /// The bytes, with the dot or the brackets.
    pub span: Span,
    /// What it is.
    pub kind: StepKind,
}

/// What a step of a traversal does.
#[derive(Debug, Clone)]
pub enum StepKind {
    /// `.name`.
    Attribute(Text),
    /// `[expression]`.
    Index(Expression),
    /// `.0`, the old way to write `[0]`.
    OldIndex(String),
    /// `.*`: the following `.name` steps go to each element.
    AttributeSplat,
    /// `[*]`: all following steps go to each element.
    Splat,
}

/// A function call.
#[derive(Debug, Clone)]
pub struct Call {
    /// The function's name, with its `provider::name::` prefix where there is one.
    pub name: Text,
    /// The arguments.
    pub arguments: Vec<Expression>,
    /// Whether the last argument is followed by `...`.
    pub expands: bool,
}

/// `condition ? yes : no`.
#[derive(Debug, Clone)]
pub struct Conditional {
    /// The condition.
    pub condition: Expression,
    /// The value when it is true.
    pub yes: Expression,
    /// The value when it is false.
    pub no: Expression,
}

/// A `for` expression.
#[derive(Debug, Clone)]
pub struct For {
    /// The name of the key or index, where one is given.
    pub key_name: Option<Text>,
    /// The name of the element.
    pub value_name: Text,
    /// What is gone through.
    pub collection: Expression,
    /// The key of each result: present for `{for …}`.
    pub key: Option<Expression>,
    /// Each result.
    pub value: Expression,
    /// Whether results of one key are gathered in lists (`...`).
    pub groups: bool,
    /// Which elements are taken.
    pub condition: Option<Expression>,
}

/// A sign before an operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// `!`
    Not,
    /// `-`
    Minus,
}

/// An operator between two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `/`
    Divide,
    /// `%`
    Remainder,
}

/// How a template is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quote {
    /// `"…"`: backslash escapes are read.
    Double,
    /// `<<WORD` or `<<-WORD`: a backslash is a backslash.
    Heredoc,
}

/// A string with its inserted parts.
#[derive(Debug, Clone)]
pub struct Template {
    /// How it is written.
    pub quote: Quote,
    /// Its parts; at least one.
    pub parts: Vec<Part>,
}

/// A part of a template.
#[derive(Debug, Clone)]
pub enum Part {
    /// Text, with escapes read and heredoc indentation taken away.
    Literal(Text),
    /// `${expression}`.
    Interpolation(Expression),
    /// `%{ if … }`.
    If(Box<IfPart>),
    /// `%{ for … }`.
    For(Box<ForPart>),
}

/// `%{ if condition }yes%{ else }no%{ endif }`.
#[derive(Debug, Clone)]
pub struct IfPart {
    /// The condition.
    pub condition: Expression,
    /// The parts when it is true.
    pub yes: Vec<Part>,
    /// The parts when it is false.
    pub no: Vec<Part>,
    /// The bytes of the whole directive.
    pub span: Span,
}

/// `%{ for key, value in collection }body%{ endfor }`.
#[derive(Debug, Clone)]
pub struct ForPart {
    /// The name of the key or index, where one is given.
    pub key_name: Option<Text>,
    /// The name of the element.
    pub value_name: Text,
    /// What is gone through.
    pub collection: Expression,
    /// The parts of each turn.
    pub body: Vec<Part>,
    /// The bytes of the whole directive.
    pub span: Span,
}

impl Body {
    /// The first attribute of this name.
    #[must_use]
    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name.as_str() == name)
    }

    /// The blocks of this kind.
    pub fn blocks_of<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks
            .iter()
            .filter(move |block| block.kind.as_str() == kind)
    }
}

impl Block {
    /// The label at `at`.
    #[must_use]
    pub fn label(&self, at: usize) -> Option<&str> {
        self.labels.get(at).map(Text::as_str)
    }
}

impl Template {
    /// The text, if nothing is inserted into it.
    #[must_use]
    pub fn literal(&self) -> Option<&Text> {
        match self.parts.as_slice() {
            [Part::Literal(text)] => Some(text),
            _ => None,
        }
    }
}

impl Expression {
    /// The text, if this is a string into which nothing is inserted.
    #[must_use]
    pub fn literal(&self) -> Option<&Text> {
        let Form::Template(template) = &self.form else {
            return None;
        };
        template.literal()
    }

    /// The expression inside any parentheses.
    #[must_use]
    pub fn unwrapped(&self) -> &Self {
        let mut inner = self;
        while let Form::Parens(next) = &inner.form {
            inner = next;
        }
        inner
    }

    /// The function called, if this is a call.
    #[must_use]
    pub fn call(&self) -> Option<&Call> {
        let Form::Call(call) = &self.unwrapped().form else {
            return None;
        };
        Some(call)
    }

    /// Puts the expressions right inside of this one into `open`.
    pub fn parts<'a>(&'a self, open: &mut Vec<&'a Self>) {
        match &self.form {
            Form::Null | Form::Bool(_) | Form::Number(_) | Form::Variable(_) => {}
            Form::Template(template) => template_parts(&template.parts, open),
            Form::List(items) => open.extend(items),
            Form::Object(items) => {
                for item in items {
                    if let Key::Expression(key) = &item.key {
                        open.push(key);
                    }
                    open.push(&item.value);
                }
            }
            Form::Traversal(base, steps) => {
                open.push(base);
                open.extend(steps.iter().filter_map(|step| match &step.kind {
                    StepKind::Index(index) => Some(index),
                    StepKind::Attribute(_)
                    | StepKind::OldIndex(_)
                    | StepKind::AttributeSplat
                    | StepKind::Splat => None,
                }));
            }
            Form::Call(call) => open.extend(&call.arguments),
            Form::Parens(inner) | Form::Unary(_, inner) => open.push(inner),
            Form::Conditional(it) => open.extend([&it.condition, &it.yes, &it.no]),
            Form::Operation(first, rest) => {
                open.push(first);
                open.extend(rest.iter().map(|(_, operand)| operand));
            }
            Form::For(it) => {
                open.extend([&it.collection, &it.value]);
                open.extend(it.key.iter().chain(&it.condition));
            }
        }
    }

    /// Whether a reference that begins with `root` stands anywhere in it.
    #[must_use]
    pub fn mentions(&self, root: &str) -> bool {
        let mut open = vec![self];
        while let Some(next) = open.pop() {
            if matches!(&next.form, Form::Variable(name) if name.as_str() == root) {
                return true;
            }
            next.parts(&mut open);
        }
        false
    }
}

impl Operator {
    /// How it is written.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Or => "||",
            Self::And => "&&",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

fn template_parts<'a>(template: &'a [Part], open: &mut Vec<&'a Expression>) {
    for part in template {
        match part {
            Part::Literal(_) => {}
            Part::Interpolation(inner) => open.push(inner),
            Part::If(it) => {
                open.push(&it.condition);
                template_parts(&it.yes, open);
                template_parts(&it.no, open);
            }
            Part::For(it) => {
                open.push(&it.collection);
                template_parts(&it.body, open);
            }
        }
    }
}
