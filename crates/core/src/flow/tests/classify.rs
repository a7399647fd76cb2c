use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::GroupVersionKind;

use crate::flow::*;

pub(super) fn status(code: u16, reason: &str) -> ApiStatus {
    ApiStatus { code, reason: reason.to_owned(), message: format!("the server said {reason}"), ..ApiStatus::default() }
}

pub(super) fn not_found() -> ApiStatus {
    status(404, "NotFound")
}

#[derive(Debug, thiserror::Error)]
#[error("failed to do it")]
struct Wrapper(#[source] BoxError);

fn wrapped(error: impl Into<BoxError>) -> Wrapper {
    Wrapper(error.into())
}

fn classified(error: impl std::error::Error + Send + Sync + 'static) -> Classification {
    match Halt::from(error) {
        Halt::Failed(failure) => failure.classification(),
        halt => unreachable!("{halt:?}"),
    }
}

fn describe(status: &ApiStatus) -> String {
    struct Shown(Class);
    impl fmt::Display for Shown {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self.0 {
                Class::Backoff => f.write_str("backoff"),
                Class::Conflict => f.write_str("conflict"),
                Class::After(delay) => write!(f, "after {delay}"),
                Class::Terminal => f.write_str("terminal"),
            }
        }
    }
    let bare = classified(status.clone());
    assert_eq!(bare, classified(Box::new(status.clone())), "a boxed status counts as well");
    assert_eq!(bare, classified(wrapped(status.clone())), "so does a wrapped one");
    let slow = if bare.slow { ", slow" } else { "" };
    format!("{}{slow}, {:?}, {}", Shown(bare.class), bare.origin, bare.reason)
}

// RTY-13, ERR-2
#[test]
fn answers_of_the_server_are_classified_by_the_table() {
    let with_cause = |code, reason, cause: &str| ApiStatus {
        causes: vec![StatusCause { reason: cause.to_owned(), ..StatusCause::default() }],
        ..status(code, reason)
    };
    let retry_after = |code, reason, seconds| ApiStatus { retry_after_seconds: Some(seconds), ..status(code, reason) };
    for (status, expected) in [
        (status(409, "Conflict"), "conflict, Transient, Conflict"),
        (status(409, "AlreadyExists"), "conflict, Transient, AlreadyExists"),
        (with_cause(409, "Conflict", "FieldManagerConflict"), "backoff, slow, Refused, FieldManagerConflict"),
        (status(403, "Forbidden"), "backoff, slow, Refused, Forbidden"),
        (with_cause(403, "Forbidden", "NamespaceTerminating"), "backoff, slow, Refused, NamespaceTerminating"),
        (status(401, "Unauthorized"), "backoff, slow, Refused, Unauthorized"),
        (status(422, "Invalid"), "backoff, slow, Refused, Invalid"),
        (status(404, "NotFound"), "backoff, Transient, NotFound"),
        (status(410, "Expired"), "conflict, Transient, Expired"),
        (status(429, "TooManyRequests"), "backoff, Transient, TooManyRequests"),
        (retry_after(429, "TooManyRequests", 7), "after 7s, Transient, TooManyRequests"),
        (status(500, "InternalError"), "backoff, Transient, InternalError"),
        (status(502, "no reason"), "backoff, Transient, ServerError"),
        (retry_after(503, "ServiceUnavailable", 2), "after 2s, Transient, ServiceUnavailable"),
        (status(504, "Timeout"), "backoff, Transient, Timeout"),
        (status(400, ""), "backoff, slow, Bug, BadRequest"),
        (status(405, "MethodNotAllowed"), "backoff, slow, Bug, MethodNotAllowed"),
        (status(415, "UnsupportedMediaType"), "backoff, slow, Bug, UnsupportedMediaType"),
        (status(0, "NotFound"), "backoff, Transient, NotFound"),
    ] {
        assert_eq!(describe(&status), expected, "{status:?}");
    }
}

// RTY-13
#[test]
fn faults_without_an_answer_back_off() {
    let request = || "list /api/v1/configmaps".to_owned();
    let faults = [
        ApiError::TimedOut { request: request(), after: Duration::from_secs(30) },
        ApiError::Decode { request: request(), problem: "no JSON".to_owned() },
        ApiError::NotServed { gvk: GroupVersionKind::new("example.dev", "v1", "Widget"), served: Vec::new() },
    ];
    let faults = faults.map(|error| classified(wrapped(error)));
    assert!(faults.iter().all(|found| found.class == Class::Backoff && found.recognised));
    assert_eq!(faults.map(|found| found.reason.to_string()), ["ConnectionFailed", "DecodeFailed", "KindNotServed"]);
}

// ERR-3
#[test]
fn an_unknown_error_backs_off() {
    let found = classified(wrapped("an error of another library"));
    assert_eq!((found.class, found.origin, found.reason.as_str()), (Class::Backoff, Origin::Unknown, "InternalError"));
    assert!(!found.recognised);
}

// RTY-04, ERR-1
#[test]
fn wrappers_do_not_hide_an_explicit_class() {
    let found = classified(wrapped(wrapped(Classified::terminal("Hopeless", "never"))));
    assert_eq!((found.class, found.reason.as_str()), (Class::Terminal, "Hopeless"));
    let over_status = classified(wrapped(Classified::after(Delay::secs::<9>(), wrapped(not_found()))));
    assert_eq!((over_status.class, over_status.reason.as_str()), (Class::After(Delay::secs::<9>()), "NotFound"));
}

// RTY-14, ERR-5, ERR-8
#[test]
fn joined_errors_are_retried_when_one_of_them_is() {
    let terminal = || Some(BoxError::from(Classified::terminal("T", "never")));
    let after = |delay| Some(BoxError::from(Classified::after(delay, "later")));
    let class = |errors: Vec<Option<BoxError>>| {
        JoinedErrors::join(errors).map(|error| Failure::unclassified(error).classification().class)
    };
    assert_eq!(class(vec![None, None]), None);
    assert_eq!(class(vec![terminal(), None]), Some(Class::Terminal));
    assert_eq!(class(vec![terminal(), terminal()]), Some(Class::Terminal));
    assert_eq!(
        class(vec![terminal(), after(Delay::secs::<5>()), after(Delay::secs::<3>())]),
        Some(Class::After(Delay::secs::<3>()))
    );
    assert_eq!(class(vec![terminal(), Some("plain".into())]), Some(Class::Backoff));
    let joined = JoinedErrors::join([terminal(), Some(Box::new(wrapped("why")) as BoxError)]).unwrap();
    assert_eq!(joined.to_string(), "2 failures:\nnever\nfailed to do it: why");
}

// RTY-23, ERR-6, ERR-4
#[test]
fn messages_join_the_chain_without_repetition() {
    #[derive(Debug, thiserror::Error)]
    #[error("outer: {0}")]
    struct Repeating(#[source] Wrapper);
    let text = |error: BoxError| Failure::unclassified(error).text();
    assert_eq!(text(Box::new(Repeating(wrapped("the reason")))), "outer: failed to do it: the reason");
    assert_eq!(text(Box::new(wrapped(not_found()))), "failed to do it: the server said NotFound");
    assert_eq!(text(Box::new(Classified::backoff(wrapped("x")))), "failed to do it: x");
    assert_eq!(Classified::backoff("shown as it is").to_string(), "shown as it is");
}
