//! Functions of types.

use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::DeepComparison;

const ANY: Signature = Signature::of(&[Parameter::Any]);
const NAME_AND_ANY: Signature = Signature::of(&[Parameter::String, Parameter::Any]);

/// Adds the functions of types.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("typeOf", ANY, |call| Ok(call.take(0).type_name().into()));
    functions.add("typeIs", NAME_AND_ANY, |call| {
        let (name, value) = (call.string(0), call.take(1));
        Ok((name.as_bytes() == value.type_name().as_bytes()).into())
    });
    functions.add("typeIsLike", NAME_AND_ANY, |call| {
        let (name, value) = (call.string(0), call.take(1));
        let type_ = value.type_name();
        let is_like = type_.strip_prefix('*').is_some_and(|pointed| name.as_bytes() == pointed.as_bytes());
        Ok((name.as_bytes() == type_.as_bytes() || is_like).into())
    });
    functions.add("kindOf", ANY, |call| Ok(call.take(0).kind().into()));
    functions.add("kindIs", NAME_AND_ANY, |call| {
        let (name, value) = (call.string(0), call.take(1));
        Ok((name.as_bytes() == value.kind().as_bytes()).into())
    });
    functions.add("deepEqual", Signature::of(&[Parameter::Any, Parameter::Any]), |call| {
        let (left, right) = (call.take(0), call.take(1));
        DeepComparison::new().is_equal(&left, &right).map(Into::into)
    });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::library::fake::check_results;

    #[test]
    fn types_and_kinds_have_the_names_of_go() {
        check_results([
            ("typeOf", json!([1]), "int"),
            ("typeOf", json!([[]]), "[]interface {}"),
            ("typeOf", json!([null]), "<nil>"),
            ("kindOf", json!([{}]), "map"),
            ("kindOf", json!([null]), "invalid"),
            ("kindIs", json!(["slice", []]), "true"),
            ("typeIs", json!(["float64", 1.5]), "true"),
            ("typeIsLike", json!(["*string", "a"]), "false"),
            ("typeIsLike", json!(["string", "a"]), "true"),
            ("deepEqual", json!([[1], [1]]), "true"),
            ("deepEqual", json!([[1], [1.5]]), "false"),
            ("deepEqual", json!([null, null]), "true"),
        ]);
    }
}
