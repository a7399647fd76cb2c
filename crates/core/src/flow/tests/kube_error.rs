use kube_client::Error;
use kube_client::core::Status;
use kube_client::core::response::{StatusCause as KubeCause, StatusDetails};

use crate::flow::*;

#[derive(Debug, thiserror::Error)]
#[error("register the widget")]
struct Wrapped(#[source] BoxError);

fn refusal() -> Box<Status> {
    let cause = KubeCause { reason: "FieldManagerConflict".into(), message: "owned".into(), field: "spec".into() };
    let details = StatusDetails { kind: "Widget".into(), name: "a".into(), causes: vec![cause], ..wait(7) };
    Status::failure("the server said no", "Conflict").with_code(409).with_details(details).boxed()
}

fn wait(seconds: u32) -> StatusDetails {
    let none = String::new;
    StatusDetails { name: none(), group: none(), kind: none(), uid: none(), causes: Vec::new(), retry_after_seconds: seconds }
}

// ERR-2, ERR-6: no value of the runtime is at hand where user code turns an error into a failure.
#[test]
fn an_answer_of_a_server_is_recognised_bare_boxed_and_in_an_error_of_the_library() {
    let cause = StatusCause { reason: "FieldManagerConflict".into(), field: "spec".into(), message: "owned".into() };
    let expected = ApiStatus {
        code: 409,
        reason: "Conflict".into(),
        message: "the server said no".into(),
        kind: "Widget".into(),
        name: "a".into(),
        causes: vec![cause],
        retry_after_seconds: Some(7),
    };
    let errors: [BoxError; 3] = [Box::new(*refusal()), Box::new(refusal()), Box::new(Error::Api(refusal()))];
    for error in errors {
        let error = Wrapped(error);
        assert_eq!(status_in(&error), Some(expected.clone()));
        let failure = Failure::unclassified(error);
        assert_eq!(failure.classification().reason.as_str(), "FieldManagerConflict");
        assert_eq!(failure.text(), "register the widget: the server said no");
    }
}

// RTY-13
#[test]
fn errors_of_the_library_without_an_answer_back_off() {
    let reset = || std::io::Error::from(std::io::ErrorKind::ConnectionReset);
    let garbage = serde_json::from_str::<u8>("garbage").unwrap_err();
    for (error, reason, is_recognised) in [
        (Error::Service(Box::new(reset())), "ConnectionFailed", true),
        (Error::ReadEvents(reset()), "ConnectionFailed", true),
        (Error::SerdeError(garbage), "DecodeFailed", true),
        (Error::TlsRequired, "InternalError", false),
    ] {
        let found = Failure::unclassified(Wrapped(Box::new(error))).classification();
        assert_eq!((found.class, found.reason.as_str(), found.recognised), (Class::Backoff, reason, is_recognised));
    }
}

// ERR-5
#[test]
fn branches_are_joined_by_the_classes_of_their_errors() {
    let branch = |error: Error| -> Flow { Err(error)? };
    let busy = Status::failure("busy", "TooManyRequests").with_code(429).with_details(wait(7));
    let busy = branch(Error::Api(busy.boxed()));
    let conflict = branch(Error::Api(Status::failure("changed", "Conflict").with_code(409).boxed()));
    let halt = join([("one", busy), ("other", conflict)]).map(drop).unwrap_err();
    let Halt::Failed(failure) = halt else { panic!("{halt:?}") };
    assert_eq!(failure.class(), Class::After(Delay::secs::<7>()));
}
