//! Requests for objects and collections: one function per verb, each a list of pipeline steps.

use std::sync::Arc;

use futures::StreamExt as _;
use http::{Response, StatusCode, header};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::{ResourceTarget, Status, Verb};
use kubewright_schema::{FieldError, FieldReason};
use serde_json::Value;

use super::component_statuses::{self, is_component_status};
use super::list_query::parse_version;
use super::route::{self, NoRoute, Route};
use super::{apply, delete_options, options};
use crate::api::warnings::Warnings;
use crate::api::{ListQuery, PatchRequest, Update, WatchQuery, WriteContext, WriteOutcome};
use crate::kinds::KindSpec;
use crate::model::Endpoint;
use crate::request::service::{Incoming, Outgoing};
use crate::request::subresources::subresource;
use crate::request::wire::body::ResponseBody;
use crate::request::wire::decode::{self, BodyType};
use crate::request::wire::negotiate::{self, Offer, Representation};
use crate::request::wire::watch_events::WatchEncoder;
use crate::request::wire::{encode, respond};
use crate::request::{RequestState, nonresource, reviews};
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Stored};
use crate::types::Builtin;

/// A routed request with the inputs of all steps.
pub(in crate::request) struct Call<'a> {
    pub(in crate::request) state: &'a Arc<RequestState>,
    pub(in crate::request) route: &'a Route,
    pub(in crate::request) incoming: &'a Incoming,
    pub(in crate::request) representation: Representation,
}

/// Answers a request for a resource.
pub(in crate::request) async fn answer(
    state: &Arc<RequestState>,
    target: &ResourceTarget,
    incoming: &Incoming,
    warnings: &mut Warnings,
) -> Result<Outgoing, Status> {
    let route = match state.api.with_registry(|registry| route::find(registry, target, &incoming.parts.method)) {
        Ok(route) => route,
        Err(NoRoute::Unknown) => return Ok(respond::text(StatusCode::NOT_FOUND, "404 page not found\n").into()),
        Err(NoRoute::Unavailable) => return Ok(nonresource::unavailable()),
        Err(NoRoute::Status(status)) => return Err(status),
    };
    if let Some(warning) = &route.kind.deprecation_warning {
        warnings.add(warning);
    }
    let offer = Offer { is_watch: route.verb == Verb::Watch, has_tables: has_tables(&route) };
    let representation = negotiate::negotiate(&incoming.parts.headers, &incoming.query, &route.kind, offer)?;
    let call = Call { state, route: &route, incoming, representation };
    let outgoing = perform(&call, warnings).await?;
    if outgoing.stored {
        state.after_write().await;
    }
    Ok(outgoing)
}

async fn perform(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    Ok(match (&call.route.subresource, call.route.verb) {
        (Some(_), _) => subresource::answer(call, warnings).await?,
        (None, Verb::Get) if is_component_status(call.kind()) => component_statuses::get(call)?.into(),
        (None, Verb::List) if is_component_status(call.kind()) => component_statuses::list(call)?.into(),
        (None, Verb::Get) => get(call).await?.into(),
        (None, Verb::List) => list(call).await?.into(),
        (None, Verb::Watch) if !call.kind().allows(Verb::Watch) => return Err(route::not_supported(Verb::Watch, call.kind())),
        (None, Verb::Watch) => watch(call)?.into(),
        (None, Verb::Create) if reviews::is_review(call.kind()) => reviews::answer(call, warnings)?.into(),
        (None, Verb::Create) if is_binding(call.kind()) => subresource::bind(call, warnings).await?,
        (None, Verb::Create) => create(call, warnings).await?,
        (None, Verb::Update) => update(call, Endpoint::Main, warnings).await?,
        (None, Verb::Patch) => patch(call, Endpoint::Main, warnings).await?,
        (None, Verb::Delete) => delete(call, warnings).await?,
        (None, Verb::DeleteCollection) => delete_collection(call, warnings).await?,
    })
}

/// Returns true if the answer to a request can be printed as a table.
fn has_tables(route: &Route) -> bool {
    match (route.subresource.as_deref(), route.verb) {
        (None, Verb::Create) => !reviews::is_review(&route.kind) && !is_binding(&route.kind),
        (Some("binding" | "eviction" | "token"), Verb::Create) => false,
        _ => true,
    }
}

