//! Patches: what a body asks to change, and how it is applied to the present object (chapter 2.12 of the behaviour).

use kubewright_machinery::patch::{self, PatchError};
use serde_json::Value;

use crate::{
    kinds::KindSpec,
    patch::strategic_merge,
    status::{Details, Status},
    types::Builtin,
};

/// A patch of one of the types that are understood.
#[derive(Clone, Debug)]
pub(crate) enum Patch {
    /// RFC 6902.
    Json(Value),
    /// RFC 7386.
    Merge(Value),
    /// A merge that knows the type: its definition.
    Strategic(Value, &'static str),
}

impl Patch {
    /// Reads a patch by its `Content-Type`.
    pub(crate) fn parse(content_type: &str, body: &[u8], kind: &KindSpec) -> Result<Self, Status> {
        let read = || {
            serde_json::from_slice::<Value>(body).map_err(|error| Status::bad_request(format!("error decoding patch: {error}")))
        };
        match content_type.split(';').next().unwrap_or_default().trim() {
            "application/json-patch+json" => {
                let patch = read()?;
                if !patch.is_array() {
                    let found = if patch.is_object() { "object" } else { "value" };
                    return Err(Status::bad_request(format!(
                        "error decoding patch: json: cannot unmarshal {found} into Go value of type []handlers.jsonPatchOp"
                    )));
                }
                Ok(Self::Json(patch))
            }
            "application/merge-patch+json" => {
                let patch = read()?;
                if !patch.is_object() {
                    return Err(Status::bad_request(
                        "error decoding patch: json: cannot unmarshal value into Go value of type map[string]interface {}",
                    ));
                }
                Ok(Self::Merge(patch))
            }
            "application/strategic-merge-patch+json" => {
                let Some(builtin) = Builtin::of(kind) else {
                    return Err(Status::unsupported_media_type(
                        "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
                    ));
                };
                let patch = read()?;
                if !patch.is_object() {
                    return Err(Status::bad_request(
                        "error decoding patch: json: cannot unmarshal value into Go value of type map[string]interface {}",
                    ));
                }
                Ok(Self::Strategic(patch, builtin.definition()))
            }
            "application/apply-patch+yaml" => Err(Status::unsupported_media_type(
                "apply patches of this subresource are not supported by this server yet: use application/merge-patch+json or an update",
            )),
            _ => Err(Status::unsupported_media_type("415: Unsupported Media Type").with_details(Details::default())),
        }
    }

    /// Applies the patch.
    pub(crate) fn apply(&self, present: &Value) -> Result<Value, Status> {
        let mut object = present.clone();
        match self {
            Self::Merge(patch) => patch::merge_patch(&mut object, patch),
            // PAT-4: the real server gives no reason.
            Self::Strategic(patch, definition) => {
                strategic_merge(&mut object, patch, definition).map_err(|error| Status::new(500, "", error.to_string()))?;
            }
            Self::Json(operations) => patch::json_patch(&mut object, operations).map_err(|error| match error {
                PatchError::TooLarge { found } => Status::too_large(format!(
                    "Request entity too large: The allowed maximum operations in a JSON patch is {}, got {found}",
                    patch::MAX_OPERATIONS
                )),
                // PATCH-2: unknown operations, missing paths and failed tests look the same.
                _ => Status::new(422, "Invalid", "the server rejected our request due to an error in our request")
                    .with_details(Details::default()),
            })?,
        }
        if object.is_object() { Ok(object) } else { Err(Status::bad_request("the patched object is no JSON object")) }
    }
}
