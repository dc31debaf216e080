//! What of a spec's values does not fit its schema, as the `jsonschema` crate sees it.

use serde_json::Value;

use super::fits::Misfit;

/// Everything of `value` that `schema` refuses. A schema that is none refuses everything.
pub(super) fn misfits(schema: &Value, value: &Value) -> Vec<Misfit> {
    let Ok(validator) = jsonschema::validator_for(schema) else {
        return vec![Misfit {
            at: String::new(),
            rule: String::new(),
        }];
    };
    of(&validator, value)
}

/// The same, with a schema that is compiled already.
pub(super) fn of(validator: &jsonschema::Validator, value: &Value) -> Vec<Misfit> {
    let misfit = |error: jsonschema::ValidationError<'_>| Misfit {
        at: error.instance_path().as_str().to_owned(),
        rule: error.schema_path().as_str().to_owned(),
    };
    validator.iter_errors(value).map(misfit).collect()
}
