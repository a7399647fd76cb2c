//! The options of a write, from its query.

use std::sync::Arc;

use http::header;
use kubewright_middleware::Status;
use kubewright_middleware::journal::RecordNote;
use kubewright_middleware::target::Query;
use kubewright_schema::FieldError;
use serde_json::json;

use crate::api::metadata::{MAX_MANAGER_BYTES, manager_error};
use crate::api::{FieldValidation, Remarks, WriteContext};
use crate::request::service::Incoming;
use crate::status::StatusExt as _;

/// Reads the query of a write; `kind` names the options in errors, such as `CreateOptions`.
pub(in crate::request) fn write_context<'a>(incoming: &'a Incoming, kind: &str) -> Result<WriteContext<'a>, Status> {
    let query = &incoming.query;
    let mut errors = Vec::new();
    let dry_run = dry_run(&query.all("dryRun"), &mut errors);
    let validation = match query.get("fieldValidation") {
        None | Some("Warn") => FieldValidation::Warn,
        Some("Ignore") => FieldValidation::Ignore,
        Some("Strict") => FieldValidation::Strict,
        Some(other) => {
            errors.push(FieldError::not_supported("fieldValidation", &json!(other), &["", "Ignore", "Strict", "Warn"]));
            FieldValidation::default()
        }
    };
    errors.extend(query.get("fieldManager").and_then(|manager| manager_error(manager, || "fieldManager".to_owned())));
    if !errors.is_empty() {
        return Err(Status::invalid("meta.k8s.io", kind, "", &errors));
    }
    let manager = query.get("fieldManager").map_or_else(|| program(incoming), str::to_owned);
    Ok(WriteContext { dry_run, validation, manager, ..WriteContext::of(incoming) })
}

impl<'a> WriteContext<'a> {
    /// Creates the context of a write without options.
    pub(in crate::request) fn of(incoming: &'a Incoming) -> Self {
        Self { remarks: remarks(incoming), ..Self::new(&incoming.user, program(incoming)) }
    }
}

impl Remarks for RecordNote {
    fn remark(&self, text: &str) {
        self.say(text);
    }
}

/// Returns the receiver of remarks on a request: its record in the journal, if it is recorded.
pub(in crate::request) fn remarks(incoming: &Incoming) -> Option<Arc<dyn Remarks>> {
    let note = incoming.parts.extensions.get::<RecordNote>().cloned();
    note.map(|note| -> Arc<dyn Remarks> { Arc::new(note) })
}

/// Returns the program that sent a request: its user agent up to the first slash.
fn program(incoming: &Incoming) -> String {
    let agent = incoming.parts.headers.get(header::USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    agent.split('/').next().unwrap_or_default().chars().filter(|letter| !letter.is_control()).take(MAX_MANAGER_BYTES).collect()
}

fn dry_run(values: &[&str], errors: &mut Vec<FieldError>) -> bool {
    if values.iter().any(|value| *value != "All") {
        errors.push(FieldError::not_supported("dryRun", &json!(values), &["All"]));
    }
    !values.is_empty()
}

/// Creates the context of a delete from its query; a delete has no field manager and no fields to check.
pub(in crate::request) fn delete_context(incoming: &Incoming) -> Result<WriteContext<'_>, Status> {
    let mut errors = Vec::new();
    let dry_run = dry_run(&incoming.query.all("dryRun"), &mut errors);
    if !errors.is_empty() {
        return Err(Status::invalid("meta.k8s.io", "DeleteOptions", "", &errors));
    }
    Ok(WriteContext { dry_run, ..WriteContext::of(incoming) })
}

/// Rejects `force`, which only apply patches may set (PATCH-8).
pub(in crate::request) fn check_force(query: &Query) -> Result<(), Status> {
    if query.get("force").is_none() {
        return Ok(());
    }
    let error = FieldError::forbidden("force", "may not be specified for non-apply patch");
    Err(Status::invalid("meta.k8s.io", "PatchOptions", "", &[error]))
}
