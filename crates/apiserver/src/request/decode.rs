//! From the bytes of a body to an object.

use kubewright_machinery::{object::ObjectExt as _, yaml};
use serde_json::Value;

use super::{json, write::WriteContext};
use crate::{kinds::KindSpec, status::Status};

/// How much of a bad body an error quotes.
const QUOTED: usize = 64;

/// The types that a body can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyType {
    /// JSON, also when nothing was said.
    Json,
    /// YAML.
    Yaml,
}

impl BodyType {
    /// Reads a `Content-Type`.
    pub(crate) fn of(content_type: &str, custom: bool) -> Result<Self, Status> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "" | "application/json" | "*/*" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            _ => {
                let protobuf = if custom { "" } else { ", application/vnd.kubernetes.protobuf" };
                Err(Status::unsupported_media_type(format!(
                    "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml{protobuf}"
                )))
            }
        }
    }
}

/// Reads a document; repeated keys are noted in the context (REQ-9: the last one wins).
pub(crate) fn document(body: &[u8], body_type: BodyType, context: &mut WriteContext<'_>) -> Result<Value, String> {
    match body_type {
        BodyType::Json => {
            let (value, repeated) = json::parse(body)
                .map_err(|error| if error.is_eof() { "unexpected end of JSON input".to_owned() } else { error.to_string() })?;
            context.found.extend(repeated.into_iter().map(|path| format!("duplicate field {path:?}")));
            Ok(value)
        }
        BodyType::Yaml => {
            let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
            let documents = yaml::documents(text).map_err(|error| error.to_string())?;
            Ok(documents.into_iter().next().unwrap_or(Value::Null))
        }
    }
}

/// Reads the object of a create or an update and checks that it is of the right kind (REQ-3 to REQ-5).
pub(crate) fn object(body: &[u8], body_type: BodyType, kind: &KindSpec, context: &mut WriteContext<'_>) -> Result<Value, Status> {
    let unrecognised = |problem: &str| {
        let quoted = if body.is_empty() { "<empty>".into() } else { String::from_utf8_lossy(&body[..body.len().min(QUOTED)]) };
        Status::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error: {problem} ({quoted})",
            kind.kind
        ))
    };
    let mut object = document(body, body_type, context).map_err(|problem| unrecognised(&problem))?;
    if !object.is_object() {
        return Err(unrecognised("json: cannot unmarshal value into Go value of type struct"));
    }
    check_kind(&mut object, kind)?;
    Ok(object)
}

fn check_kind(object: &mut Value, kind: &KindSpec) -> Result<(), Status> {
    let (api_version, found) = (object.api_version().to_owned(), object.kind().to_owned());
    let expected = kind.api_version();
    if kind.is_custom() {
        if api_version != expected {
            return Err(Status::bad_request(format!(
                "the API version in the data ({api_version}) does not match the expected API version ({expected})"
            )));
        }
        // A wrong kind is a validation error of custom resources.
        return Ok(());
    }
    if !found.is_empty() && (found != kind.kind || (!api_version.is_empty() && api_version != expected)) {
        let named = if api_version.is_empty() { expected.as_str() } else { api_version.as_str() };
        return Err(Status::bad_request(format!(
            "{found} in version {:?} cannot be handled as a {}: no kind {found:?} is registered for version {named:?} in scheme \"pkg/api/legacyscheme/scheme.go:30\"",
            kind.version, kind.kind
        )));
    }
    if !api_version.is_empty() && api_version != expected {
        return Err(Status::bad_request(format!(
            "the API version in the data ({api_version}) does not match the expected API version ({expected})"
        )));
    }
    object["apiVersion"] = expected.into();
    object["kind"] = kind.kind.clone().into();
    Ok(())
}
