//! Tokens for service accounts: the subresource `token` (AUTH-8).

use std::sync::Arc;

use http::StatusCode;
use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_middleware::Status;
use kubewright_schema::FieldError;
use serde_json::{Value, json};

use super::subresource;
use crate::access::service_account::{Bound, ISSUER, ObjectId, TokenClaims};
use crate::api::create::match_namespace;
use crate::api::warnings::Warnings;
use crate::api::write::{self, WriteContext};
use crate::api::{ObjectApi, ownership};
use crate::request::service::Outgoing;
use crate::request::verbs::options;
use crate::request::verbs::resource::Call;
use crate::request::wire::respond;
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Resource, Snapshot};

const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

/// Issues a token.
pub(in crate::request) fn answer(call: &Call<'_>, warnings: &mut Warnings) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    context.subresource = "token";
    let request = read(call, &mut context)?;
    warnings.append(&mut context.warnings);
    let name = call.name();
    let snapshot = call.state.api.store.snapshot();
    let account = object(&snapshot, "serviceaccounts", &name)?;
    let request = complete(&call.state.api, request, &account)?;
    let bound = bound(&snapshot, &account, &request)?;
    let request = issue(&call.state.api, request, bound);
    let response = respond::value(StatusCode::CREATED, &request, call.representation.format);
    Ok(Outgoing { response, warnings: Warnings::default(), stored: false })
}

/// Reads the body and adds its defaults and its managers.
fn read(call: &Call<'_>, context: &mut WriteContext<'_>) -> Result<Value, Status> {
    let mut request = call.posted(GROUP, "v1", KIND, context)?;
    let kind = Arc::new(subresource::kind_of_body(call.kind(), GROUP, KIND));
    let refuse =
        |problem: String| Status::bad_request(format!("{KIND} in version \"v1\" cannot be handled as a {KIND}: {problem}"));
    let sent = ownership::take(&kind, &mut request).map_err(refuse)?;
    write::absorb(context, &kind, &mut request, refuse)?;
    let managers = ownership::after_create(&call.state.api, context, &kind, &request, sent);
    ownership::put(&mut request, managers);
    let name = call.name();
    match_namespace(&mut request, &name.namespace)?;
    if !request.name().is_empty() && request.name() != &*name.name {
        let detail = "must match the service account name if specified";
        let error = FieldError::invalid("metadata.name", &json!(request.name()), detail);
        return Err(Status::invalid(GROUP, KIND, &name.name, &[error]));
    }
    Ok(request)
}

/// Fills in the data of the account, and rejects a lifetime that is too short or too long.
fn complete(api: &ObjectApi, mut request: Value, account: &Value) -> Result<Value, Status> {
    let (asked, known) = (request.uid(), account.uid());
    if !asked.is_empty() && asked != known {
        let why = format!("the UID in the token request ({asked}) does not match the UID of the service account ({known})");
        return Err(Status::conflict(GROUP, KIND, account.name(), &why));
    }
    let (name, known) = (account.name().to_owned(), known.to_owned());
    let metadata = request.metadata_mut();
    metadata.insert("name".into(), name.into());
    metadata.insert("uid".into(), known.into());
    metadata.insert("creationTimestamp".into(), api.clock.now_in_seconds().into());
    let spec = &mut request["spec"];
    if spec["audiences"].as_array().is_none_or(Vec::is_empty) {
        spec["audiences"] = json!([ISSUER]);
    }
    let seconds = &spec["expirationSeconds"];
    let detail = match seconds.as_i64().unwrap_or_default() {
        ..SHORTEST => "may not specify a duration less than 10 minutes",
        seconds if seconds > LONGEST => "may not specify a duration larger than 2^32 seconds",
        _ => return Ok(request),
    };
    let error = FieldError::invalid("spec.expirationSeconds", seconds, detail);
    Err(Status::invalid(GROUP, KIND, "", &[error]))
}

/// Returns the objects that the token is bound to.
fn bound(snapshot: &Snapshot, account: &Value, request: &Value) -> Result<Bound, Status> {
    let namespace = account.namespace();
    let mut bound = Bound { namespace: namespace.to_owned(), account: id(account), ..Bound::default() };
    let reference = &request["spec"]["boundObjectRef"];
    if !reference.is_object() {
        return Ok(bound);
    }
    let text = |field: &str| reference[field].as_str().unwrap_or_default();
    let kind = GroupVersionKind::from_api_version(text("apiVersion"), text("kind")).unwrap_or_default();
    let name = ObjectName::new(if text("kind") == "Node" { "" } else { namespace }, text("name"));
    let referred = match (kind.group.as_str(), kind.kind.as_str()) {
        ("", "Pod") => {
            let pod = object(snapshot, "pods", &name)?;
            let spec = |field: &str| pod["spec"][field].as_str().unwrap_or_default().to_owned();
            if spec("serviceAccountName") != account.name() {
                let account = account.name();
                let why = format!(
                    "cannot bind token for serviceaccount {account:?} to pod running with different serviceaccount name."
                );
                return Err(Status::bad_request(why));
            }
            let node = spec("nodeName");
            if !node.is_empty() {
                // A node that does not exist is identified by its name alone.
                let known = object(snapshot, "nodes", &ObjectName::new("", &node)).ok();
                bound.node = Some(known.as_ref().map_or_else(|| ObjectId { name: node, uid: String::new() }, id));
            }
            bound.pod = Some(id(&pod));
            pod
        }
        ("", "Secret") => {
            let secret = object(snapshot, "secrets", &name)?;
            bound.secret = Some(id(&secret));
            secret
        }
        ("", "Node") => {
            let node = object(snapshot, "nodes", &name)?;
            bound.node = Some(id(&node));
            node
        }
        _ => {
            let (group, version, kind) = (&kind.group, &kind.version, &kind.kind);
            return Err(Status::bad_request(format!("cannot bind token to object of type {group}/{version}, Kind={kind}")));
        }
    };
    let uid = text("uid");
    if !uid.is_empty() && uid != referred.uid() {
        let why = format!(
            "the UID in the bound object reference ({uid}) does not match the UID in record. The object might have been deleted and then recreated"
        );
        return Err(Status::conflict("", &kind.kind, referred.name(), &why));
    }
    Ok(bound)
}

/// Signs the token and puts it into the status.
fn issue(api: &ObjectApi, mut request: Value, bound: Bound) -> Value {
    let spec = &request["spec"];
    let seconds = spec["expirationSeconds"].as_i64().unwrap_or_default();
    let audiences = spec["audiences"].as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect();
    let now = api.clock.now();
    let claims = TokenClaims::new(bound, audiences, api.seed.uuid(), now.as_second(), seconds);
    let expires = jiff::Timestamp::from_second(claims.expires).unwrap_or(now);
    request["status"] = json!({"token": api.access.key.sign(&claims.to_value()), "expirationTimestamp": format!("{expires:.0}")});
    request
}

fn object(snapshot: &Snapshot, plural: &str, name: &ObjectName) -> Result<Value, Status> {
    let found = snapshot.get(&Resource::new("", plural), name);
    found.map(|stored| stored.value().clone()).ok_or_else(|| Status::not_found("", plural, &name.name))
}

fn id(object: &Value) -> ObjectId {
    ObjectId { name: object.name().to_owned(), uid: object.uid().to_owned() }
}
