//! The options of a delete request, from its body, or else from its query (REQ-14, SDEL-7).

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _, Propagation, json_type};
use kubewright_middleware::Status;
use kubewright_middleware::target::Query;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::options;
use super::resource::Call;
use crate::api::{DeleteOptions, WriteContext};
use crate::request::wire::decode::{self, BodyType};
use crate::status::StatusExt as _;

const POLICIES: [&str; 4] = ["Foreground", "Background", "Orphan", "nil"];

/// Reads the options of a delete request. The query is ignored if there is a body.
pub(in crate::request) fn read<'a>(call: &'a Call<'_>) -> Result<(WriteContext<'a>, DeleteOptions), Status> {
    let incoming = call.incoming;
    if incoming.body.is_empty() {
        let mut context = options::delete_context(incoming)?;
        let sent = of_query(&incoming.query)?;
        let options = from(&sent, &mut context)?;
        return Ok((context, options));
    }
    let mut context = WriteContext::of(incoming);
    let expected = GroupVersionKind::new("", "v1", "DeleteOptions");
    let body = decode::document(&incoming.body, BodyType::of(call.content_type(), false)?, &expected, &mut context)
        .map_err(|problem| Status::bad_request(format!("couldn't get version/kind; json parse error: {problem}")))?;
    context.found.clear();
    let options = from(&body, &mut context)?;
    Ok((context, options))
}

/// Reads decoded options; a dry run is noted in the context.
pub(in crate::request) fn from(body: &Value, context: &mut WriteContext<'_>) -> Result<DeleteOptions, Status> {
    if !body.is_null() && !body.is_object() {
        return Err(Status::bad_request(format!("couldn't get version/kind; json parse error: {}", decode::no_object(body))));
    }
    if !matches!(body.kind(), "" | "DeleteOptions") {
        return Err(Status::bad_request(format!(
            "no kind {:?} is registered for version {:?} in scheme \"pkg/runtime/scheme.go:111\"",
            body.kind(),
            body.api_version()
        )));
    }
    let grace = typed(body, "gracePeriodSeconds", "int64", Value::as_i64)?;
    let policy = typed(body, "propagationPolicy", "v1.DeletionPropagation", |value| value.as_str().map(str::to_owned))?;
    let orphan = typed(body, "orphanDependents", "bool", Value::as_bool)?;
    let dry_run = typed(body, "dryRun", "[]string", |value| value.as_array().cloned())?.unwrap_or_default();
    let precondition = |field: &str| body.pointer(&format!("/preconditions/{field}")).and_then(Value::as_str).map(str::to_owned);
    let mut errors = Vec::new();
    if let (Some(policy), Some(_)) = (&policy, orphan) {
        let detail = "orphanDependents and deletionPropagation cannot be both set";
        errors.push(FieldError::invalid("propagationPolicy", &json!(policy), detail));
    }
    let propagation = match (policy.as_deref(), orphan) {
        (None | Some(""), None) => None,
        (Some("Foreground"), _) => Some(Propagation::Foreground),
        (Some("Background"), _) | (None, Some(false)) => Some(Propagation::Background),
        (Some("Orphan"), _) | (None, Some(true)) => Some(Propagation::Orphan),
        (Some(other), _) => {
            errors.push(FieldError::not_supported("propagationPolicy", &json!(other), &POLICIES));
            None
        }
    };
    if dry_run.iter().any(|value| value != "All") {
        errors.push(FieldError::not_supported("dryRun", &dry_run.clone().into(), &["All"]));
    }
    if !errors.is_empty() {
        return Err(Status::invalid("meta.k8s.io", "DeleteOptions", "", &errors));
    }
    context.dry_run |= !dry_run.is_empty();
    Ok(DeleteOptions {
        grace_period_seconds: grace.map(|grace| if grace < 0 { 1 } else { grace }),
        propagation,
        uid: precondition("uid"),
        resource_version: precondition("resourceVersion"),
    })
}

/// Returns the options in the query in the form of a body.
fn of_query(query: &Query) -> Result<Value, Status> {
    let mut body = json!({});
    if let Some(grace) = query.get("gracePeriodSeconds") {
        let seconds: i64 =
            grace.parse().map_err(|_| Status::bad_request(format!("strconv.ParseInt: parsing {grace:?}: invalid syntax")))?;
        body["gracePeriodSeconds"] = seconds.into();
    }
    if let Some(policy) = query.get("propagationPolicy") {
        body["propagationPolicy"] = policy.into();
    }
    if query.get("orphanDependents").is_some() {
        body["orphanDependents"] = query.is_set("orphanDependents").into();
    }
    Ok(body)
}

fn typed<T>(body: &Value, field: &str, wanted: &str, read: impl Fn(&Value) -> Option<T>) -> Result<Option<T>, Status> {
    let Some(value) = body.get(field).filter(|value| !value.is_null()) else { return Ok(None) };
    let found = json_type(value);
    let refusal = || {
        Status::bad_request(format!("json: cannot unmarshal {found} into Go struct field DeleteOptions.{field} of type {wanted}"))
    };
    read(value).map(Some).ok_or_else(refusal)
}
