//! Decoding of request bodies to objects.

use std::fmt::Write as _;

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _, is_nested_deeper, json_type};
use kubewright_machinery::yaml::{self, RepeatedKey, YamlError};
use kubewright_middleware::Status;
use serde_json::Value;

use crate::api::{FieldValidation, WriteContext};
use crate::forms::Definitions;
use crate::json::{self, DEEPEST, PathPositions, UnreadableJson};
use crate::kinds::KindSpec;
use crate::model::MAX_DEPTH;
use crate::proto::{self, ProtobufError};
use crate::status::StatusExt as _;

/// The number of bytes of a bad body that an error quotes.
const QUOTED: usize = 30;

/// The media types of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyType {
    /// JSON, also without a `Content-Type`.
    Json,
    /// YAML.
    Yaml,
    /// Protobuf in its envelope, for built-in kinds.
    Protobuf,
}

/// The error for a body that does not match its media type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DecodeError {
    /// The body is not a document of the media type.
    #[error("{0}")]
    Text(String),
    /// The body is not YAML.
    #[error("{0}")]
    Yaml(String),
    /// The body is not a protobuf message, or one of an unknown kind.
    #[error(transparent)]
    Protobuf(#[from] ProtobufError),
}

impl BodyType {
    /// Reads a `Content-Type`.
    pub(crate) fn of(content_type: &str, custom: bool) -> Result<Self, Status> {
        match content_type.split(';').next().unwrap_or_default().trim() {
            "" if content_type.is_empty() => Ok(Self::Json),
            "application/json" | "*/*" => Ok(Self::Json),
            "application/yaml" => Ok(Self::Yaml),
            proto::MEDIA_TYPE if !custom => Ok(Self::Protobuf),
            _ => Err(Status::unsupported_media_type(
                "the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, \
                 application/vnd.kubernetes.protobuf",
            )),
        }
    }
}

/// Reads a document; repeated keys are noted in the context, and the last one wins (REQ-9). A protobuf message without a type is taken for
/// `expected`.
pub(crate) fn document(
    body: &[u8],
    body_type: BodyType,
    expected: &GroupVersionKind,
    context: &mut WriteContext<'_>,
) -> Result<Value, DecodeError> {
    match body_type {
        BodyType::Json => {
            let read = json::parse(json::text(body).as_bytes());
            let document = read.map_err(|error| DecodeError::Text(json::problem(body, &error)))?;
            context.found.extend(document.repeated.into_iter().map(|path| format!("duplicate field {path:?}")));
            context.is_cut |= document.is_cut;
            Ok(document.value)
        }
        BodyType::Yaml => yaml_document(body, context).map_err(DecodeError::Yaml),
        BodyType::Protobuf => Ok(proto::decode(body, expected)?),
    }
}

fn yaml_document(body: &[u8], context: &mut WriteContext<'_>) -> Result<Value, String> {
    let text = std::str::from_utf8(body).map_err(|error| error.to_string())?;
    let (document, repeated) = match yaml::documents_with_repeats(text) {
        Ok((documents, repeated)) => (documents.into_iter().next().unwrap_or(Value::Null), repeated),
        Err(error) => deep_yaml(text, context).unwrap_or_else(|| Err(yaml_problem(&error)))?,
    };
    let repeated = repeated.map(|repeated| {
        // The real server reports all problems of a YAML document as one.
        let prefix = if context.validation == FieldValidation::Strict { "yaml: unmarshal errors:\n  " } else { "" };
        format!("{prefix}line {}: key {:?} already set in map", repeated.line, repeated.key)
    });
    context.found.extend(repeated);
    Ok(document)
}

/// Returns the error text of Go's YAML decoder, as far as the texts of the two libraries correspond.
fn yaml_problem(error: &YamlError) -> String {
    let text = error.to_string();
    let location = error.location().map(|(line, column)| format!(" at line {line}, column {column}")).unwrap_or_default();
    let problem = text.strip_prefix("read YAML: ").unwrap_or(&text);
    if problem.strip_suffix(&location) == Some("mapping values are not allowed in this context") {
        return match error.location() {
            Some((line @ 2.., _)) => format!("yaml: line {line}: mapping values are not allowed in this context"),
            _ => "yaml: mapping values are not allowed in this context".to_owned(),
        };
    }
    format!("yaml: {problem}")
}

/// Reads JSON that was declared as YAML, if it is nested more deeply than the YAML reader allows.
fn deep_yaml(text: &str, context: &mut WriteContext<'_>) -> Option<Result<(Value, Option<RepeatedKey>), String>> {
    let document = match json::parse(text.as_bytes()) {
        Ok(document) if document.is_cut || is_nested_deeper(&document.value, MAX_DEPTH) => document,
        Err(UnreadableJson::TooDeep(_)) => return Some(Err(format!("yaml: exceeded max depth of {DEEPEST}"))),
        _ => return None,
    };
    context.is_cut |= document.is_cut;
    let repeated = document.repeated.first().map(|path| {
        let offset = PathPositions::of(text.as_bytes(), std::iter::once(path.as_str())).second(path).unwrap_or_default();
        let lines = text[..offset].matches('\n').count();
        let key = path.rsplit('.').next().unwrap_or_default().to_owned();
        RepeatedKey { line: lines as u64 + 1, key }
    });
    Some(Ok((document.value, repeated)))
}

