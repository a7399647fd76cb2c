//! Paths in values: keys between dots.

use kubewright_template::{GoMap, GoValue};

use super::table::key;

/// Returns the table at a path, or the name of the first key that is no table.
pub(crate) fn table_at(values: &GoMap, path: &str) -> Result<GoMap, String> {
    path.split('.').try_fold(values.clone(), |table, name| match table.get(&key(name)) {
        Some(GoValue::Map(inner)) => Ok(inner),
        _ => Err(name.to_owned()),
    })
}

/// Returns the value at a path; None if there is none, or if it is a table.
pub(crate) fn value_at(values: &GoMap, path: &str) -> Option<GoValue> {
    let (table, name) = match path.rsplit_once('.') {
        Some((parent, name)) => (table_at(values, parent).ok()?, name),
        None => (values.clone(), path),
    };
    table.get(&key(name)).filter(|value| !matches!(value, GoValue::Map(_)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::values::table;

    #[test]
    fn tables_and_values_are_found_by_their_paths() {
        let json = json!({"a": {"b": {"c": 1}, "n": null}});
        let values = table(json.as_object().unwrap());
        assert_eq!(table_at(&values, "a.b").unwrap().len(), 1);
        assert_eq!(table_at(&values, "a.n.x").unwrap_err(), "n");
        assert!(matches!(value_at(&values, "a.b.c"), Some(GoValue::Float(_))));
        assert!(matches!(value_at(&values, "a.n"), Some(GoValue::Nil)));
        assert!(value_at(&values, "a.b").is_none());
        assert!(value_at(&values, "x.y").is_none());
    }
}
