//! Server-side apply: patches that say which fields a client cares about (chapter 2.13 of the behaviour).

use kubewright_machinery::fieldset::extract;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use serde_json::Value;

use super::{
    decode::{self, BodyType},
    options,
    ownership::{self, Rules},
    resource::Call,
    service::Outgoing,
    update::Update,
    write::{Recording, WriteContext},
};
use crate::{
    kinds::{Endpoint, KindSpec},
    server::State,
    smd::{ApplyError, Conflicts, Managers},
    status::{Cause, Details, FieldError, Status},
};

/// The manager whose applies keep the annotation of client-side apply up to date (SMD-16).
const KUBECTL: &str = "kubectl";
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Whether a patch is an apply patch, by its `Content-Type`.
pub(super) fn is_apply(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim() == "application/apply-patch+yaml"
}

/// Answers an apply patch of an object or of a subresource that takes the whole object. A missing object is created.
pub(super) async fn answer(call: &Call<'_>, endpoint: Endpoint<'_>, warnings: &mut Vec<String>) -> Result<Outgoing, Status> {
    let query = &call.incoming.query;
    let mut context = options::write_context(call.incoming, "PatchOptions")?;
    if query.get("fieldManager").is_none() {
        let error = FieldError::required("fieldManager", "is required for apply patch");
        return Err(Status::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
    }
    context.recording = Recording::Applied;
    let (kind, name) = (call.kind(), call.name());
    let expected = GroupVersionKind::new(&kind.group, &kind.version, &kind.kind);
    let applied = decode::document(&call.incoming.body, BodyType::Yaml, &expected, &mut context)
        .map_err(|problem| Status::bad_request(format!("error decoding YAML: {problem}")))?;
    check(&applied, kind)?;
    let force = query.is_set("force");
    let create_when_missing = endpoint == Endpoint::Main;
    let update = Update { kind, endpoint, name: &name, is_patch: true, create_when_missing };
    let rules = Rules::new(call.state, &context, kind, endpoint);
    let transform = |context: &mut WriteContext<'_>, present: &Value| {
        let live = if present.is_null() { rules.blank() } else { present };
        let mut object = apply(call.state, context, &rules, live, &applied, force)?;
        if present.is_null() && object.name().is_empty() {
            object.metadata_mut().insert("name".into(), (*name.name).into());
        }
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

/// SSA-11.
fn check(applied: &Value, kind: &KindSpec) -> Result<(), Status> {
    if applied.api_version() != kind.api_version() || applied.kind() != kind.kind {
        return Err(Status::bad_request(format!("invalid object type: {}", qualified(applied))));
    }
    if applied.metadata().get("managedFields").is_some_and(|managers| !managers.is_null()) {
        return Err(Status::bad_request("metadata.managedFields must be nil"));
    }
    Ok(())
}

/// `apps/v1, Kind=Deployment`, or `/v1, Kind=ConfigMap`.
fn qualified(object: &Value) -> String {
    let (group, version) = object.api_version().split_once('/').unwrap_or_else(|| ("", object.api_version()));
    format!("{group}/{version}, Kind={}", object.kind())
}

fn apply(
    state: &State,
    context: &WriteContext<'_>,
    rules: &Rules,
    live: &Value,
    applied: &Value,
    force: bool,
) -> Result<Value, Status> {
    let known = Managers::parse(live.metadata().get("managedFields")).unwrap_or_default();
    let now = state.clock.now_in_seconds();
    let attempt = |force| rules.ownership().apply(live, applied, known.clone(), &context.manager, force, &now);
    let last_applied = Some(live).filter(|_| context.manager == KUBECTL).and_then(|live| live.annotation(LAST_APPLIED));
    let outcome = match attempt(force) {
        Err(ApplyError::Conflict(conflicts)) if last_applied.is_some_and(|last| is_own(&conflicts, live, last)) => attempt(true),
        outcome => outcome,
    };
    let outcome = outcome.map_err(|error| refuse(error, applied))?;
    let mut object = outcome.object.unwrap_or_else(|| live.clone());
    if last_applied.is_some() {
        object.set_annotation(LAST_APPLIED, annotation_of(applied));
    }
    ownership::put(&mut object, Some(outcome.managers.to_value()));
    Ok(object)
}

/// Whether all fields in conflict have the value that the same client applied before, on its own side.
fn is_own(conflicts: &Conflicts, live: &Value, last_applied: &str) -> bool {
    let Ok(last) = serde_json::from_str::<Value>(last_applied) else { return false };
    conflicts
        .iter()
        .all(|conflict| extract(live, &conflict.path).is_some_and(|value| extract(&last, &conflict.path) == Some(value)))
}

/// What client-side apply remembers.
fn annotation_of(applied: &Value) -> String {
    let mut applied = applied.clone();
    if let Some(annotations) = applied.metadata_mut().get_mut("annotations").and_then(Value::as_object_mut) {
        annotations.remove(LAST_APPLIED);
    }
    format!("{applied}\n")
}

fn refuse(error: ApplyError, applied: &Value) -> Status {
    match error {
        // SSA-10: the real server gives no reason.
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
        ApplyError::Version(_) => Status::new(500, "", error.to_string()),
    }
}
