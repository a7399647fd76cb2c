//! What a watch asks for.

use std::time::Duration;

use serde_json::json;

use crate::{
    kinds::KindSpec,
    request::{
        list::{parse_number, parse_version},
        query::Query,
        selection::Selection,
    },
    server::State,
    status::{FieldError, FieldReason, Status},
};

/// A watch that says nothing lasts between half an hour and an hour (WATCH-9).
const MIN_TIMEOUT_SECONDS: u64 = 1800;

/// The options of a watch.
#[derive(Clone, Debug)]
pub(crate) struct WatchQuery {
    pub(crate) namespace: Option<String>,
    pub(crate) selection: Selection,
    pub(crate) bookmarks: bool,
    pub(crate) start: Start,
    pub(crate) timeout: Duration,
}

/// Where a watch begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// With all present objects (WATCH-2, WATCH-8), at least as new as the version.
    Initial(u64),
    /// After a version (WATCH-3).
    After(u64),
    /// With the next event.
    Now,
}

impl WatchQuery {
    /// Reads the query of a watch.
    pub(crate) fn parse(
        query: &Query,
        kind: &KindSpec,
        namespace: Option<String>,
        name: Option<&str>,
        state: &State,
    ) -> Result<Self, Status> {
        let selection = match name {
            Some(name) => Selection::by_name(name),
            None => Selection::parse(query, kind)?,
        };
        validate(query)?;
        let version = query.get("resourceVersion").map(parse_version).transpose().map_err(Status::unknown)?;
        let start = match (query.get("sendInitialEvents"), version) {
            (Some("true" | "1"), version) => Start::Initial(version.unwrap_or_default()),
            (Some(_), None | Some(0)) => Start::Now,
            (None, None | Some(0)) => Start::Initial(0),
            (_, Some(version)) => Start::After(version),
        };
        let timeout = match parse_number(query, "timeoutSeconds")?.unwrap_or_default() {
            0 => Duration::from_secs(MIN_TIMEOUT_SECONDS + state.seed.below(MIN_TIMEOUT_SECONDS)),
            seconds => timeout(seconds),
        };
        Ok(Self { namespace, selection, bookmarks: query.is_set("allowWatchBookmarks"), start, timeout })
    }
}

/// How long a watch of so many seconds lasts. The real server counts in nanoseconds of 64 bits: what does not fit, or is below zero, ends at
/// once.
fn timeout(seconds: i64) -> Duration {
    Duration::from_nanos(seconds.checked_mul(1_000_000_000).unwrap_or_default().max(0).cast_unsigned())
}

/// Combinations that make no sense (WATCH-6, WATCH-8).
fn validate(query: &Query) -> Result<(), Status> {
    let forbidden =
        |detail: &str| FieldError::new("resourceVersionMatch", FieldReason::Forbidden, format!("Forbidden: {detail}"));
    let mut errors = Vec::new();
    match (query.get("sendInitialEvents").is_some(), query.get("resourceVersionMatch")) {
        (true, None) => errors.push(forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan")),
        (true, Some(other)) if other != "NotOlderThan" => {
            errors.push(forbidden("sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
            errors.push(FieldError::not_supported("resourceVersionMatch", &json!(other), &["NotOlderThan"]));
        }
        (false, Some(_)) => {
            errors.push(forbidden("resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"))
        }
        _ => {}
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("meta.k8s.io", "ListOptions", "", &errors)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    // WATCH-9
    #[test]
    fn a_watch_that_would_never_end_ends_at_once() {
        let seconds = [1, 9_223_372_036, 9_223_372_037, i64::MAX, -5, i64::MIN].map(|seconds| timeout(seconds).as_secs());
        assert_eq!(seconds, [1, 9_223_372_036, 0, 0, 0, 0]);
    }
}
