use std::sync::Arc;

use serde_json::json;

use super::classify::{not_found, status};
use crate::flow::*;

#[derive(Debug, thiserror::Error)]
#[error("register the widget")]
struct Wrapped(#[source] ApiError);

fn refused(status: ApiStatus) -> ApiError {
    ApiError::Status { request: "create /api/v1/configmaps".to_owned(), status: Box::new(status) }
}

// ERR-2, ERR-6
#[test]
fn the_error_of_a_request_is_recognised_in_a_chain() {
    let shared = ApiError::Shared(Arc::new(refused(not_found())));
    for error in [Wrapped(refused(not_found())), Wrapped(shared)] {
        assert_eq!(status_in(&error), Some(not_found()));
        let failure = Failure::unclassified(error);
        assert_eq!((failure.classification().reason.as_str(), failure.classification().status), ("NotFound", Some(404)));
        assert_eq!(failure.text(), "register the widget: the server said NotFound");
    }
}

#[test]
fn a_request_without_an_answer_has_no_status() {
    let lost = || LeadershipLost::new("shops".into(), false);
    let error = ApiError::LeadershipLost { request: "create /api/v1/configmaps".to_owned(), source: lost() };
    assert!(error.is_unanswered() && !error.is_transient());
    assert_eq!(status_in(&Wrapped(error)), None);
    assert_eq!(status_in(&lost()), None);
    assert!(!refused(not_found()).is_unanswered());
}

#[test]
fn a_name_that_is_invalid_for_any_object_is_refused_as_a_server_would() {
    let error = ApiError::Misaddressed { request: "delete".to_owned(), problem: "the name is empty".to_owned() };
    assert_eq!(error.status(), None);
    let told = ApiStatus { message: "delete: the name is empty".to_owned(), ..status(422, "Invalid") };
    assert_eq!(status_in(&error), Some(told));
}

#[test]
fn the_first_error_of_a_request_in_a_chain_counts() {
    let source = Box::new(refused(not_found()));
    let error = Wrapped(ApiError::Connection { request: "list /api/v1/configmaps".to_owned(), source });
    assert_eq!(status_in(&error), None);
    assert_eq!(Failure::unclassified(error).classification().reason.as_str(), "ConnectionFailed");
}

#[test]
fn a_status_object_is_read() {
    let object = json!({"code": 422, "reason": "Invalid", "message": "told", "details": {
        "kind": "Widget", "name": "a", "retryAfterSeconds": 86_400,
        "causes": [{"reason": "FieldValueRequired", "field": "spec", "message": "required"}],
    }});
    let cause = StatusCause { reason: "FieldValueRequired".into(), field: "spec".into(), message: "required".into() };
    let expected = ApiStatus {
        code: 422,
        reason: "Invalid".into(),
        message: "told".into(),
        kind: "Widget".into(),
        name: "a".into(),
        causes: vec![cause],
        retry_after_seconds: Some(300),
    };
    assert_eq!(ApiStatus::read(500, &object), expected);
    let bare = ApiStatus { code: 500, message: "500 ".into(), ..ApiStatus::default() };
    assert_eq!(ApiStatus::read(500, &json!({"details": {"retryAfterSeconds": 0}})), bare);
}