/// Returns true for bindings, which are carried out and never stored.
fn is_binding(kind: &KindSpec) -> bool {
    kind.group.is_empty() && kind.kind == "Binding"
}

impl Call<'_> {
    pub(in crate::request) fn kind(&self) -> &Arc<KindSpec> {
        &self.route.kind
    }

    pub(in crate::request) fn name(&self) -> ObjectName {
        ObjectName::new(self.namespace(), self.route.name.as_deref().unwrap_or_default())
    }

    fn namespace(&self) -> &str {
        if self.kind().is_namespaced() { self.route.namespace.as_deref().unwrap_or_default() } else { "" }
    }

    /// Reads the addressed object, at least as new as the query asks for.
    pub(in crate::request) async fn stored(&self) -> Result<Arc<Stored>, Status> {
        let least = self.incoming.query.get("resourceVersion").map(parse_version).transpose().map_err(Status::unknown)?;
        self.state.api.get(self.kind(), &self.name(), least).await
    }

    pub(in crate::request) fn content_type(&self) -> &str {
        self.incoming.parts.headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    pub(in crate::request) fn body_type(&self) -> Result<BodyType, Status> {
        BodyType::of(self.content_type(), self.kind().is_custom())
    }

    pub(in crate::request) fn written(&self, written: &WriteOutcome) -> Result<Outgoing, Status> {
        let code = if written.created { StatusCode::CREATED } else { StatusCode::OK };
        let bytes = encode::object(self.kind(), &written.object, self.representation, self.state.api.clock.now())?;
        let response = respond::full(code, self.representation.content_type(), bytes);
        Ok(Outgoing { response, warnings: Warnings::default(), stored: written.stored })
    }
}

async fn get(call: &Call<'_>) -> Result<Response<ResponseBody>, Status> {
    let object = call.stored().await?;
    let bytes = encode::object(call.kind(), &object, call.representation, call.state.api.clock.now())?;
    Ok(respond::full(StatusCode::OK, call.representation.content_type(), bytes))
}

async fn list(call: &Call<'_>) -> Result<Response<ResponseBody>, Status> {
    let namespace = call.kind().is_namespaced().then(|| call.route.namespace.clone()).flatten();
    let query = ListQuery::parse(&call.incoming.query, call.kind(), namespace)?;
    let (items, meta) = call.state.api.list(call.kind(), &query).await?;
    let bytes = encode::list(call.kind(), &items, &meta, call.representation, call.state.api.clock.now())?;
    Ok(respond::full(StatusCode::OK, call.representation.content_type(), bytes))
}

fn watch(call: &Call<'_>) -> Result<Response<ResponseBody>, Status> {
    let namespace = call.kind().is_namespaced().then(|| call.route.namespace.clone()).flatten();
    let query =
        WatchQuery::parse(&call.incoming.query, call.kind(), namespace, call.route.name.as_deref(), &call.state.api.seed)?;
    let mut encoder = WatchEncoder::new(call.state, call.kind(), call.representation);
    let outputs = call.state.api.watch(call.kind(), query, options::remarks(call.incoming));
    let events = outputs.filter_map(move |output| std::future::ready(encoder.encode(output)));
    let mut response = respond::full(StatusCode::OK, call.representation.stream_type(), bytes::Bytes::new());
    *response.body_mut() = ResponseBody::events(events);
    Ok(response)
}

/// Reads the object in the body of a create or an update.
fn object_of(call: &Call<'_>, context: &mut WriteContext<'_>) -> Result<Value, Status> {
    let body_type = call.body_type()?;
    if body_type == BodyType::Json && !call.kind().is_custom() {
        context.text = Some(call.incoming.body.clone());
    }
    decode::object(&call.incoming.body, body_type, call.kind(), context)
}

async fn create(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let object = object_of(call, &mut context)?;
    if call.state.strict {
        strict(call.kind(), &object)?;
    }
    call.state.api.clock.sleep_until(call.state.api.open_for_creates(call.kind())).await;
    let outcome = call.state.api.create(&mut context, call.kind(), call.namespace(), None, object).await;
    warnings.append(&mut context.warnings);
    call.written(&outcome?)
}

