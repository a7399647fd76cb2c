//! Functions of defaults and of choice.

use super::printing::is_empty;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::GoValue;

const ALL: Signature = Signature::variadic(&[], Parameter::Any);

/// Adds the functions of defaults.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("default", Signature::variadic(&[Parameter::Any], Parameter::Any), |call| {
        let (default, given) = (call.take(0), call.take(1));
        Ok(if is_empty(&given) { default } else { given })
    });
    functions.add("empty", Signature::of(&[Parameter::Any]), |call| Ok(is_empty(&call.take(0)).into()));
    functions.add("coalesce", ALL, |call| Ok(call.rest(0).into_iter().find(|value| !is_empty(value)).unwrap_or_default()));
    functions.add("all", ALL, |call| Ok(call.rest(0).iter().all(|value| !is_empty(value)).into()));
    functions.add("any", ALL, |call| Ok(call.rest(0).iter().any(|value| !is_empty(value)).into()));
    functions.add("ternary", Signature::of(&[Parameter::Any, Parameter::Any, Parameter::Bool]), |call| {
        let index = usize::from(!call.bool(2));
        Ok(call.take(index))
    });
    functions.add("fail", Signature::of(&[Parameter::String]), |call| {
        Err::<GoValue, _>(FunctionError::Told(call.string(0).to_text().into_owned()))
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::library::fake::{check_errors, check_results};

    #[test]
    fn empty_values_have_defaults() {
        check_results([
            ("default", json!(["d", "x"]), "x"),
            ("default", json!(["d", ""]), "d"),
            ("default", json!(["d", 0]), "d"),
            ("default", json!(["d", null]), "d"),
            ("default", json!(["d"]), "d"),
            ("default", json!([null, []]), "<no value>"),
            ("empty", json!([" "]), "false"),
            ("empty", json!([{}]), "true"),
            ("coalesce", json!([null, "", 0, "x", "y"]), "x"),
            ("coalesce", json!([]), "<no value>"),
            ("all", json!([1, true, "x"]), "true"),
            ("all", json!([1, 0]), "false"),
            ("all", json!([]), "true"),
            ("any", json!([0, "", null]), "false"),
            ("any", json!([0, 1]), "true"),
            ("ternary", json!(["a", "b", true]), "a"),
            ("ternary", json!(["a", "b", false]), "b"),
        ]);
        check_errors([("fail", json!(["boom %d"]), "boom %d")]);
    }
}
