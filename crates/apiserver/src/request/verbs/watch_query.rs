//! The parameters of a watch in the query of a URL (apiserver.md, 2.10).

use std::time::Duration;

use kubewright_middleware::target::Query;
use kubewright_middleware::{Seed, Status};
use kubewright_schema::{FieldError, FieldReason};
use serde_json::json;

use super::list_query::{parse_number, parse_version};
use crate::api::watch::MIN_TIMEOUT_SECONDS;
use crate::api::{Selection, WatchQuery, WatchStart};
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;

/// The only version match that a watch may have.
const NOT_OLDER_THAN: &str = "NotOlderThan";

impl WatchQuery {
    /// Reads the query of a watch.
    pub(in crate::request) fn parse(
        query: &Query,
        kind: &KindSpec,
        namespace: Option<String>,
        name: Option<&str>,
        seed: &Seed,
    ) -> Result<Self, Status> {
        let selection = match name {
            Some(name) => Selection::by_name(name),
            None => Selection::parse(query, kind)?,
        };
        parse_number(query, "limit")?;
        let (version, matching) = (query.get("resourceVersion"), query.get("resourceVersionMatch"));
        // A watch without these options begins with the current objects.
        let is_plain = matches!(version, None | Some("0")) && matching.is_none() && query.boolean("sendInitialEvents").is_none();
        let (initial, matching) =
            if is_plain { (Some(true), Some(NOT_OLDER_THAN)) } else { (query.boolean("sendInitialEvents"), matching) };
        validate(initial, matching, query.get("continue"))?;
        let version = version.map(parse_version).transpose().map_err(Status::unknown)?.unwrap_or_default();
        let start = match initial {
            Some(true) => WatchStart::Initial(version),
            _ if version == 0 => WatchStart::Now,
            _ => WatchStart::After(version),
        };
        let timeout = match parse_number(query, "timeoutSeconds")?.unwrap_or_default() {
            0 => Duration::from_secs(MIN_TIMEOUT_SECONDS + seed.below(MIN_TIMEOUT_SECONDS)),
            seconds => timeout(seconds),
        };
        Ok(Self { namespace, selection, bookmarks: query.is_set("allowWatchBookmarks"), start, timeout })
    }
}

/// Returns the duration of a watch. The real server counts in nanoseconds of 64 bits: a value that does not fit, or is negative, ends the watch at
/// once.
fn timeout(seconds: i64) -> Duration {
    Duration::from_nanos(seconds.checked_mul(1_000_000_000).unwrap_or_default().max(0).cast_unsigned())
}

/// Rejects invalid combinations of options (SWATCH-6, SWATCH-8).
fn validate(initial: Option<bool>, matching: Option<&str>, next: Option<&str>) -> Result<(), Status> {
    let forbidden =
        |detail: &str| FieldError::new("resourceVersionMatch", FieldReason::Forbidden, format!("Forbidden: {detail}"));
    let mut errors = Vec::new();
    match (initial.is_some(), matching) {
        (true, None) => errors.push(forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")),
        (true, Some(other)) if other != NOT_OLDER_THAN => {
            errors.push(forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
            errors.push(FieldError::not_supported("resourceVersionMatch", &json!(other), &[NOT_OLDER_THAN]));
        }
        (false, Some(_)) => {
            errors.push(forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
        }
        _ => {}
    }
    if initial.is_some() && next.is_some() {
        errors.push(forbidden("resourceVersionMatch is forbidden when continue is provided"));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("meta.k8s.io", "ListOptions", "", &errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SWATCH-9
    #[test]
    fn a_watch_that_would_never_end_ends_at_once() {
        let seconds = [1, 9_223_372_036, 9_223_372_037, i64::MAX, -5, i64::MIN].map(|seconds| timeout(seconds).as_secs());
        assert_eq!(seconds, [1, 9_223_372_036, 0, 0, 0, 0]);
    }
}
