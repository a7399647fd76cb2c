use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::{Method, header};
use kube::client::Body;
use kubewright_core::flow::Confidential;
use kubewright_machinery::object::{Propagation, names};
use serde_json::{Value, json};

use super::{ApiError, ApiResource};

/// A request to the API server as data: built and compared without I/O, sent by [`Cluster::send`](crate::cluster::Cluster::send).
#[derive(Clone, PartialEq, Eq)]
pub struct ApiRequest {
    verb: Verb,
    path: String,
    query: Vec<(&'static str, Cow<'static, str>)>,
    body: Option<Bytes>,
    content_type: &'static str,
    accept: &'static str,
    deadline: Option<Duration>,
    at_once: bool,
    /// The reason why the path is invalid; a request that has one is not sent.
    problem: Option<String>,
}

/// The verb of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verb {
    /// Reads one object.
    Get,
    /// Reads a collection.
    List,
    /// Follows a collection.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces an object.
    Update,
    /// Changes an object.
    Patch,
    /// Deletes an object.
    Delete,
}

/// The format of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PatchKind {
    /// JSON Patch (RFC 6902): a list of operations.
    Json,
    /// JSON merge patch (RFC 7386): an object that is merged into the other.
    Merge,
    /// Kubernetes' merge patch, which merges lists by key.
    Strategic,
    /// Server-side apply: the fields that the field manager wants to own.
    Apply,
}

const JSON: &str = "application/json";
pub(super) const PARTIAL: &str = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json";
pub(super) const PARTIAL_LIST: &str = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json";

impl ApiRequest {
    /// Reads an object.
    pub fn get(resource: &ApiResource, namespace: &str, name: &str) -> Self {
        Self::to_object(Verb::Get, resource, namespace, name)
    }

    /// Reads a collection, in one namespace or in all.
    pub fn list(resource: &ApiResource, namespace: Option<&str>) -> Self {
        Self::to_collection(Verb::List, resource, namespace)
    }

    /// Follows a collection from a resource version on.
    pub(crate) fn watch(resource: &ApiResource, namespace: Option<&str>, version: &str, timeout: Duration) -> Self {
        Self::to_collection(Verb::Watch, resource, namespace)
            .query("watch", "true")
            .query("allowWatchBookmarks", "true")
            .query("resourceVersion", version.to_owned())
            .query("timeoutSeconds", timeout.as_secs().to_string())
    }

    /// Creates an object. Its namespace is the one in the object's metadata.
    pub fn create(resource: &ApiResource, object: &Value) -> Self {
        let namespace = object.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default();
        Self::to_collection(Verb::Create, resource, Some(namespace).filter(|name| !name.is_empty())).body(object, JSON)
    }

    /// Replaces an object by name and namespace of its metadata.
    pub fn update(resource: &ApiResource, object: &Value) -> Self {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        Self::to_object(Verb::Update, resource, text("/metadata/namespace"), text("/metadata/name")).body(object, JSON)
    }

    /// Changes an object.
    pub fn patch(resource: &ApiResource, namespace: &str, name: &str, kind: PatchKind, patch: &Value) -> Self {
        Self::to_object(Verb::Patch, resource, namespace, name).body(patch, kind.content_type())
    }

    /// Changes an object by a patch that is text already.
    pub fn patch_text(resource: &ApiResource, namespace: &str, name: &str, kind: PatchKind, patch: String) -> Self {
        let request = Self::to_object(Verb::Patch, resource, namespace, name);
        Self { body: Some(Bytes::from(patch)), content_type: kind.content_type(), ..request }
    }

    /// Deletes an object regardless of its uid and version.
    pub fn delete(resource: &ApiResource, namespace: &str, name: &str) -> Self {
        Self::to_object(Verb::Delete, resource, namespace, name)
    }

    /// Deletes an object when it still has this uid, and this resource version if one is given.
    pub fn delete_exactly(
        resource: &ApiResource,
        (namespace, name): (&str, &str),
        (uid, version): (&str, Option<&str>),
        propagation: Propagation,
    ) -> Self {
        let mut preconditions = json!({ "uid": uid });
        if let Some(version) = version {
            preconditions["resourceVersion"] = version.into();
        }
        let options = json!({
            "apiVersion": "v1",
            "kind": "DeleteOptions",
            "preconditions": preconditions,
            "propagationPolicy": propagation.as_str(),
        });
        Self::delete(resource, namespace, name).body(&options, JSON)
    }

