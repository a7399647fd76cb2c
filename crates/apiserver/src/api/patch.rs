//! Patches and their application to the current object (apiserver.md, 2.12).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_machinery::patch::{self, JsonPatch, PatchError};
use kubewright_middleware::status::{Details, Status};
use kubewright_schema::{FieldError, FieldReason};
use serde_json::{Map, Value};

use super::ObjectApi;
use super::update::Update;
use super::write::{WriteContext, WriteOutcome};
use crate::json::{self, JsonDocument};
use crate::kinds::KindSpec;
use crate::patch::{StrategicError, strategic_merge};
use crate::status::StatusExt as _;
use crate::types::Builtin;

/// The members of a JSON patch operation.
const OPERATION: [&str; 4] = ["op", "path", "from", "value"];

/// A patch for [`ObjectApi::patch`]. The error of an invalid patch is reported when it is applied, since a missing object is reported first.
#[derive(Clone, Debug)]
pub struct PatchRequest {
    change: Result<PatchContent, Status>,
    /// Repeated and unknown fields of the patch itself.
    found: Vec<String>,
    /// True if a part of the patch was nested too deeply to be read.
    is_cut: bool,
}

#[derive(Clone, Debug)]
enum PatchContent {
    /// A JSON patch, RFC 6902.
    Json(JsonPatch),
    /// A merge patch, RFC 7386.
    Merge(Value),
    /// A strategic merge patch, with the definition of the type.
    Strategic(Value, &'static str),
}

impl PatchRequest {
    /// Reads a JSON patch, RFC 6902: a list of operations.
    pub fn json(text: impl AsRef<[u8]>) -> Self {
        Self::read(text.as_ref(), "error decoding patch: ", json_patch)
    }

    /// Reads a merge patch, RFC 7386: an object, in which null removes a member.
    pub fn merge(text: impl AsRef<[u8]>) -> Self {
        Self::read(text.as_ref(), "error decoding patch: ", |patch| match patch {
            Value::Object(_) => Ok(PatchContent::Merge(patch)),
            Value::Null => Err(Status::bad_request("Invalid JSON Patch")),
            other => Err(cannot_unmarshal("error decoding patch: ", &other, "map[string]interface {}")),
        })
    }

    /// Reads a strategic merge patch of objects of a built-in kind, which merges lists by the keys of their items.
    ///
    /// # Errors
    ///
    /// Returns 415 for custom resources, whose types do not carry enough information.
    pub fn strategic(kind: &KindSpec, text: impl AsRef<[u8]>) -> Result<Self, Status> {
        let unsupported = || {
            let kind = kind.qualified_resource();
            Status::unsupported_media_type(format!(
                "strategic merge patches are not supported for {kind}, which is no built-in kind"
            ))
        };
        let builtin = Builtin::of(kind).ok_or_else(unsupported)?;
        Ok(Self::strategic_of(builtin.definition(), text.as_ref()))
    }

    /// Reads a strategic merge patch of objects of a built-in type with this definition.
    pub(crate) fn strategic_of(definition: &'static str, text: &[u8]) -> Self {
        Self::read(text, "", |patch| match patch {
            Value::Object(_) => Ok(PatchContent::Strategic(patch, definition)),
            Value::Null => Ok(PatchContent::Strategic(Value::Object(Map::new()), definition)),
            other => Err(cannot_unmarshal("", &other, "map[string]interface {}")),
        })
    }

    fn read(body: &[u8], context: &str, change: impl FnOnce(Value) -> Result<PatchContent, Status>) -> Self {
        let JsonDocument { value: patch, repeated, is_cut } = match json::parse(json::text(body).as_bytes()) {
            Ok(read) => read,
            Err(error) => {
                let problem = json::problem(body, &error);
                return Self {
                    change: Err(Status::bad_request(format!("{context}{problem}"))),
                    found: Vec::new(),
                    is_cut: false,
                };
            }
        };
        let of_list = if patch.is_array() { "json patch " } else { "" };
        let mut found: Vec<_> = repeated.into_iter().map(|path| format!("{of_list}duplicate field {path:?}")).collect();
        for (index, operation) in patch.as_array().into_iter().flatten().enumerate() {
            let members = operation.as_object().into_iter().flat_map(Map::keys);
            let unknown = members.filter(|member| !OPERATION.contains(&member.as_str()));
            found.extend(unknown.map(|member| format!("json patch unknown field {:?}", format!("[{index}].{member}"))));
        }
        Self { change: change(patch), found, is_cut }
    }

