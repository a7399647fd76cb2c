//! Server-side apply: objects that declare the fields that a client owns (apiserver.md, 2.13).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::status::{Details, FailureCause, Status};
use kubewright_schema::MAX_ANNOTATION_BYTES;
use serde_json::Value;

use super::ObjectApi;
use super::ownership::{self, Rules};
use super::update::Update;
use super::write::{FieldValidation, Recording, WriteContext, WriteOutcome, too_deep};
use crate::smd::{self, ApplyError, FieldOwnership, Managers};
use crate::status::StatusExt as _;

/// The manager whose applies update the last-applied annotation of client-side apply (SMD-16).
const KUBECTL: &str = "kubectl";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// An object for [`ObjectApi::apply`]. It declares the fields that its field manager owns.
#[derive(Clone, Debug)]
pub struct ApplyRequest {
    object: Value,
    force: bool,
}

impl ApplyRequest {
    /// Creates an apply of an object. With `force` the apply takes over fields of other managers; otherwise they are a conflict.
    pub fn new(object: Value, force: bool) -> Self {
        Self { object, force }
    }

    /// Rejects a body with managed fields, or of another type than the request's (SSA-11).
    pub(crate) fn check(&self, api_version: &str, kind: &str) -> Result<(), Status> {
        if self.object.api_version() != api_version || self.object.kind() != kind {
            return Err(Status::bad_request(format!("invalid object type: {}", qualified(&self.object))));
        }
        if self.object.metadata().get("managedFields").is_some_and(|managers| !managers.is_null()) {
            return Err(Status::bad_request("metadata.managedFields must be nil"));
        }
        Ok(())
    }

    /// Applies the object to the live object and its managers.
    pub(crate) fn apply(
        &self,
        ownership: &FieldOwnership<'_>,
        context: &WriteContext<'_>,
        live: &Value,
        managers: Managers,
        now: &str,
    ) -> Result<smd::Applied, Status> {
        let manager = &context.manager;
        let last_applied = live.annotation(LAST_APPLIED).filter(|_| manager == KUBECTL && !self.force);
        let outcome = match last_applied.and_then(|last| serde_json::from_str::<Value>(last).ok()).filter(Value::is_object) {
            Some(last) => ownership.apply_again(live, &self.object, managers, manager, &last, now),
            None => ownership.apply(live, &self.object, managers, manager, self.force, now),
        };
        let applied = outcome.map_err(|error| refuse(error, &self.object))?;
        match context.found.first().filter(|_| context.validation == FieldValidation::Strict) {
            Some(problem) => {
                Err(Status::bad_request(format!("error strict decoding YAML: error converting YAML to JSON: {problem}")))
            }
            None => Ok(applied),
        }
    }
}

impl ObjectApi {
    /// Applies an object through the endpoint of `update`: the field manager of the context then owns its fields. A missing object is created if the
    /// update allows that.
    ///
    /// # Errors
    ///
    /// Returns 409 for fields of other managers, with a cause for each, unless the apply is forced; 400 for an object of another type or with managed
    /// fields; 404 if the object does not exist and is not to be created; and the errors of validation (422).
    pub async fn apply(
        &self,
        context: &mut WriteContext<'_>,
        update: Update<'_>,
        applied: &ApplyRequest,
    ) -> Result<WriteOutcome, Status> {
        applied.check(&update.kind.api_version(), &update.kind.kind)?;
        let recording = std::mem::replace(&mut context.recording, Recording::Made);
        let rules = Rules::new(self, context, update.kind, update.endpoint);
        let transform = |context: &mut WriteContext<'_>, present: &Value| {
            let live = if present.is_null() { rules.blank() } else { present };
            let known = Managers::parse(live.metadata().get("managedFields")).unwrap_or_default();
            let outcome = applied.apply(&rules.ownership(), context, live, known, &self.clock.now_in_seconds())?;
            let mut object = outcome.object.unwrap_or_else(|| live.clone());
            if context.manager == KUBECTL && object.annotation(LAST_APPLIED).is_some_and(|last| !last.is_empty()) {
                remember(&mut object, &applied.object);
            }
            // The body may omit the name of an existing object only (SSA-11).
            if present.is_null() && object.name().is_empty() {
                context.report(Vec::new(), Status::bad_request)?;
                return Err(Status::bad_request(format!(
                    "the name of the object ({} based on URL) was undeterminable: name must be provided",
                    update.name.name
                )));
            }
            ownership::put(&mut object, Some(outcome.managers.to_value()));
            Ok(object)
        };
        let outcome = self.modify(context, Update { is_patch: true, ..update }, transform).await;
        context.recording = recording;
        outcome
    }
}

/// Returns `apps/v1, Kind=Deployment`, or `/v1, Kind=ConfigMap`.
fn qualified(object: &Value) -> String {
    let (group, version) = object.api_version().split_once('/').unwrap_or_else(|| ("", object.api_version()));
    format!("{group}/{version}, Kind={}", object.kind())
}

/// Updates the annotation of client-side apply (SMD-16). An annotation that has become too large is removed.
fn remember(object: &mut Value, applied: &Value) {
    let mut applied = applied.clone();
    if let Some(annotations) = applied.metadata_mut().get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
    object.set_annotation(LAST_APPLIED, format!("{applied}\n"));
    let annotations = object.metadata().get("annotations").and_then(Value::as_object);
    let size = |(name, value): (&String, &Value)| name.len() + value.as_str().map_or(0, str::len);
    if annotations.is_some_and(|annotations| annotations.iter().map(size).sum::<usize>() > MAX_ANNOTATION_BYTES)
        && let Some(annotations) = object.metadata_mut().get_mut("annotations").and_then(Value::as_object_mut)
    {
        annotations.remove(LAST_APPLIED);
    }
}

fn refuse(error: ApplyError, applied: &Value) -> Status {
    match error {
        // The real server gives no reason (SSA-10).
        ApplyError::Type(errors) => {
            let object = format!("{}/{}; {}", applied.namespace(), applied.name(), qualified(applied));
            Status::new(500, "", format!("failed to create typed patch object ({object}): {errors}"))
        }
        ApplyError::Conflict(conflicts) => {
            let causes = conflicts.iter().map(|conflict| FailureCause {
                reason: "FieldManagerConflict".into(),
                message: format!("conflict with {}", conflict.owner),
                field: conflict.path.to_string(),
            });
            let details = Details { causes: causes.collect(), ..Details::default() };
            Status::new(409, "Conflict", conflicts.to_string()).with_details(details)
        }
        ApplyError::TooDeep => too_deep(applied),
        ApplyError::Version(_) => Status::new(500, "", error.to_string()),
    }
}
