//! Conversion of conditions between versions of an API.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::{ConditionsError, READY, SUCCEEDED};

/// Copies from a status to that of another version of the API: the observed generation, the annotations if there are any, and of the conditions
/// `Ready`, `Succeeded`, and those of the types that `keep` picks. Other conditions, which are details of one version, are not in the result.
///
/// Both statuses may have any type whose JSON has these fields, [`KStatus`](super::KStatus) and [`Value`] among them. Other fields of `to` are kept.
pub fn convert_conditions<F, T>(from: &F, to: &mut T, keep: impl Fn(&str) -> bool) -> Result<(), ConditionsError>
where
    F: Serialize,
    T: Serialize + DeserializeOwned,
{
    let source = serde_json::to_value(from).map_err(ConditionsError::of::<F>)?;
    let mut target = match serde_json::to_value(&*to).map_err(ConditionsError::of::<T>)? {
        Value::Object(fields) => fields,
        _ => Map::new(),
    };
    let is_kept = |condition: &Value| {
        let type_ = condition.get("type").and_then(Value::as_str).unwrap_or_default();
        type_ == READY || type_ == SUCCEEDED || keep(type_)
    };
    let conditions = source.get("conditions").and_then(Value::as_array).into_iter().flatten();
    let conditions: Vec<Value> = conditions.filter(|condition| is_kept(condition)).cloned().collect();
    if conditions.is_empty() {
        target.remove("conditions");
    } else {
        target.insert("conditions".to_owned(), Value::Array(conditions));
    }
    match source.get("observedGeneration") {
        Some(generation) => target.insert("observedGeneration".to_owned(), generation.clone()),
        None => target.remove("observedGeneration"),
    };
    if let Some(annotations) = source.get("annotations").filter(|annotations| !annotations.is_null()) {
        target.insert("annotations".to_owned(), annotations.clone());
    }
    *to = serde_json::from_value(Value::Object(target)).map_err(ConditionsError::of::<T>)?;
    Ok(())
}