    /// Applies the patch.
    pub(crate) fn apply(&self, context: &mut WriteContext<'_>, present: &Value) -> Result<Value, Status> {
        let change = self.change.as_ref().map_err(Clone::clone)?;
        context.found.extend(self.found.iter().cloned());
        context.is_cut |= self.is_cut;
        let mut object = present.clone();
        match change {
            PatchContent::Json(patch) => patch.apply(&mut object).map_err(refuse)?,
            PatchContent::Merge(patch) => patch::merge_patch_as_servers_do(&mut object, patch),
            PatchContent::Strategic(patch, definition) => {
                strategic_merge(&mut object, patch, definition).map_err(refuse_strategic)?;
                // The patch cannot change the type, since it was read as a patch of the present type.
                object["apiVersion"] = present.api_version().into();
                object["kind"] = present.kind().into();
            }
        }
        if object.is_object() { Ok(object) } else { Err(invalid("the patched object is no JSON object")) }
    }
}

impl ObjectApi {
    /// Patches an existing object through the endpoint of `update`, and starts again if it was written concurrently.
    ///
    /// # Errors
    ///
    /// Returns 404 if the object does not exist, 400 or 422 if the patch is invalid or cannot be applied, 409 if it sets a resource version that is not
    /// the current one or if concurrent writes do not end, and the errors of validation (422).
    pub async fn patch(
        &self,
        context: &mut WriteContext<'_>,
        update: Update<'_>,
        patch: &PatchRequest,
    ) -> Result<WriteOutcome, Status> {
        let update = Update { is_patch: true, create_when_missing: false, ..update };
        self.modify(context, update, |context, present| patch.apply(context, present)).await
    }
}

fn json_patch(patch: Value) -> Result<PatchContent, Status> {
    JsonPatch::parse(&patch).map(PatchContent::Json).map_err(refuse)
}

fn refuse(error: PatchError) -> Status {
    let unmarshal = |found: &str, target: &str| {
        Status::bad_request(format!("error decoding patch: json: cannot unmarshal {found} into Go {target}"))
    };
    match error {
        PatchError::NotAList { found } => unmarshal(found, "value of type []handlers.jsonPatchOp"),
        PatchError::NotAnOperation { found, .. } => unmarshal(found, "value of type handlers.jsonPatchOp"),
        PatchError::NotAText { member, found, .. } => {
            unmarshal(found, &format!("struct field jsonPatchOp.{member} of type string"))
        }
        PatchError::TooLarge { found } => Status::too_large(format!(
            "Request entity too large: The allowed maximum operations in a JSON patch is {}, got {found}",
            patch::MAX_OPERATIONS
        )),
        // Unknown operations, missing paths and failed tests give the same answer (PATCH-2).
        _ => unprocessable(),
    }
}

/// Returns the error of a failed strategic merge; most failures have no reason (PAT-4).
fn refuse_strategic(error: StrategicError) -> Status {
    match error {
        StrategicError::Format(_) => Status::bad_request(error.to_string()),
        StrategicError::Nested => unprocessable(),
        StrategicError::Other(_) => Status::unknown(error.to_string()),
    }
}

fn unprocessable() -> Status {
    Status::new(422, "Invalid", "the server rejected our request due to an error in our request").with_details(Details::default())
}

fn cannot_unmarshal(context: &str, found: &Value, target: &str) -> Status {
    let found = match found {
        Value::Array(_) => "array",
        Value::String(_) => "string",
        Value::Bool(_) => "bool",
        _ => "number",
    };
    Status::bad_request(format!("{context}json: cannot unmarshal {found} into Go value of type {target}"))
}

/// Returns the error for a patched object that cannot be decoded (REQ-6).
pub(crate) fn invalid(problem: &str) -> Status {
    let error = FieldError::new("patch", FieldReason::Invalid, format!("Invalid value: {problem}"));
    let mut status = Status::invalid("", "", "", &[error]);
    if let Some(details) = &mut status.details {
        details.kind.clear();
    }
    status
}
