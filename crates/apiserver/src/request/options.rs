//! The options of a write, from its query.

use serde_json::json;

use super::{
    query::Query,
    write::{FieldValidation, WriteContext},
};
use crate::{
    access::Identity,
    status::{FieldError, Status},
};

const MAX_MANAGER_BYTES: usize = 128;

/// Reads the query of a write; `kind` names the options in errors, such as `CreateOptions`.
pub(super) fn write_context<'a>(query: &Query, kind: &str, user: &'a Identity) -> Result<WriteContext<'a>, Status> {
    let mut errors = Vec::new();
    let dry_run = dry_run(query, &mut errors);
    let validation = match query.get("fieldValidation") {
        None | Some("Warn") => FieldValidation::Warn,
        Some("Ignore") => FieldValidation::Ignore,
        Some("Strict") => FieldValidation::Strict,
        Some(other) => {
            errors.push(FieldError::not_supported("fieldValidation", &json!(other), &["", "Ignore", "Strict", "Warn"]));
            FieldValidation::default()
        }
    };
    if let Some(manager) = query.get("fieldManager") {
        if manager.len() > MAX_MANAGER_BYTES {
            errors.push(FieldError::too_long("fieldManager", MAX_MANAGER_BYTES));
        } else if manager.chars().any(char::is_control) {
            errors.push(FieldError::invalid("fieldManager", &json!(manager), "should only contain printable characters"));
        }
    }
    if !errors.is_empty() {
        return Err(Status::invalid("meta.k8s.io", kind, "", &errors));
    }
    Ok(WriteContext { user, dry_run, validation, found: Vec::new(), warnings: Vec::new() })
}

fn dry_run(query: &Query, errors: &mut Vec<FieldError>) -> bool {
    let values = query.all("dryRun");
    if values.iter().any(|value| *value != "All") {
        errors.push(FieldError::not_supported("dryRun", &json!(values), &["All"]));
    }
    !values.is_empty()
}

/// `force` belongs to apply patches (PATCH-8).
pub(super) fn check_force(query: &Query) -> Result<(), Status> {
    if query.get("force").is_none() {
        return Ok(());
    }
    let error = FieldError::forbidden("force", "may not be specified for non-apply patch");
    Err(Status::invalid("meta.k8s.io", "PatchOptions", "", &[error]))
}
