//! JSON values as Terraform expressions.

use hcl::expr::{FuncCall, Object, ObjectKey, TraversalOperator};
use hcl::{Attribute, Expression, Identifier, Traversal};
use serde_json::Value;

/// `name = value`.
pub(super) fn attribute(name: &str, value: impl Into<Expression>) -> Attribute {
    Attribute::new(Identifier::sanitized(name), value)
}

/// `function(argument)`.
pub(super) fn call(function: &str, argument: Expression) -> Expression {
    let call = FuncCall::builder(Identifier::sanitized(function)).arg(argument);
    Expression::from(call.build())
}

/// A reference such as `aws_iam_role.failover.name`.
pub(super) fn reference(path: &str) -> Expression {
    let mut steps = path.split('.').map(Identifier::sanitized);
    let first = hcl::Variable::from(steps.next().unwrap_or_else(|| Identifier::sanitized("_")));
    let rest: Vec<TraversalOperator> = steps.map(TraversalOperator::GetAttr).collect();
    if rest.is_empty() {
        Expression::Variable(first)
    } else {
        Expression::from(Traversal::new(first, rest))
    }
}

/// A JSON value as an expression, its keys as identifiers where they are ones.
pub(super) fn expression(value: &Value) -> Expression {
    match value {
        Value::Null => Expression::Null,
        Value::Bool(value) => Expression::Bool(*value),
        Value::Number(number) => match number.as_i64() {
            Some(number) => Expression::from(number),
            None => Expression::from(number.as_f64().unwrap_or_default()),
        },
        Value::String(text) => Expression::String(text.clone()),
        Value::Array(items) => Expression::Array(items.iter().map(expression).collect()),
        Value::Object(map) => {
            let mut object = Object::new();
            for (key, value) in map {
                object.insert(object_key(key), expression(value));
            }
            Expression::Object(object)
        }
    }
}

fn object_key(key: &str) -> ObjectKey {
    match Identifier::new(key) {
        Ok(name) => ObjectKey::Identifier(name),
        Err(_) => ObjectKey::Expression(Expression::String(key.to_owned())),
    }
}

/// Puts `with` in the place of every string that is `mark`.
pub(super) fn replace(within: &mut Expression, mark: &str, with: &Expression) {
    if let Expression::Array(items) = within {
        for item in items {
            replace(item, mark, with);
        }
    } else if let Expression::Object(object) = within {
        for value in object.values_mut() {
            replace(value, mark, with);
        }
    } else if matches!(within, Expression::String(text) if text == mark) {
        *within = with.clone();
    }
}
