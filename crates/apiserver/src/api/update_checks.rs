//! Checks of a changed object against the addressed one: name, namespace, uid, type and version.

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Status;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::create::match_namespace;
use super::patch;
use super::update::Update;
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Stored};

/// Rejects an object whose name is not that of the URL (UPD-4).
pub(crate) fn match_name(object: &Value, name: &str) -> Result<(), Status> {
    match object.name() {
        "" => Err(Status::bad_request(format!(
            "the name of the object ({name} based on URL) was undeterminable: name must be provided"
        ))),
        found if found == name => Ok(()),
        found => {
            Err(Status::bad_request(format!("the name of the object ({found}) does not match the name on the URL ({name})")))
        }
    }
}

/// Rejects a new object whose identity is not that of the addressed one (UPD-4, UPD-5, PATCH-5).
pub(super) fn check_identity(object: &mut Value, present: &Stored, update: Update<'_>) -> Result<(), Status> {
    let Update { kind, name, .. } = update;
    match_name(object, &name.name)?;
    match_namespace(object, &name.namespace)?;
    let (sent, known) = (object.uid(), present.value().uid());
    if !update.is_patch && !sent.is_empty() && sent != known {
        return Err(uid_conflict(kind, name, sent, known));
    }
    Ok(())
}

/// Checks the type of a patched object. A built-in object without a type gets that of the request, and one of another type cannot be decoded; custom
/// resources are checked as they are (PATCH-5).
pub(super) fn check_type(object: &mut Value, update: Update<'_>) -> Result<(), Status> {
    let kind = update.kind;
    let (expected, version, named) = (kind.api_version(), object.api_version().to_owned(), object.kind().to_owned());
    if kind.is_custom() {
        if version.is_empty() {
            return Err(Status::internal("Object 'apiVersion' is missing in 'object has no apiVersion field'"));
        }
        if named.is_empty() {
            return Err(refusal(update, "Object 'Kind' is missing"));
        }
        if version != expected {
            let group = version.split_once('/').map_or("", |(group, _)| group);
            let error = FieldError::invalid("apiVersion", &version.as_str().into(), format!("must be {expected}"));
            return Err(Status::invalid(group, &named, &update.name.name, &[error]));
        }
        return Ok(());
    }
    if !version.is_empty() && version != expected || !named.is_empty() && named != kind.kind {
        return Err(refusal(update, &format!("no kind {named:?} is registered for version {version:?}")));
    }
    object["apiVersion"] = expected.into();
    object["kind"] = kind.kind.as_str().into();
    Ok(())
}

/// Returns the error for an object whose uid is not the one that the client sent (UPD-5).
pub(crate) fn uid_conflict(kind: &KindSpec, name: &ObjectName, sent: &str, known: &str) -> Status {
    let group = if kind.is_custom() { format!("{}/", kind.group) } else { String::new() };
    let why = format!(
        "StorageError: invalid object, Code: 4, Key: /registry/{group}{}/{name}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {sent}, UID in object meta: {known}",
        kind.plural
    );
    Status::conflict(&kind.group, &kind.plural, &name.name, &why)
}

/// Checks the resource version for optimistic locking (UPD-1 to UPD-3, PATCH-4). Returns true if the client named a version, so that the client has
/// to resolve a conflict.
pub(super) fn check_version(object: &Value, stored: &Stored, update: Update<'_>) -> Result<bool, Status> {
    let Update { kind, name, .. } = update;
    let sent = object.resource_version();
    if sent.is_empty() || sent == "0" {
        if !kind.flags.unconditional_update {
            let error = FieldError::invalid("metadata.resourceVersion", &json!(0), "must be specified for an update");
            return Err(Status::invalid(&kind.group, &kind.plural, &name.name, &[error]));
        }
        return Ok(false);
    }
    let Ok(seen) = sent.parse::<u64>() else {
        return Err(Status::unknown(format!("strconv.ParseUint: parsing {sent:?}: invalid syntax")));
    };
    if seen != stored.revision() {
        return Err(Status::stale(&kind.group, &kind.plural, &name.name));
    }
    // A patched object carries the current version although the client did not name one.
    Ok(!update.is_patch)
}

/// Returns the error for an undecodable object, of a body or of the result of a patch (REQ-6).
pub(super) fn refusal(update: Update<'_>, problem: &str) -> Status {
    let kind = update.kind;
    if update.is_patch {
        return patch::invalid(problem);
    }
    Status::bad_request(format!("{0} in version {1:?} cannot be handled as a {0}: {problem}", kind.kind, kind.version))
}
