//! JSON patches (RFC 6902) as API servers apply them.
//!
//! The implementation is as lenient as the real server where that deviates from the RFC: an absent member can be replaced, copied (it is null) and
//! tested for null; indices may be negative and count from the end; text before the first slash of a path is ignored; an operation without a value
//! sets null.

use serde_json::{Map, Value};
use thiserror::Error;

use super::path::{MAX_COPIED_BYTES, add, copy, get, remove, replace, test};
use crate::object::{MAX_NESTING, dismantle, is_nested_deeper, json_type};

/// The largest number of operations of one patch.
pub const MAX_OPERATIONS: usize = 10_000;

/// The error of a JSON patch that cannot be read or applied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch is not a list.
    #[error("read JSON patch: found {found} instead of a list of operations")]
    NotAList {
        /// The JSON type of the patch.
        found: &'static str,
    },
    /// An item of the patch is not an operation.
    #[error("read JSON patch: item {index} is {found} instead of an operation")]
    NotAnOperation {
        /// The position of the item.
        index: usize,
        /// The JSON type of the item.
        found: &'static str,
    },
    /// A member of an operation is not a text.
    #[error("read JSON patch: {member} of operation {index} is {found} instead of a text")]
    NotAText {
        /// The position of the operation.
        index: usize,
        /// The name of the member: `op`, `path` or `from`.
        member: &'static str,
        /// The JSON type of the member.
        found: &'static str,
    },
    /// The patch has too many operations.
    #[error("apply JSON patch: {found} operations are more than the allowed {MAX_OPERATIONS}")]
    TooLarge {
        /// The number of operations.
        found: usize,
    },
    /// The object would be nested too deep; it is unchanged.
    #[error("apply JSON patch: the object would be nested more than {MAX_NESTING} deep")]
    TooDeep,
    /// An operation cannot be applied to the object; the object is unchanged.
    #[error("apply JSON patch: operation {index}: {problem}")]
    Failed {
        /// The position of the operation.
        index: usize,
        /// The reason of the failure.
        problem: OperationError,
    },
}

/// The reason why an operation cannot be applied.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum OperationError {
    /// The operation is unknown.
    #[error("{0:?} is none of add, remove, replace, move, copy, test")]
    Unknown(String),
    /// A required member of the operation is missing.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// The path does not exist, or no value can be put there.
    #[error("there is no {0:?}")]
    NotFound(String),
    /// The value at the path differs from the tested one.
    #[error("{0:?} is not as tested")]
    Differs(String),
    /// The whole object can only be replaced by an object or a list.
    #[error("the whole object can only become another object or a list")]
    Root,
    /// The copies of the patch exceed their total size.
    #[error("all copies together are more than the allowed {MAX_COPIED_BYTES} bytes")]
    TooMuchCopied,
    /// The copied value is nested too deep.
    #[error("the copied value is nested more than {MAX_NESTING} deep")]
    TooDeep,
}

/// A patch that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct JsonPatch(Vec<JsonPatchOperation>);

#[derive(Clone, Debug, PartialEq)]
struct JsonPatchOperation {
    op: Option<String>,
    path: Option<String>,
    from: Option<String>,
    value: Option<Value>,
}

/// Applies a JSON patch; on failure the object is unchanged.
pub fn json_patch(object: &mut Value, patch: &Value) -> Result<(), PatchError> {
    JsonPatch::parse(patch)?.apply(object)
}

impl JsonPatch {
    /// Reads a patch; null is an empty one.
    pub fn parse(patch: &Value) -> Result<Self, PatchError> {
        let items = match patch {
            Value::Null => &[],
            Value::Array(items) => items.as_slice(),
            other => return Err(PatchError::NotAList { found: json_type(other) }),
        };
        items.iter().enumerate().map(|(index, item)| JsonPatchOperation::parse(index, item)).collect::<Result<_, _>>().map(Self)
    }

    /// Applies the patch; on failure the object is unchanged.
    pub fn apply(&self, object: &mut Value) -> Result<(), PatchError> {
        if self.0.len() > MAX_OPERATIONS {
            return Err(PatchError::TooLarge { found: self.0.len() });
        }
        let mut changed = object.clone();
        let outcome = self.apply_all(&mut changed);
        if outcome.is_ok() {
            *object = changed;
        } else {
            dismantle(changed);
        }
        outcome
    }

    /// Applies all operations. Moves can nest an object much deeper than each single operation, so the nesting is checked once at the end, and no
    /// step before recurses into the object.
    fn apply_all(&self, changed: &mut Value) -> Result<(), PatchError> {
        let mut copied = 0;
        for (index, operation) in self.0.iter().enumerate() {
            operation.apply(changed, &mut copied).map_err(|problem| PatchError::Failed { index, problem })?;
        }
        if is_nested_deeper(changed, MAX_NESTING) { Err(PatchError::TooDeep) } else { Ok(()) }
    }
}

