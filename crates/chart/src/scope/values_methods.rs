//! The methods of `.Values`.

use kubewright_template::library::data::format_yaml;
use kubewright_template::value::MapType;
use kubewright_template::{FunctionCall, FunctionError, FunctionSet, GoMap, GoValue, Parameter, Signature};

use crate::compat::HelmCompat;
use crate::values::{table_at, value_at};

const NOTHING: Signature = Signature::of(&[]);
const PATH: Signature = Signature::of(&[Parameter::String]);

/// Adds the methods.
pub(crate) fn add_values_methods(functions: &mut FunctionSet, compat: HelmCompat) {
    let named = compat.values_type();
    functions.add_method(named.name, "YAML", NOTHING, |call| {
        let values = call.map(0)?;
        format_yaml(&values.into()).map(GoValue::from).map_err(FunctionError::new)
    });
    functions.add_method(named.name, "AsMap", NOTHING, |call| Ok(call.map(0)?.retyped(MapType::Any).into()));
    functions.add_method(named.name, "Table", PATH, move |call| {
        let (values, path) = receiver_and_path(call)?;
        match table_at(&values, &path) {
            Ok(table) => Ok(table.retyped(MapType::Named(named)).into()),
            Err(missing) => Err(FunctionError::new(format!("{missing:?} is not a table"))),
        }
    });
    functions.add_method(named.name, "PathValue", PATH, |call| {
        let (values, path) = receiver_and_path(call)?;
        if path.is_empty() {
            return Err(FunctionError::new("YAML path cannot be empty"));
        }
        let last = path.rsplit('.').next().unwrap_or_default();
        value_at(&values, &path).ok_or_else(|| FunctionError::new(format!("{last:?} is not a value")))
    });
}

fn receiver_and_path(call: &mut FunctionCall<'_>) -> Result<(GoMap, String), FunctionError> {
    let values = call.map(0)?;
    Ok((values, call.string(1).to_text().into_owned()))
}
