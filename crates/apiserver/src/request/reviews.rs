//! Virtual resources that are only asked: who am I, may I (AUTH-7).

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::{
    body::ResponseBody,
    decode::{self, BodyType},
    options,
    resource::Call,
    respond,
};
use crate::{
    access::Identity,
    kinds::KindSpec,
    status::{FieldError, Status},
};

/// Whether objects of the kind are answered and never stored.
pub(super) fn is_review(kind: &KindSpec) -> bool {
    matches!(kind.group.as_str(), "authentication.k8s.io" | "authorization.k8s.io")
}

/// Answers a review. Everybody may do everything while access rules are off.
pub(super) fn answer(call: &Call<'_>, warnings: &mut Vec<String>) -> Result<Response<ResponseBody>, Status> {
    let mut context = options::write_context(call.incoming, "CreateOptions")?;
    let body_type = BodyType::of(call.content_type(), false)?;
    let mut review = decode::object(&call.incoming.body, body_type, call.kind(), &mut context)?;
    warnings.append(&mut context.warnings);
    match review.get("metadata") {
        Some(Value::Object(_)) => {}
        None | Some(Value::Null) => review["metadata"] = json!({}),
        Some(_) => return Err(Status::bad_request(format!("metadata of a {} must be an object", call.kind().kind))),
    }
    let attributes = ["resourceAttributes", "nonResourceAttributes"]
        .iter()
        .filter(|field| review["spec"].get(**field).is_some_and(Value::is_object))
        .count();
    if call.kind().kind.ends_with("AccessReview") && attributes != 1 {
        let detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
        let error = FieldError::invalid("spec.resourceAttributes", &Value::Null, detail);
        return Err(Status::invalid(&call.kind().group, "", "", &[error]));
    }
    let user = &call.incoming.user;
    review["status"] = match call.kind().kind.as_str() {
        "SelfSubjectReview" => {
            review["metadata"]["creationTimestamp"] = call.state.clock.now_in_seconds().into();
            json!({"userInfo": user_info(user)})
        }
        "TokenReview" => json!({"user": {}, "error": "[invalid bearer token, token lookup failed]"}),
        "SelfSubjectRulesReview" => json!({
            "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
            "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
            "incomplete": false,
        }),
        _ => json!({"allowed": true}),
    };
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