    /// Reads any path, for documents that are not objects (`/version`, `/apis`).
    pub fn raw(path: impl Into<String>) -> Self {
        Self::new(Verb::Get, path.into())
    }

    fn new(verb: Verb, path: String) -> Self {
        Self {
            verb,
            path,
            query: Vec::new(),
            body: None,
            content_type: JSON,
            accept: JSON,
            deadline: None,
            at_once: false,
            problem: None,
        }
    }

    fn to_collection(verb: Verb, resource: &ApiResource, namespace: Option<&str>) -> Self {
        let mut request = Self::new(verb, String::with_capacity(96));
        request.address(resource, namespace);
        request
    }

    fn to_object(verb: Verb, resource: &ApiResource, namespace: &str, name: &str) -> Self {
        let mut request = Self::to_collection(verb, resource, Some(namespace).filter(|name| !name.is_empty()));
        request.path.push('/');
        request.segment("name", name);
        request
    }

    /// Appends the path of the collection, in one namespace or over all.
    fn address(&mut self, resource: &ApiResource, namespace: Option<&str>) {
        if resource.group.is_empty() {
            self.path.push_str("/api/");
        } else {
            self.path.push_str("/apis/");
            self.path.push_str(&resource.group);
            self.path.push('/');
        }
        self.path.push_str(&resource.version);
        if let Some(namespace) = namespace.filter(|_| resource.namespaced) {
            self.path.push_str("/namespaces/");
            self.segment("namespace", namespace);
        }
        self.path.push('/');
        self.path.push_str(&resource.plural);
    }

    /// Appends a segment whose text comes from a caller. An empty name or one of dots would give the path another meaning, so it is recorded as a problem.
    fn segment(&mut self, what: &str, text: &str) {
        let problems = if text.is_empty() { vec!["may not be empty".to_owned()] } else { names::path_segment(text) };
        if !problems.is_empty() {
            self.problem.get_or_insert_with(|| format!("the {what} {text:?} {}", problems.join(", ")));
        }
        escape(text, b"-._~!$&'()*+,;=:@", &mut self.path);
    }

    /// Addresses a subresource of the object, such as `status`.
    pub fn subresource(mut self, name: &str) -> Self {
        self.path.push('/');
        self.path.push_str(name);
        self
    }

    /// Adds a query parameter.
    pub fn query(mut self, key: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.query.push((key, value.into()));
        self
    }

    /// Sets the field manager of the write.
    pub fn field_manager(self, name: &str) -> Self {
        self.query("fieldManager", name.to_owned())
    }

    /// Takes fields over from other managers (server-side apply).
    pub fn force(self) -> Self {
        self.query("force", "true")
    }

    /// Makes the server check the write without storing it.
    pub fn dry_run(self) -> Self {
        self.query("dryRun", "All")
    }

    /// Selects objects by labels. An empty selector changes nothing.
    pub fn labels(self, selector: &str) -> Self {
        if selector.is_empty() { self } else { self.query("labelSelector", selector.to_owned()) }
    }

    /// Selects objects by fields. An empty selector changes nothing.
    pub fn fields(self, selector: &str) -> Self {
        if selector.is_empty() { self } else { self.query("fieldSelector", selector.to_owned()) }
    }

    /// Limits the number of objects per answer.
    pub fn page(self, limit: u32) -> Self {
        self.query("limit", limit.to_string())
    }

    /// Requests only the metadata of objects.
    pub fn metadata_only(mut self) -> Self {
        self.accept = match self.verb {
            Verb::List => PARTIAL_LIST,
            _ => PARTIAL,
        };
        self
    }

    /// Returns the same request for whole objects if it requests only metadata: some aggregated APIs do not understand the alternatives of a media type, and
    /// answer 406.
    pub(super) fn of_whole_objects(&self) -> Option<Self> {
        [PARTIAL, PARTIAL_LIST].contains(&self.accept).then(|| Self { accept: JSON, ..self.clone() })
    }

    /// Asks for this media type.
    pub fn accept(mut self, media_type: &'static str) -> Self {
        self.accept = media_type;
        self
    }

    /// Sets the time limit of the answer, counted from the moment at which the request is sent, instead of 30 seconds.
    pub fn deadline(mut self, limit: Duration) -> Self {
        self.deadline = Some(limit);
        self
    }

    /// Sends the request at once, regardless of the number of requests in flight: for few requests that must not wait behind many others.
    pub fn at_once(mut self) -> Self {
        self.at_once = true;
        self
    }

    fn body(mut self, body: &Value, content_type: &'static str) -> Self {
        self.body = Some(Bytes::from(body.to_string()));
        self.content_type = content_type;
        self
    }