impl JsonPatchOperation {
    fn parse(index: usize, item: &Value) -> Result<Self, PatchError> {
        let empty = Map::new();
        let members = match item {
            Value::Object(members) => members,
            Value::Null => &empty,
            other => return Err(PatchError::NotAnOperation { index, found: json_type(other) }),
        };
        let text = |member: &'static str| match members.get(member) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(other) => Err(PatchError::NotAText { index, member, found: json_type(other) }),
        };
        Ok(Self { op: text("op")?, path: text("path")?, from: text("from")?, value: members.get("value").cloned() })
    }

    fn path(&self) -> Result<&str, OperationError> {
        self.path.as_deref().ok_or(OperationError::Missing("path"))
    }

    fn from(&self) -> Result<&str, OperationError> {
        self.from.as_deref().ok_or(OperationError::Missing("from"))
    }

    fn value(&self) -> Value {
        self.value.clone().unwrap_or_default()
    }

    /// Applies the operation; `copied` is the number of bytes that earlier operations have copied.
    fn apply(&self, document: &mut Value, copied: &mut usize) -> Result<(), OperationError> {
        match self.op.as_deref().unwrap_or_default() {
            "add" => add(document, self.path()?, self.value()),
            "remove" => remove(document, self.path()?).map(dismantle),
            "replace" => replace(document, self.path()?, self.value()),
            "move" => {
                let moved = remove(document, self.from()?)?;
                add(document, self.path()?, moved)
            }
            "copy" => {
                let copy = copy(get(document, self.from()?)?, copied)?;
                add(document, self.path()?, copy)
            }
            "test" => test(document, self.path()?, &self.value()),
            other => Err(OperationError::Unknown(other.to_owned())),
        }
    }
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
            assert!(matches!(json_patch(&mut object, &patch), Err(PatchError::Failed { .. })), "{patch}");
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
    fn an_invalid_list_of_json_patch_operations_is_refused_with_the_reason() {
        let failure = |patch| json_patch(&mut json!({}), &patch).unwrap_err().to_string();
        assert_eq!(failure(json!({})), "read JSON patch: found object instead of a list of operations");
        assert_eq!(failure(json!([1])), "read JSON patch: item 0 is number instead of an operation");
        assert_eq!(failure(json!([{"op": 5}])), "read JSON patch: op of operation 0 is number instead of a text");
        assert!(failure(json!([{"op": "bogus", "path": "/a"}])).contains("none of add"));
        json_patch(&mut json!({}), &Value::Null).unwrap();
    }

    // PAT-1, EVD-1: results recorded from a real API server, in a part of a custom resource.
    #[test]
    fn json_patches_have_the_results_of_the_real_server() {
        for line in include_str!("json_vectors.jsonl").lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            let mut object = case["object"].clone();
            let outcome = json_patch(&mut object, &case["patch"]);
            match case.get("result") {
                Some(result) => assert_eq!((outcome.is_ok(), &object), (true, result), "{line}"),
                None => assert!(outcome.is_err(), "{line}"),
            }
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
    // PAT-1: the real server stops at 3 MiB.
    #[test]
    fn copies_have_a_size_limit_together() {
        let doubling: Vec<Value> =
            (0..40).map(|n| json!({"op": "copy", "from": "/data", "path": format!("/data/k{n}")})).collect();
        let mut object = json!({"data": {"x": "y"}});
        let error = json_patch(&mut object, &doubling.into()).unwrap_err();
        assert!(matches!(error, PatchError::Failed { index: 10..25, problem: OperationError::TooMuchCopied }), "{error}");
        assert_eq!(object, json!({"data": {"x": "y"}}));
        let once = json!([{"op": "copy", "from": "/data", "path": "/copy"}]);
        let mut object = json!({"data": "x".repeat(MAX_COPIED_BYTES - 2)});
        json_patch(&mut object, &once).unwrap();
        let mut object = json!({"data": "x".repeat(MAX_COPIED_BYTES - 1)});
        assert!(json_patch(&mut object, &once).is_err());
    }

    // PAT-1
    #[test]
    fn no_operation_nests_an_object_too_deep() {
        let into = |depth: usize| "/a".repeat(depth);
        let mut object = json!({"a": {}});
        let deepening: Vec<Value> = (2..=MAX_NESTING).map(|n| json!({"op": "add", "path": into(n - 1), "value": {}})).collect();
        json_patch(&mut object, &deepening.into()).unwrap();
        let last = json!({"op": "add", "path": into(MAX_NESTING), "value": {}});
        assert!(matches!(json_patch(&mut object, &json!([last])), Err(PatchError::TooDeep)));
        assert!(!is_nested_deeper(&object, MAX_NESTING));

        // Each round nests the object one level deeper, and neither an error nor a removal recurses into it.
        let round = [
            json!({"op": "add", "path": "/b", "value": {}}),
            json!({"op": "move", "from": "/a", "path": "/b/a"}),
            json!({"op": "move", "from": "/b", "path": "/a"}),
        ];
        let mut moves: Vec<Value> = round.iter().cycle().take(9_999).cloned().collect();
        assert!(matches!(json_patch(&mut object, &moves.clone().into()), Err(PatchError::TooDeep)));
        moves.push(json!({"op": "copy", "from": "/a", "path": "/c"}));
        let error = json_patch(&mut object, &moves.clone().into()).unwrap_err();
        assert!(matches!(error, PatchError::Failed { problem: OperationError::TooDeep, .. }), "{error}");
        moves.pop();
        moves.push(json!({"op": "remove", "path": "/a"}));
        json_patch(&mut object, &moves.into()).unwrap();
        assert_eq!(object, json!({}));
    }
}
