//! What is addressed below an object (chapter 2.14 of the behaviour).

use http::StatusCode;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use serde_json::{Value, json};

use super::{
    decode::{self, BodyType},
    delete::DeleteOptions,
    options,
    resource::{self, Call},
    respond, scale,
    service::Outgoing,
    update::Update,
    write::{Recording, WriteContext},
};
use crate::{
    kinds::{Endpoint, Verb},
    status::Status,
};

/// Answers a request for a subresource.
pub(super) async fn answer(call: &Call<'_>, warnings: &mut Vec<String>) -> Result<Outgoing, Status> {
    let name = call.route.subresource.as_deref().unwrap_or_default();
    match (name, call.route.verb) {
        ("scale", _) => scale::answer(call, warnings).await,
        ("eviction", _) => evict(call).await,
        ("binding", _) => bind(call).await,
        ("log" | "exec" | "attach" | "portforward" | "proxy", _) => {
            Err(Status::not_implemented(format!("{name} needs a kubelet, which this server does not have")))
        }
        ("token", _) => Err(Status::not_implemented("service account tokens are not issued by this server yet")),
        (_, Verb::Get) => {
            let object = call.state.get(call.kind(), &call.name(), &call.incoming.query).await?;
            call.written(&super::write::Written { object, created: false, stored: false })
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
    /// The body of a POST to a subresource that has a kind of its own.
    fn posted(&self, group: &str, version: &str, kind: &str, context: &mut WriteContext<'_>) -> Result<Value, Status> {
        let expected = GroupVersionKind::new(group, version, kind);
        decode::object_of(&self.incoming.body, BodyType::of(self.content_type(), false)?, &expected, false, context)
    }
}

/// An eviction is a delete that a disruption budget could refuse.
async fn evict(call: &Call<'_>) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let body = call.posted("policy", "v1", "Eviction", &mut context)?;
    let options = DeleteOptions::parse(body.get("deleteOptions"), None, None, None)?;
    let deleted = call.state.delete(&mut context, call.kind(), &call.name(), &options).await?;
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    let response = respond::value(StatusCode::CREATED, &success, call.representation.format);
    Ok(Outgoing { response, warnings: Vec::new(), stored: deleted.stored })
}

/// A binding puts a pod on a node.
async fn bind(call: &Call<'_>) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let body = call.posted("", "v1", "Binding", &mut context)?;
    let node = body.pointer("/target/name").and_then(Value::as_str).unwrap_or_default().to_owned();
    // The scheduler's choice is nobody's field.
    context.recording = Recording::Kept;
    let name = call.name();
    let update = Update {
        kind: call.kind(),
        endpoint: Endpoint::Other("binding"),
        name: &name,
        is_patch: true,
        create_when_missing: false,
    };
    let transform = |_: &mut WriteContext<'_>, present: &Value| {
        let assigned = present.pointer("/spec/nodeName").and_then(Value::as_str).unwrap_or_default();
        if !assigned.is_empty() {
            let why = format!("pod {} is already assigned to node {assigned:?}", present.name());
            return Err(Status::conflict("", "pods/binding", present.name(), &why));
        }
        let mut pod = present.clone();
        pod["spec"]["nodeName"] = node.clone().into();
        Ok(pod)
    };
    let written = call.state.update(&mut context, update, transform).await?;
    let success = json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201});
    Ok(Outgoing {
        response: respond::value(StatusCode::CREATED, &success, call.representation.format),
        warnings: Vec::new(),
        stored: written.stored,
    })
}
