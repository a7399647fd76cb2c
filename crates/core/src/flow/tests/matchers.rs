use super::classify::status;
use crate::flow::{ApiStatus, StatusCause};

fn says(code: u16, reason: &str, message: &str) -> ApiStatus {
    ApiStatus { message: message.to_owned(), ..status(code, reason) }
}

// HLP-4
#[test]
fn retries_match_conflicts_quotas_and_timeouts() {
    let managers = StatusCause { reason: "FieldManagerConflict".to_owned(), ..StatusCause::default() };
    let changed = "Operation cannot be fulfilled on resourcequotas \"small\": the object has been modified";
    let forbidden = |told: &str| says(403, "Forbidden", &format!("pods \"p\" is forbidden: {told}"));
    for (status, expected) in [
        (status(409, "Conflict"), "conflict"),
        (status(409, ""), "conflict"),
        (status(0, "Conflict"), "conflict"),
        (status(409, "AlreadyExists"), ""),
        (ApiStatus { causes: vec![managers], ..status(409, "Conflict") }, ""),
        (says(409, "Conflict", changed), "conflict quota"),
        (forbidden("exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1"), "quota"),
        (forbidden("status unknown for quota: small, resources: pods"), "quota"),
        (forbidden("failed quota: small: must specify limits.cpu for: c"), ""),
        (says(500, "InternalError", "Internal error occurred: resource quota evaluation timed out"), "quota"),
        (status(504, "Timeout"), "timeout"),
        (status(500, "ServerTimeout"), "timeout"),
        (status(0, "Timeout"), "timeout"),
        (status(504, ""), "timeout"),
        (says(500, "", "etcdserver: request timed out, possibly due to previous leader failure"), "timeout"),
        (says(500, "", "etcdserver: mvcc: database space exceeded"), ""),
        (status(500, "InternalError"), ""),
        (status(404, "NotFound"), ""),
    ] {
        let matches = [(status.is_conflict(), "conflict"), (status.is_quota(), "quota"), (status.is_timeout(), "timeout")];
        let found: Vec<_> = matches.into_iter().filter(|(matches, _)| *matches).map(|(_, name)| name).collect();
        assert_eq!(found.join(" "), expected, "{status:?}");
    }
}