    /// Returns the path of the object, with the name of an object that the request creates if the body has one.
    pub(super) fn object(&self) -> String {
        let created = || {
            let body: Value = serde_json::from_slice(self.body.as_ref()?).ok()?;
            Some(body.pointer("/metadata/name")?.as_str()?.to_owned())
        };
        match (self.verb == Verb::Create).then(created).flatten() {
            Some(name) => format!("{}/{name}", self.path),
            None => self.path.clone(),
        }
    }

    /// Returns the verb.
    pub fn verb(&self) -> Verb {
        self.verb
    }

    /// Returns the path, without query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the serialized body.
    pub fn payload(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }

    /// Returns the HTTP method.
    pub fn method(&self) -> Method {
        match self.verb {
            Verb::Get | Verb::List | Verb::Watch => Method::GET,
            Verb::Create => Method::POST,
            Verb::Update => Method::PUT,
            Verb::Patch => Method::PATCH,
            Verb::Delete => Method::DELETE,
        }
    }

    /// Returns the confidential values of the body, which must not appear in texts about the request.
    pub(crate) fn confidential(&self) -> Confidential {
        self.body.as_ref().map_or_else(Confidential::default, |body| confidential(&self.path, body))
    }

    pub(crate) fn limit(&self) -> Option<Duration> {
        self.deadline
    }

    /// Returns true if the request counts towards the limit of requests in flight.
    pub(crate) fn takes_turns(&self) -> bool {
        !self.at_once
    }

    /// Returns path and query.
    pub fn uri(&self) -> String {
        let mut uri = self.path.clone();
        for (n, (key, value)) in self.query.iter().enumerate() {
            uri.push(if n == 0 { '?' } else { '&' });
            uri.push_str(key);
            uri.push('=');
            escape(value, b"-._~/,", &mut uri);
        }
        uri
    }

    pub(crate) fn to_http(&self) -> Result<http::Request<Body>, ApiError> {
        if let Some(problem) = &self.problem {
            return Err(ApiError::Misaddressed { request: self.verb.to_string(), problem: problem.clone() });
        }
        let mut request = http::Request::builder().method(self.method()).uri(self.uri()).header(header::ACCEPT, self.accept);
        if self.body.is_some() {
            request = request.header(header::CONTENT_TYPE, self.content_type);
        }
        if self.verb == Verb::Watch {
            // Some HTTP client stacks cannot decode a stream that has one gzip member per event.
            request = request.header(header::ACCEPT_ENCODING, "identity");
        }
        request
            .body(self.body.clone().map_or_else(Body::empty, Body::from))
            .map_err(|source| ApiError::Invalid { request: self.to_string(), source: source.into() })
    }
}

/// Writes verb and path, as errors show a request.
impl fmt::Display for ApiRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.path)
    }
}

/// Writes the request without its body, which may hold secrets.
impl fmt::Debug for ApiRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiRequest").field("verb", &self.verb).field("uri", &self.uri()).finish_non_exhaustive()
    }
}

impl Verb {
    /// Returns the HTTP method.
    pub fn method(self) -> &'static str {
        match self {
            Self::Get | Self::List | Self::Watch => "GET",
            Self::Create => "POST",
            Self::Update => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Returns the verb in RBAC.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::List => "list",
            Self::Watch => "watch",
            Self::Create => "create",
            Self::Update => "update",
            Self::Patch => "patch",
            Self::Delete => "delete",
        }
    }
}

impl fmt::Display for Verb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl PatchKind {
    /// Returns the media type of the patch.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Json => "application/json-patch+json",
            Self::Merge => "application/merge-patch+json",
            Self::Strategic => "application/strategic-merge-patch+json",
            Self::Apply => "application/apply-patch+yaml",
        }
    }
}

/// Percent-encodes all bytes but letters, digits and those in `plain`.
fn escape(value: &str, plain: &[u8], out: &mut String) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for byte in value.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push('%');
            out.push(char::from(HEX[usize::from(byte >> 4)]));
            out.push(char::from(HEX[usize::from(byte & 15)]));
        }
    }
}

/// Returns the confidential values in the body of a request to this path.
pub(crate) fn confidential(path: &str, body: &[u8]) -> Confidential {
    let body = serde_json::from_slice(body).unwrap_or(Value::Null);
    // A patch does not contain its kind, so the path decides.
    let of_secret = path.starts_with("/api/v1/") && path.split('/').any(|segment| segment == "secrets");
    Confidential::of(&body, of_secret)
}
