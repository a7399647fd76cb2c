//! The description of one operation: its parameters, body and responses.

use serde_json::{Map, Value, json};

use super::{names, schemas};
use crate::kinds::KindSpec;

/// A query parameter and its type.
pub(super) type Parameter = (&'static str, &'static str);

pub(super) const WRITE: &[Parameter] = &[("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string")];
pub(super) const PATCH: &[Parameter] =
    &[("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string"), ("force", "boolean")];
pub(super) const DELETE: &[Parameter] = &[
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];
pub(super) const LIST: &[Parameter] = &[
    ("allowWatchBookmarks", "boolean"),
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("shardSelector", "string"),
    ("timeoutSeconds", "integer"),
    ("watch", "boolean"),
];
pub(super) const DELETE_COLLECTION: &[Parameter] = &[
    ("continue", "string"),
    ("dryRun", "string"),
    ("fieldSelector", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("shardSelector", "string"),
    ("timeoutSeconds", "integer"),
];
pub(super) const LOG: &[Parameter] = &[
    ("container", "string"),
    ("follow", "boolean"),
    ("insecureSkipTLSVerifyBackend", "boolean"),
    ("limitBytes", "integer"),
    ("pretty", "string"),
    ("previous", "boolean"),
    ("sinceSeconds", "integer"),
    ("stream", "string"),
    ("tailLines", "integer"),
    ("timestamps", "boolean"),
];
/// The query parameters of a GET of a custom resource.
pub(super) const GET_CUSTOM: &[Parameter] = &[("resourceVersion", "string")];

/// The body of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Body<'a> {
    Nothing,
    Object(Option<&'a str>),
    Patch,
    DeleteOptions,
}

/// The properties that operations of one sort have in common.
#[derive(Clone, Copy)]
pub(super) struct OperationProfile<'a> {
    /// The value of `x-kubernetes-action`.
    pub(super) action: &'a str,
    pub(super) parameters: &'a [Parameter],
    pub(super) body: Body<'a>,
    /// The codes of successful responses.
    pub(super) codes: &'a [u16],
    /// The schema of the response; without one, the response is text.
    pub(super) answer: Option<&'a str>,
}

/// An operation on a kind.
pub(super) struct KindOperation<'a> {
    pub(super) kind: &'a KindSpec,
    /// The group, version and kind that the operation is marked with.
    pub(super) gvk: (&'a str, &'a str, &'a str),
    /// The id of the operation.
    pub(super) id: String,
    pub(super) row: OperationProfile<'a>,
}

impl KindOperation<'_> {
    pub(super) fn to_value(&self) -> Value {
        let (group, version, kind) = self.gvk;
        let mut operation = json!({
            "operationId": self.id,
            "tags": [names::tag(&self.kind.group, &self.kind.version)],
            "responses": self.responses(),
            "x-kubernetes-action": self.row.action,
            "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
        });
        if !self.row.parameters.is_empty() {
            operation["parameters"] = self.row.parameters.iter().map(|(name, type_)| parameter(name, "query", type_)).collect();
        }
        if let Some(body) = self.request_body() {
            operation["requestBody"] = body;
        }
        operation
    }

    fn is_custom(&self) -> bool {
        self.kind.is_custom()
    }

    fn request_body(&self) -> Option<Value> {
        let all = |schema: Option<&str>| {
            let types: &[&str] = if self.is_custom() { &["application/json", "application/yaml"] } else { &["*/*"] };
            contents(types.iter().copied(), schema)
        };
        match self.row.body {
            Body::Nothing => None,
            Body::Object(schema) => Some(json!({"required": true, "content": all(schema)})),
            Body::DeleteOptions => Some(json!({"content": all(Some(schemas::DELETE_OPTIONS))})),
            Body::Patch => {
                let mut types =
                    vec!["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
                types.extend((!self.is_custom()).then_some("application/strategic-merge-patch+json"));
                Some(json!({"required": true, "content": contents(types.into_iter(), Some(schemas::PATCH))}))
            }
        }
    }

    fn responses(&self) -> Value {
        let mut types = vec!["application/json", "application/yaml"];
        if self.row.action == "connect" {
            types = vec!["*/*"];
        } else if !self.is_custom() {
            types.push("application/vnd.kubernetes.protobuf");
            if matches!(self.row.action, "list" | "watch" | "watchlist") {
                types.extend(["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"]);
            }
            if self.row.answer.is_none() {
                types.push("text/plain");
            }
        }
        let mut responses = Map::new();
        for code in self.row.codes {
            let description = match code {
                201 => "Created",
                202 => "Accepted",
                _ => "OK",
            };
            let answer = json!({"description": description, "content": contents(types.iter().copied(), self.row.answer)});
            responses.insert(code.to_string(), answer);
        }
        responses.insert("401".to_owned(), json!({"description": "Unauthorized"}));
        responses.into()
    }
}

/// Returns the same schema for several media types.
fn contents<'t>(types: impl Iterator<Item = &'t str>, schema: Option<&str>) -> Value {
    let schema = schema.map_or_else(|| json!({"type": "string"}), schemas::reference);
    types.map(|name| (name.to_owned(), json!({"schema": schema}))).collect::<Map<_, _>>().into()
}

pub(super) fn parameter(name: &str, location: &str, type_: &str) -> Value {
    let mut parameter = json!({"name": name, "in": location, "schema": {"type": type_, "uniqueItems": true}});
    if location == "path" {
        parameter["required"] = true.into();
    }
    parameter
}
