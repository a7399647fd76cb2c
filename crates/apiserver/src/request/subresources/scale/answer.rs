//! Requests for the `/scale` subresource.

use http::StatusCode;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_middleware::{Status, Verb};
use kubewright_schema::FieldError;
use serde_json::Value;

use super::owners::{ScaleOwnership, ScaleType};
use super::view;
use crate::api::create::match_namespace;
use crate::api::warnings::Warnings;
use crate::api::write::Recording;
use crate::api::{ApplyRequest, PatchRequest, Update, WriteContext, metadata, patch, update_checks};
use crate::model::Endpoint;
use crate::request::service::Outgoing;
use crate::request::verbs::resource::Call;
use crate::request::verbs::{apply, options};
use crate::request::wire::decode::{self, BodyType};
use crate::request::wire::respond;
use crate::smd::Managers;
use crate::status::StatusExt as _;

/// The body that a client sent.
enum ScaleBody {
    Whole(Value),
    Patch(PatchRequest),
    Applied(ApplyRequest),
}

/// Answers a request for the Scale of an object.
pub(in crate::request) async fn answer(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    if call.route.verb != Verb::Get {
        return write(call, warnings).await;
    }
    let object = call.stored().await?;
    if let Some(field) = view::missing_replicas(call.kind(), object.value()) {
        return Err(Status::internal(format!("the spec replicas field {field:?} does not exist")));
    }
    let scale = view::of(call.kind(), object.value())?;
    Ok(respond::value(StatusCode::OK, &scale, call.representation.format).into())
}

async fn write(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let kind = call.kind();
    let is_patch = call.route.verb == Verb::Patch;
    let mut context = options::write_context(call.incoming, if is_patch { "PatchOptions" } else { "UpdateOptions" })?;
    context.recording = Recording::Made;
    let mut sent = read(call, is_patch, &mut context)?;
    if let ScaleBody::Whole(scale) = &mut sent {
        // Problems with fields are reported whatever the outcome of the request (REQ-9).
        normalise(call, &mut context, scale, true)?;
        warnings.append(&mut context.warnings);
    }
    let rules = ScaleOwnership::new(&call.state.api, kind);
    let name = call.name();
    // An object without a version is updated unconditionally, also by a PUT of its Scale.
    let update = Update { kind, endpoint: Endpoint::Main, name: &name, is_patch: true, create_when_missing: false };
    let transform = |context: &mut WriteContext<'_>, present: &Value| {
        let parent = Managers::parse(present.metadata().get("managedFields")).unwrap_or_default();
        let old = view::of(kind, present)?;
        let (scale, managers) = changed(call, context, &rules, &sent, &old, rules.of_scale(&parent))?;
        if !matches!(sent, ScaleBody::Whole(_))
            && let Some(field) = view::missing_replicas(kind, present).filter(|_| scale.pointer("/spec/replicas").is_none())
        {
            return Err(Status::bad_request(format!("the spec replicas field {field:?} cannot be empty")));
        }
        if !scale.uid().is_empty() && scale.uid() != present.uid() {
            return Err(update_checks::uid_conflict(kind, &name, scale.uid(), present.uid()));
        }
        let mut object = present.clone();
        view::write(kind, &mut object, &scale);
        object.metadata_mut().insert("managedFields".into(), rules.of_parent(parent, managers).to_value());
        Ok(object)
    };
    let outcome = call.state.api.modify(&mut context, update, transform).await;
    warnings.append(&mut context.warnings);
    let written = outcome?;
    let scale = view::of(kind, written.object.value())?;
    let response = respond::value(StatusCode::OK, &scale, call.representation.format);
    Ok(Outgoing { response, warnings: Warnings::default(), stored: written.stored })
}

fn read(call: &Call<'_>, is_patch: bool, context: &mut WriteContext<'_>) -> Result<ScaleBody, Status> {
    let body = &call.incoming.body;
    let expected = GroupVersionKind::new("autoscaling", "v1", view::KIND);
    if !is_patch {
        let body_type = BodyType::of(call.content_type(), call.kind().is_custom())?;
        return decode::object_of(body, body_type, &expected, false, context).map(ScaleBody::Whole);
    }
    if apply::is_apply(call.content_type()) {
        return ApplyRequest::read(&call.incoming.query, body, &expected, context).map(ScaleBody::Applied);
    }
    let definition = if call.kind().is_custom() { None } else { Some(ScaleType::new().definition()) };
    let patch = PatchRequest::parse(call.content_type(), body, definition)?;
    options::check_force(&call.incoming.query)?;
    Ok(ScaleBody::Patch(patch))
}

