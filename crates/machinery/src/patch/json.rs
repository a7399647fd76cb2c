//! JSON patches (RFC 6902).

use serde_json::Value;
use thiserror::Error;

/// The most operations that one patch may have.
pub const MAX_OPERATIONS: usize = 10_000;

/// A JSON patch that cannot be read or applied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch is no list of operations.
    #[error("read JSON patch: not a list of operations")]
    Malformed(#[source] serde_json::Error),
    /// The patch has too many operations.
    #[error("apply JSON patch: {found} operations are more than the allowed {MAX_OPERATIONS}")]
    TooLarge {
        /// How many there are.
        found: usize,
    },
    /// An operation cannot be applied to the object; the object is unchanged.
    #[error("apply JSON patch: {0}")]
    Failed(#[source] json_patch::PatchError),
}

/// Applies a JSON patch; when it fails, the object is as it was.
pub fn json_patch(object: &mut Value, patch: &Value) -> Result<(), PatchError> {
    if let Some(found) = patch.as_array().map(Vec::len).filter(|found| *found > MAX_OPERATIONS) {
        return Err(PatchError::TooLarge { found });
    }
    let operations: json_patch::Patch = serde::Deserialize::deserialize(patch).map_err(PatchError::Malformed)?;
    let mut changed = object.clone();
    for operation in &operations.0 {
        if !tests_absence(operation, &changed) {
            json_patch::patch(&mut changed, std::slice::from_ref(operation)).map_err(PatchError::Failed)?;
        }
    }
    *object = changed;
    Ok(())
}

/// Whether an operation tests for null where there is no such field: API servers let that pass.
fn tests_absence(operation: &json_patch::PatchOperation, object: &Value) -> bool {
    let json_patch::PatchOperation::Test(test) = operation else {
        return false;
    };
    let path = test.path.as_str();
    let Some((parent, _)) = path.rsplit_once('/').filter(|_| test.value.is_null()) else {
        return false;
    };
    object.pointer(path).is_none() && object.pointer(parent).is_some_and(Value::is_object)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // PAT-1
    #[test]
    fn operations_apply_in_order() {
        let mut object = json!({"a": {"b": 1}, "l": [1, 2]});
        let patch = json!([
            {"op": "test", "path": "/a/b", "value": 1},
            {"op": "replace", "path": "/a/b", "value": 2},
            {"op": "add", "path": "/l/-", "value": 3},
            {"op": "remove", "path": "/l/0"},
            {"op": "copy", "from": "/a/b", "path": "/c"},
            {"op": "move", "from": "/c", "path": "/d"},
        ]);
        json_patch(&mut object, &patch).unwrap();
        assert_eq!(object, json!({"a": {"b": 2}, "l": [2, 3], "d": 2}));
    }

    // PATCH-2
    #[test]
    fn a_failing_operation_changes_nothing() {
        let mut object = json!({"a": 1});
        for last in [
            json!({"op": "test", "path": "/a", "value": 1}),
            json!({"op": "remove", "path": "/gone"}),
            json!({"op": "add", "path": "/x/y", "value": 1}),
        ] {
            let patch = json!([{"op": "replace", "path": "/a", "value": 2}, last]);
            assert!(matches!(json_patch(&mut object, &patch), Err(PatchError::Failed(_))), "{patch}");
            assert_eq!(object, json!({"a": 1}));
        }
    }

    // FZ-5
    #[test]
    fn a_test_for_null_passes_where_the_field_is_absent() {
        let mut object = json!({"metadata": {}});
        let patch = json!([
            {"op": "test", "path": "/metadata/finalizers", "value": null},
            {"op": "add", "path": "/metadata/finalizers", "value": ["a"]},
        ]);
        json_patch(&mut object, &patch).unwrap();
        assert_eq!(object, json!({"metadata": {"finalizers": ["a"]}}));
        assert!(json_patch(&mut object, &patch).is_err());
        assert!(json_patch(&mut object, &json!([{"op": "test", "path": "/gone/field", "value": null}])).is_err());
    }

    // PATCH-2
    #[test]
    fn what_is_no_list_of_operations_is_malformed() {
        let mut object = json!({});
        for patch in [json!({}), json!([1]), json!([{"op": "bogus", "path": "/a"}]), json!("x")] {
            assert!(matches!(json_patch(&mut object, &patch), Err(PatchError::Malformed(_))), "{patch}");
        }
    }

    // PAT-1
    #[test]
    fn patches_have_a_size_limit() {
        let operation = json!({"op": "test", "path": "/a", "value": 1});
        let mut object = json!({"a": 1});
        json_patch(&mut object, &Value::Array(vec![operation.clone(); MAX_OPERATIONS])).unwrap();
        let error = json_patch(&mut object, &Value::Array(vec![operation; MAX_OPERATIONS + 1])).unwrap_err();
        assert_eq!(error.to_string(), "apply JSON patch: 10001 operations are more than the allowed 10000");
    }
}
