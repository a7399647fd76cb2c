//! Requests to subresources: paths below an object (apiserver.md, 2.14).

use http::StatusCode;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_middleware::{Status, Verb};
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::{eviction, scale, token_request};
use crate::api::warnings::Warnings;
use crate::api::write::{self, Recording};
use crate::api::{Update, WriteContext, WriteOutcome};
use crate::kinds::{KindSpec, StorageId};
use crate::model::Endpoint;
use crate::request::service::Outgoing;
use crate::request::verbs::options;
use crate::request::verbs::resource::{self, Call};
use crate::request::wire::decode::{self, BodyType};
use crate::request::wire::respond;
use crate::status::StatusExt as _;
use crate::store::ObjectName;
use crate::workloads::pod;

/// Answers a request for a subresource.
pub(in crate::request) async fn answer(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let name = call.route.subresource.as_deref().unwrap_or_default();
    match (name, call.route.verb) {
        ("scale", _) => scale::answer(call, warnings).await,
        ("eviction", _) => eviction::answer(call, warnings).await,
        ("binding", _) => bind(call, warnings).await,
        ("log" | "exec" | "attach" | "portforward" | "proxy", _) => {
            call.state.api.find(call.kind(), &call.name())?;
            Err(Status::not_implemented(format!("{name} needs a kubelet, which this server does not have")))
        }
        ("token", _) => token_request::answer(call, warnings),
        (_, Verb::Get) => {
            let object = call.stored().await?;
            call.written(&WriteOutcome { object, created: false, stored: false })
        }
        (_, Verb::Update) => resource::update(call, endpoint(name), warnings).await,
        (_, Verb::Patch) => resource::patch(call, endpoint(name), warnings).await,
        _ => Err(Status::method_not_allowed()),
    }
}

fn endpoint(name: &str) -> Endpoint<'_> {
    if name == "status" { Endpoint::Status } else { Endpoint::Other(name) }
}

impl Call<'_> {
    /// Reads the body of a POST to a subresource with a kind of its own.
    pub(in crate::request) fn posted(
        &self,
        group: &str,
        version: &str,
        kind: &str,
        context: &mut WriteContext<'_>,
    ) -> Result<Value, Status> {
        let expected = GroupVersionKind::new(group, version, kind);
        decode::object_of(&self.incoming.body, BodyType::of(self.content_type(), false)?, &expected, false, context)
    }
}

/// Returns the kind of a subresource's body, with the behaviour of the parent kind.
pub(in crate::request) fn kind_of_body(parent: &KindSpec, group: &str, kind: &str) -> KindSpec {
    let storage = StorageId { group: group.to_owned(), version: "v1".to_owned(), ..parent.storage.clone() };
    KindSpec { group: group.to_owned(), version: "v1".to_owned(), kind: kind.to_owned(), storage, ..parent.clone() }
}

/// Reads the body of a subresource request; its name must be that of the addressed object. Problems with its fields are reported whatever the outcome
/// (REQ-9).
pub(in crate::request) fn sent(
    call: &Call<'_>,
    group: &str,
    kind: &str,
    context: &mut WriteContext<'_>,
    warnings: &mut Warnings,
) -> Result<Value, Status> {
    let mut body = call.posted(group, "v1", kind, context)?;
    let refuse =
        |problem: String| Status::bad_request(format!("{kind} in version \"v1\" cannot be handled as a {kind}: {problem}"));
    write::absorb(context, &kind_of_body(call.kind(), group, kind), &mut body, refuse)?;
    warnings.append(&mut context.warnings);
    if call.route.name.as_deref().is_some_and(|name| name != body.name()) {
        return Err(Status::bad_request(format!("name in URL does not match name in {kind} object")));
    }
    Ok(body)
}

/// Returns the answer for a successful action without an object of its own.
pub(in crate::request) fn success(call: &Call<'_>, stored: bool) -> Outgoing {
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    let response = respond::value(StatusCode::CREATED, &success, call.representation.format);
    Outgoing { response, warnings: Warnings::default(), stored }
}

/// Binds a pod to a node. The request addresses the pod, or the collection of bindings.
pub(in crate::request) async fn bind(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let body = sent(call, "", "Binding", &mut context, warnings)?;
    let node = check_binding(&body)?;
    let registry = call.state.api.registry();
    let pods = registry.resource("", "v1", "pods").ok_or_else(Status::resource_not_found)?;
    let now = call.state.api.clock.now_in_seconds();
    // The scheduler does not become the owner of a field.
    context.recording = Recording::Kept;
    let name = ObjectName::new(call.route.namespace.as_deref().unwrap_or_default(), body.name());
    let update =
        Update { kind: pods, endpoint: Endpoint::Other("binding"), name: &name, is_patch: true, create_when_missing: false };
    let transform = |_: &mut WriteContext<'_>, present: &Value| {
        let assigned = present.pointer("/spec/nodeName").and_then(Value::as_str).unwrap_or_default();
        if !assigned.is_empty() {
            let why = format!("pod {} is already assigned to node {assigned:?}", present.name());
            return Err(Status::conflict("", "pods/binding", present.name(), &why));
        }
        let mut assigned = present.clone();
        pod::assign(&mut assigned, &node, &now);
        Ok(assigned)
    };
    let written = call.state.api.modify(&mut context, update, transform).await?;
    Ok(success(call, written.stored))
}

/// Returns the node that a binding names.
fn check_binding(binding: &Value) -> Result<String, Status> {
    let target = |field: &str| binding["target"][field].as_str().unwrap_or_default();
    let mut errors = Vec::new();
    if !matches!(target("kind"), "" | "Node") {
        errors.push(FieldError::not_supported("target.kind", &binding["target"]["kind"], &["Node", "<empty>"]));
    }
    if target("name").is_empty() {
        errors.push(FieldError::required("target.name", ""));
    }
    let texts: Vec<_> = errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect();
    // The real server reports these as internal errors.
    match texts.as_slice() {
        [] => Ok(target("name").to_owned()),
        [only] => Err(Status::unknown(only.clone())),
        several => Err(Status::unknown(format!("[{}]", several.join(", ")))),
    }
}