/// Rejects fields that the real server drops silently and a correct client does not send (DIF-7).
fn strict(kind: &KindSpec, object: &Value) -> Result<(), Status> {
    let sent = ["generation", "uid", "creationTimestamp", "deletionTimestamp"].into_iter().filter_map(|field| {
        let value = object.metadata().get(field).filter(|value| !value.is_null())?;
        let path = format!("metadata.{field}");
        Some(FieldError::new(
            path,
            FieldReason::Forbidden,
            format!("Forbidden: strict mode: only the server sets it, found {value}"),
        ))
    });
    let errors: Vec<_> = sent.collect();
    if errors.is_empty() {
        return Ok(());
    }
    let mut status = Status::invalid(&kind.group, &kind.kind, object.name(), &errors);
    status.message = format!("strict mode: {}", status.message);
    Err(status)
}

/// Answers a PUT to the object or to a subresource that takes the whole object.
pub(in crate::request) async fn update(
    call: &Call<'_>,
    endpoint: Endpoint<'_>,
    warnings: &mut Warnings,
) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "UpdateOptions")?;
    let object = object_of(call, &mut context)?;
    let (kind, name) = (call.kind(), call.name());
    let create_when_missing = kind.flags.create_on_update && endpoint == Endpoint::Main;
    let update = Update { kind, endpoint, name: &name, is_patch: false, create_when_missing };
    let outcome = call.state.api.update(&mut context, update, object).await;
    warnings.append(&mut context.warnings);
    call.written(&outcome?)
}

/// Answers a PATCH of the object or of a subresource that takes the whole object.
pub(in crate::request) async fn patch(
    call: &Call<'_>,
    endpoint: Endpoint<'_>,
    warnings: &mut Warnings,
) -> Result<Outgoing, Status> {
    if apply::is_apply(call.content_type()) {
        return apply::answer(call, endpoint, warnings).await;
    }
    let query = &call.incoming.query;
    let mut context = options::write_context(call.incoming, "PatchOptions")?;
    let patch = PatchRequest::parse(call.content_type(), &call.incoming.body, Builtin::of(call.kind()).map(Builtin::definition))?;
    options::check_force(query)?;
    let (kind, name) = (call.kind(), call.name());
    let update = Update { kind, endpoint, name: &name, is_patch: true, create_when_missing: false };
    let outcome = call.state.api.patch(&mut context, update, &patch).await;
    warnings.append(&mut context.warnings);
    call.written(&outcome?)
}

async fn delete(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let (mut context, options) = delete_options::read(call)?;
    let outcome = call.state.api.delete(&mut context, call.kind(), &call.name(), &options).await;
    warnings.append(&mut context.warnings);
    let deleted = outcome?;
    let response = respond::deleted(&call.state.api, call.kind(), &deleted, call.representation)?;
    Ok(Outgoing { response, warnings: Warnings::default(), stored: deleted.stored })
}

/// Deletes the objects of a collection and answers with them as they were before (SDEL-8).
async fn delete_collection(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let query = &call.incoming.query;
    let (mut context, options) = delete_options::read(call)?;
    let list = ListQuery::parse(query, call.kind(), call.route.namespace.clone())?;
    let (items, meta) = call.state.api.list(call.kind(), &list).await?;
    let mut stored = false;
    for item in &items {
        let name = ObjectName::new(item.value().namespace(), item.value().name());
        match call.state.api.delete(&mut context, call.kind(), &name, &options).await {
            Ok(deleted) => stored |= deleted.stored,
            Err(status) if status.code == 404 => {}
            Err(status) => {
                // The objects that were already deleted still have consequences for controllers.
                if stored {
                    call.state.after_write().await;
                }
                return Err(status);
            }
        }
    }
    warnings.append(&mut context.warnings);
    let shape = match call.representation.shape {
        negotiate::AnswerShape::Metadata => negotiate::AnswerShape::MetadataList,
        other => other,
    };
    let representation = Representation { shape, ..call.representation };
    let bytes = encode::list(call.kind(), &items, &meta, representation, call.state.api.clock.now())?;
    let response = respond::full(StatusCode::OK, representation.content_type(), bytes);
    Ok(Outgoing { response, warnings: Warnings::default(), stored })
}
