//! The parameters of a list in the query of a URL (apiserver.md, 2.8).

use std::num::{IntErrorKind, ParseIntError};

use kubewright_middleware::Status;
use kubewright_middleware::target::Query;
use kubewright_schema::{FieldError, FieldReason};
use serde_json::json;

use crate::api::token::Continue;
use crate::api::{ListQuery, ListVersion, Selection};
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;

impl ListQuery {
    /// Reads the query of a list.
    pub(in crate::request) fn parse(query: &Query, kind: &KindSpec, namespace: Option<String>) -> Result<Self, Status> {
        let limit = parse_number(query, "limit")?.unwrap_or_default().max(0) as usize;
        parse_number(query, "timeoutSeconds")?;
        let selection = Selection::parse(query, kind)?;
        validate(query)?;
        let version = query.get("resourceVersion");
        let next = query.get("continue").map(Continue::decode).transpose()?;
        if next.is_some() && version.is_some_and(|version| version != "0") {
            return Err(Status::bad_request("specifying resource version is not allowed when using continue"));
        }
        let version = match version {
            None => ListVersion::Latest,
            Some(text) => {
                let number =
                    parse_version(text).map_err(|problem| Status::bad_request(format!("invalid resource version: {problem}")))?;
                match query.get("resourceVersionMatch") {
                    Some("Exact") => ListVersion::Exact(number),
                    None if limit > 0 && number > 0 => ListVersion::Exact(number),
                    _ if number == 0 => ListVersion::Any,
                    _ => ListVersion::NotOlderThan(number),
                }
            }
        };
        Ok(Self { namespace, selection, limit, next, version })
    }
}

/// Rejects invalid combinations of options (LIST-6).
fn validate(query: &Query) -> Result<(), Status> {
    let (version, matching) = (query.get("resourceVersion"), query.get("resourceVersionMatch"));
    let forbidden = |field: &str, detail: &str| FieldError::new(field, FieldReason::Forbidden, format!("Forbidden: {detail}"));
    let mut errors = Vec::new();
    if let Some(matching) = matching {
        let field = "resourceVersionMatch";
        if version.is_none() {
            errors.push(forbidden(field, "resourceVersionMatch is forbidden unless resourceVersion is provided"));
        }
        if query.get("continue").is_some() {
            errors.push(forbidden(field, "resourceVersionMatch is forbidden when continue is provided"));
        }
        if !matches!(matching, "Exact" | "NotOlderThan") {
            errors.push(FieldError::not_supported(field, &json!(matching), &["Exact", "NotOlderThan", ""]));
        } else if matching == "Exact" && version == Some("0") {
            errors.push(forbidden(field, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
        }
    }
    if query.boolean("sendInitialEvents").is_some() {
        errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
    }
    if errors.is_empty() { Ok(()) } else { Err(Status::invalid("meta.k8s.io", "ListOptions", "", &errors)) }
}

/// Reads an integer option.
pub(in crate::request) fn parse_number(query: &Query, field: &str) -> Result<Option<i64>, Status> {
    let read = |text: &str| {
        text.parse::<i64>().map_err(|error| {
            let problem = match error.kind() {
                IntErrorKind::PosOverflow | IntErrorKind::NegOverflow => "value out of range",
                _ => "invalid syntax",
            };
            Status::bad_request(format!("strconv.ParseInt: parsing {text:?}: {problem}"))
        })
    };
    query.get(field).map(read).transpose()
}

/// Reads a resource version. The error is the text of the real server.
pub(in crate::request) fn parse_version(text: &str) -> Result<u64, String> {
    text.parse().map_err(|error: ParseIntError| {
        let problem = if *error.kind() == IntErrorKind::PosOverflow { "value out of range" } else { "invalid syntax" };
        format!("resourceVersion: Invalid value: {text:?}: strconv.ParseUint: parsing {text:?}: {problem}")
    })
}
