//! Reviews: virtual resources that are answered and never stored, about identity and authorization (AUTH-7).

mod access;
mod rules;
mod token;

use http::{Response, StatusCode};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::{Identity, Status};
use serde_json::{Value, json};

use super::verbs::options;
use super::verbs::resource::Call;
use super::wire::body::ResponseBody;
use super::wire::negotiate::AnswerShape;
use super::wire::{decode, respond};
use crate::api::create::match_namespace;
use crate::api::warnings::Warnings;
use crate::api::{ownership, write};
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::tables::partial_metadata;

/// Returns true if objects of the kind are answered and never stored.
pub(in crate::request) fn is_review(kind: &KindSpec) -> bool {
    matches!(kind.group.as_str(), "authentication.k8s.io" | "authorization.k8s.io")
}

/// Answers a review.
pub(in crate::request) fn answer(call: &Call<'_>, warnings: &mut Warnings) -> Result<Response<ResponseBody>, Status> {
    let (kind, api) = (call.kind(), &call.state.api);
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let mut review = decode::object(&call.incoming.body, call.body_type()?, kind, &mut context)?;
    let refuse = |problem: String| {
        Status::bad_request(format!("{0} in version {1:?} cannot be handled as a {0}: {problem}", kind.kind, kind.version))
    };
    let sent = ownership::take(kind, &mut review).map_err(refuse)?;
    write::absorb(&mut context, kind, &mut review, refuse)?;
    warnings.append(&mut context.warnings);
    if kind.is_namespaced() {
        match_namespace(&mut review, call.route.namespace.as_deref().unwrap_or_default())?;
    }
    // The caller owns the fields of the review, although nothing is stored.
    let managers = ownership::after_create(api, &context, kind, &review, sent);
    let user = &call.incoming.user;
    let status = match kind.kind.as_str() {
        "SelfSubjectReview" => {
            review["metadata"] = json!({"creationTimestamp": api.clock.now_in_seconds()});
            json!({"userInfo": user_info(user)})
        }
        "SelfSubjectRulesReview" => {
            let status = rules::answer(api, user, &review)?;
            review["metadata"] = json!({});
            review["spec"] = json!({});
            status
        }
        "TokenReview" => {
            ownership::put(&mut review, managers);
            token::answer(api, &review)?
        }
        _ => {
            ownership::put(&mut review, managers);
            access::answer(api, user, &review)?
        }
    };
    review["status"] = status;
    if call.representation.shape == AnswerShape::Metadata {
        review = partial_metadata(&review, call.representation.meta.as_str());
    }
    Ok(respond::value(StatusCode::CREATED, &review, call.representation.format))
}

fn user_info(user: &Identity) -> Value {
    let mut info = json!({"username": user.name(), "groups": user.groups()});
    if let Some(uid) = user.uid() {
        info["uid"] = uid.into();
    }
    if !user.extra().is_empty() {
        info["extra"] = json!(user.extra());
    }
    info
}

/// Returns the texts in a list of the review's spec.
fn texts(review: &Value, list: &str) -> Vec<String> {
    let items = review["spec"][list].as_array().into_iter().flatten();
    items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Returns true if the metadata of a review holds more than a namespace.
fn has_metadata(review: &Value) -> bool {
    review.metadata().keys().any(|field| !matches!(field.as_str(), "namespace" | "managedFields"))
}
