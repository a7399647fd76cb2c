//! Token reviews.

use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::{texts, user_info};
use crate::access::service_account::ISSUER;
use crate::api::ObjectApi;
use crate::status::StatusExt as _;

/// Returns the status of a token review. An invalid token is not an error.
pub(super) fn answer(api: &ObjectApi, review: &Value) -> Result<Value, Status> {
    let token = review["spec"]["token"].as_str().unwrap_or_default();
    if token.is_empty() {
        return Err(Status::bad_request("token is required for TokenReview in authentication"));
    }
    let mut audiences = texts(review, "audiences");
    if audiences.is_empty() {
        audiences.push(ISSUER.to_owned());
    }
    Ok(match api.identify(token, &audiences) {
        Ok((user, audiences)) => json!({"authenticated": true, "user": user_info(&user), "audiences": audiences}),
        Err(problem) => json!({"user": {}, "error": problem.to_string()}),
    })
}
