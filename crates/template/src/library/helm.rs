//! Functions of Helm that need no chart.

use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::GoValue;

const TEXT_AND_ANY: Signature = Signature::of(&[Parameter::String, Parameter::Any]);

/// Adds `required`, `include` and `tpl`.
pub fn add_helm(functions: &mut FunctionSet) {
    functions.add("required", TEXT_AND_ANY, |call| {
        let (message, value) = (call.string(0), call.take(1));
        let is_missing = match &value {
            GoValue::Nil => true,
            GoValue::String(text) => text.is_empty(),
            _ => false,
        };
        if is_missing { Err(FunctionError::Told(message.to_text().into_owned())) } else { Ok(value) }
    });
    functions.add("include", TEXT_AND_ANY, |call| {
        let (name, data) = (call.string(0), call.take(1));
        call.engine.include(&name.to_text(), &data).map(GoValue::String)
    });
    functions.add("tpl", TEXT_AND_ANY, |call| {
        let (text, data) = (call.string(0), call.take(1));
        call.engine.evaluate(&text.to_text(), &data).map(GoValue::String)
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::library::fake::{check_errors, check_results, functions};

    #[test]
    fn required_fails_for_nil_and_the_empty_string_only() {
        check_results([
            ("required", json!(["need it", "x"]), "x"),
            ("required", json!(["need it", 0]), "0"),
            ("required", json!(["need it", false]), "false"),
            ("required", json!(["need it", []]), "[]"),
        ]);
        check_errors([("required", json!(["need %d", null]), "need %d"), ("required", json!(["need it", ""]), "need it")]);
    }

    #[test]
    fn include_and_tpl_execute_templates() {
        check_results([
            ("include", json!(["name", 1]), "include name with 1"),
            ("tpl", json!(["{{ . }}", "dot"]), "evaluate {{ . }} with dot"),
        ]);
    }

    #[test]
    fn the_environment_cannot_be_read() {
        let functions = functions();
        for name in ["env", "expandenv", "getHostByName"] {
            assert!(functions.get(name).is_none());
            assert_eq!(functions.forbidden(name).unwrap(), format!("function \"{name}\" is not available in operators"));
        }
    }
}