/// Returns the Scale with the client's changes, and its managers.
fn changed(
    call: &Call<'_>,
    context: &mut WriteContext<'_>,
    rules: &ScaleOwnership,
    sent: &ScaleBody,
    old: &Value,
    managers: Managers,
) -> Result<(Value, Managers), Status> {
    let now = call.state.api.clock.now_in_seconds();
    let (mut scale, managers) = match sent {
        ScaleBody::Applied(applied) => {
            applied.check(view::API_VERSION, view::KIND)?;
            if call.kind().is_custom() && managers.is_empty() {
                // The real server fails here, since it cannot make an empty Scale of a custom resource.
                return Err(Status::unknown(
                    "failed to create manager for existing fields: failed to convert live object (/; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1",
                ));
            }
            let outcome = applied.apply(&rules.ownership(), context, old, managers, &now)?;
            (outcome.object.unwrap_or_else(|| old.clone()), outcome.managers)
        }
        ScaleBody::Patch(patch) => (patch.apply(context, old)?, managers),
        ScaleBody::Whole(scale) => (scale.clone(), managers),
    };
    if !matches!(sent, ScaleBody::Whole(_)) {
        normalise(call, context, &mut scale, false)?;
    }
    check(call, &mut scale, old)?;
    let managers = match sent {
        ScaleBody::Applied(_) => managers,
        // Replicas without an owner stay so.
        _ if managers.is_empty() => managers,
        _ => rules.ownership().update(old, &scale, managers, &context.manager, &now),
    };
    Ok((scale, managers))
}

/// Normalises a Scale. A Scale that was sent as a whole must also have the right type.
fn normalise(call: &Call<'_>, context: &mut WriteContext<'_>, scale: &mut Value, is_whole: bool) -> Result<(), Status> {
    let refuse = |problem: String| {
        if is_whole {
            Status::bad_request(format!("Scale in version \"v1\" cannot be handled as a Scale: {problem}"))
        } else {
            patch::invalid(&problem)
        }
    };
    if !scale.is_object() {
        return Err(refuse("json: cannot unmarshal value into Go value of type v1.Scale".to_owned()));
    }
    for (field, expected) in [("apiVersion", view::API_VERSION), ("kind", view::KIND)] {
        match scale[field].as_str().unwrap_or_default() {
            "" => scale[field] = expected.into(),
            found if found == expected => {}
            found => return Err(refuse(format!("no kind is registered for {field} {found:?}"))),
        }
    }
    let mut unknown = Vec::new();
    scale.metadata_mut().remove("managedFields");
    metadata::normalise(scale, call.kind(), &mut unknown).map_err(refuse)?;
    ScaleType::new().normalise(scale, &mut unknown).map_err(refuse)?;
    context.report(unknown, |problems| refuse(format!("strict decoding error: {problems}")))
}

fn check(call: &Call<'_>, scale: &mut Value, old: &Value) -> Result<(), Status> {
    let name = call.name();
    update_checks::match_name(scale, &name.name)?;
    match_namespace(scale, &name.namespace)?;
    if call.kind().is_custom() {
        // A custom resource is validated as a whole, with its own error texts.
        return Ok(());
    }
    let mut errors = metadata::validate(call.kind(), &completed(scale, old), Some(old));
    let replicas = scale.pointer("/spec/replicas").and_then(Value::as_i64).unwrap_or_default();
    if replicas < 0 {
        errors.push(FieldError::invalid("spec.replicas", &replicas.into(), "must be greater than or equal to 0"));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("autoscaling", view::KIND, &name.name, &errors)) }
}

/// Returns a Scale completed with the fields that only the server sets, as far as the client left them out.
fn completed(scale: &Value, old: &Value) -> Value {
    let mut scale = scale.clone();
    for field in ["uid", "creationTimestamp"] {
        if let Some(value) = old.metadata().get(field).filter(|_| scale.meta_str(field).is_empty()) {
            scale.metadata_mut().insert(field.into(), value.clone());
        }
    }
    scale
}
