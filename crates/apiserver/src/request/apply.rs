//! Server-side apply: patches that declare the fields that a client owns (apiserver.md, 2.13).

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _, json_type};
use serde_json::Value;

use super::{
    decode::{self, BodyType},
    options,
    ownership::{self, Rules},
    resource::Call,
    service::Outgoing,
    update::Update,
    warnings::Warnings,
    write::{FieldValidation, Recording, WriteContext, WriteOutcome, too_deep},
};
use crate::{
    model::Endpoint,
    schema::MAX_ANNOTATION_BYTES,
    server::ApiServerState,
    smd::{self, ApplyError, Managers, Ownership},
    status::{Cause, Details, FieldError, Status},
    target::Query,
};

/// The manager whose applies update the last-applied annotation of client-side apply (SMD-16).
const KUBECTL: &str = "kubectl";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Returns true for the `Content-Type` of an apply patch.
pub(super) fn is_apply(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim() == "application/apply-patch+yaml"
}

/// The object that a client applied, and the options of the apply.
#[derive(Debug)]
pub(super) struct ApplyRequest {
    object: Value,
    force: bool,
}

impl ApplyRequest {
    /// Reads an apply patch and its options.
    pub(super) fn read(
        query: &Query,
        body: &[u8],
        expected: &GroupVersionKind,
        context: &mut WriteContext<'_>,
    ) -> Result<Self, Status> {
        if query.get("fieldManager").is_none() {
            let error = FieldError::required("fieldManager", "is required for apply patch");
            return Err(Status::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
        }
        let undecodable = |problem: &str| Status::bad_request(format!("error decoding YAML: {problem}"));
        let object = decode::document(body, BodyType::Yaml, expected, context)
            .map_err(|problem| undecodable(&format!("error converting YAML to JSON: {problem}")))?;
        if !object.is_object() && !object.is_null() {
            return Err(undecodable(&format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                json_type(&object)
            )));
        }
        Ok(Self { object, force: query.is_set("force") })
    }

    /// Rejects a body with managed fields, or of another type than the request's (SSA-11).
    pub(super) fn check(&self, api_version: &str, kind: &str) -> Result<(), Status> {
        if self.object.api_version() != api_version || self.object.kind() != kind {
            return Err(Status::bad_request(format!("invalid object type: {}", qualified(&self.object))));
        }
        if self.object.metadata().get("managedFields").is_some_and(|managers| !managers.is_null()) {
            return Err(Status::bad_request("metadata.managedFields must be nil"));
        }
        Ok(())
    }

    /// Applies the object to the live object and its managers.
    pub(super) fn apply(
        &self,
        ownership: &Ownership<'_>,
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

impl ApiServerState {
    /// Applies an object for a controller of the server, with force.
    pub(crate) async fn apply(
        &self,
        context: &mut WriteContext<'_>,
        update: Update<'_>,
        object: Value,
    ) -> Result<WriteOutcome, Status> {
        context.recording = Recording::Made;
        let rules = Rules::new(self, context, update.kind, update.endpoint);
        let applied = ApplyRequest { object, force: true };
        let transform = |context: &mut WriteContext<'_>, present: &Value| {
            let known = Managers::parse(present.metadata().get("managedFields")).unwrap_or_default();
            let outcome = applied.apply(&rules.ownership(), context, present, known, &self.clock.now_in_seconds())?;
            let mut object = outcome.object.unwrap_or_else(|| present.clone());
            ownership::put(&mut object, Some(outcome.managers.to_value()));
            Ok(object)
        };
        self.update(context, update, transform).await
    }
}

/// Answers an apply patch of an object, or of a subresource that takes the whole object. A missing object is created.
pub(super) async fn answer(call: &Call<'_>, endpoint: Endpoint<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "PatchOptions")?;
    context.recording = Recording::Made;
    let (kind, name) = (call.kind(), call.name());
    let expected = GroupVersionKind::new(&kind.group, &kind.version, &kind.kind);
    let applied = ApplyRequest::read(&call.incoming.query, &call.incoming.body, &expected, &mut context)?;
    applied.check(&kind.api_version(), &kind.kind)?;
    let create_when_missing = endpoint == Endpoint::Main;
    let update = Update { kind, endpoint, name: &name, is_patch: true, create_when_missing };
    let rules = Rules::new(call.state, &context, kind, endpoint);
    let transform = |context: &mut WriteContext<'_>, present: &Value| {
        let live = if present.is_null() { rules.blank() } else { present };
        let known = Managers::parse(live.metadata().get("managedFields")).unwrap_or_default();
        let outcome = applied.apply(&rules.ownership(), context, live, known, &call.state.clock.now_in_seconds())?;
        let mut object = outcome.object.unwrap_or_else(|| live.clone());
        if context.manager == KUBECTL && object.annotation(LAST_APPLIED).is_some_and(|last| !last.is_empty()) {
            remember(&mut object, &applied.object);
        }
        // The body may omit the name of an existing object only (SSA-11).
        if present.is_null() && object.name().is_empty() {
            context.report(Vec::new(), Status::bad_request)?;
            return Err(Status::bad_request(format!(
                "the name of the object ({} based on URL) was undeterminable: name must be provided",
                name.name
            )));
        }
        ownership::put(&mut object, Some(outcome.managers.to_value()));
        Ok(object)
    };
    let outcome = call.state.update(&mut context, update, transform).await;
    warnings.append(&mut context.warnings);
    let mut written = outcome?;
    if written.created {
        written.object = call.state.view(kind, &written.object);
    }
    call.written(&written)
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
            let causes = conflicts.iter().map(|conflict| Cause {
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