/// Reads the object of a create or an update and checks its kind (REQ-3 to REQ-5).
pub(crate) fn object(body: &[u8], body_type: BodyType, kind: &KindSpec, context: &mut WriteContext<'_>) -> Result<Value, Status> {
    let expected = GroupVersionKind::new(&kind.group, &kind.version, &kind.kind);
    object_of(body, body_type, &expected, kind.is_custom(), context)
}

/// Reads and checks an object of any kind, such as that of a subresource.
pub(crate) fn object_of(
    body: &[u8],
    body_type: BodyType,
    expected: &GroupVersionKind,
    custom: bool,
    context: &mut WriteContext<'_>,
) -> Result<Value, Status> {
    let unrecognised = |problem: &str| {
        let problem =
            format!("the object provided is unrecognized (must be of type {}): {problem} ({})", expected.kind, quoted(body));
        Status::bad_request(problem)
    };
    let mut object = document(body, body_type, expected, context).map_err(|error| match error {
        DecodeError::Protobuf(ProtobufError::Message { kind, source }) => {
            let kind = if kind.is_empty() { expected.kind.clone() } else { kind };
            Status::bad_request(format!(
                "{kind} in version {:?} cannot be handled as a {}: {source}",
                expected.version, expected.kind
            ))
        }
        DecodeError::Protobuf(ProtobufError::UnknownKind { api_version, kind }) => {
            foreign(&GroupVersionKind::from_api_version(&api_version, &kind).unwrap_or_default(), expected)
        }
        DecodeError::Protobuf(problem) => unrecognised(&problem.to_string()),
        DecodeError::Yaml(problem) => unrecognised(&problem),
        DecodeError::Text(problem) => unrecognised(&format!("couldn't get version/kind; json parse error: {problem}")),
    })?;
    if object.is_null() {
        object = Value::Object(serde_json::Map::new());
    }
    let unreadable = |problem: &str| unrecognised(&format!("couldn't get version/kind; json parse error: {problem}"));
    if !object.is_object() {
        return Err(unreadable(&no_object(&object)));
    }
    for field in ["apiVersion", "kind"] {
        if let Some(value) = object.get(field).filter(|value| !value.is_null() && !value.is_string()) {
            let found = json_type(value);
            return Err(unreadable(&format!("json: cannot unmarshal {found} into Go struct field .{field} of type string")));
        }
    }
    if custom && object.kind().is_empty() {
        return Err(unrecognised(&format!("Object 'Kind' is missing in '{}'", String::from_utf8_lossy(body).trim())));
    }
    if custom {
        check_custom(&object, expected)?
    } else {
        check_kind(&mut object, expected)?
    }
    Ok(object)
}

/// Returns the error text of Go's decoder for a document that is not an object.
pub(in crate::request) fn no_object(document: &Value) -> String {
    format!(
        "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; Kind string \
         \"json:\\\"kind,omitempty\\\"\" }}",
        json_type(document)
    )
}

/// Quotes the first bytes of a body, as text if they look like JSON.
fn quoted(body: &[u8]) -> String {
    let head = &body[..body.len().min(QUOTED)];
    let text = match head.first() {
        None => return "<empty>".to_owned(),
        Some(b'{') => String::from_utf8_lossy(head).into_owned(),
        Some(_) => hex(head),
    };
    if body.len() > QUOTED { format!("{text} ...") } else { text }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing into memory cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn check_custom(object: &Value, expected: &GroupVersionKind) -> Result<(), Status> {
    // A wrong kind is reported later, as a validation error of custom resources.
    if object.api_version() == expected.api_version() { Ok(()) } else { Err(other_version(object.api_version(), expected)) }
}

/// Checks the object's version and kind; a missing one is set to the expected one (REQ-3).
fn check_kind(object: &mut Value, expected: &GroupVersionKind) -> Result<(), Status> {
    let said = |text: &str, otherwise: &str| if text.is_empty() { otherwise.to_owned() } else { text.to_owned() };
    let (api_version, kind) = (said(object.api_version(), &expected.api_version()), said(object.kind(), &expected.kind));
    let found = GroupVersionKind::from_api_version(&api_version, &kind).unwrap_or_default();
    if found != *expected {
        return Err(foreign(&found, expected));
    }
    object["apiVersion"] = api_version.into();
    object["kind"] = kind.into();
    Ok(())
}

/// Returns the error of an object of another kind (REQ-4).
fn foreign(found: &GroupVersionKind, expected: &GroupVersionKind) -> Status {
    let known = Definitions::embedded().name_of(found).is_some();
    if known && (&found.group, &found.kind) == (&expected.group, &expected.kind) {
        return other_version(&found.api_version(), expected);
    }
    let (kind, version) = (&found.kind, &found.version);
    let problem = if known {
        let package = expected.group.split('.').next().filter(|name| !name.is_empty()).unwrap_or("core");
        format!("converting ({version}.{kind}) to ({package}.{}): unknown conversion", expected.kind)
    } else {
        format!("no kind {kind:?} is registered for version {:?} in scheme \"pkg/runtime/scheme.go:111\"", found.api_version())
    };
    Status::bad_request(format!("{kind} in version {version:?} cannot be handled as a {}: {problem}", expected.kind))
}

fn other_version(found: &str, expected: &GroupVersionKind) -> Status {
    let expected = expected.api_version();
    Status::bad_request(format!("the API version in the data ({found}) does not match the expected API version ({expected})"))
}
