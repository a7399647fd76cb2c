//! The target of a request, read from its method and its URL.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use http::{Method, Request, Uri};

use super::Query;
use super::path::{self, Segments};
use crate::verb::Verb;

/// The target of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RequestTarget {
    /// An object, a collection, or a subresource of an object.
    Resource(ResourceTarget),
    /// A path that is not a resource: discovery, health, the version, an OpenAPI document.
    Other {
        /// HTTP method.
        method: String,
        /// Path of the URL, without its escapes.
        path: String,
    },
}

/// A resource, as a request addresses it. Absent parts are empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceTarget {
    /// The verb of the request.
    pub verb: Verb,
    /// API group; empty for the core group.
    pub group: String,
    /// API version.
    pub version: String,
    /// Plural name, such as `configmaps`.
    pub resource: String,
    /// Subresource, such as `status`.
    pub subresource: String,
    /// Namespace of the object or collection.
    pub namespace: String,
    /// Name of the object.
    pub name: String,
}

impl RequestTarget {
    /// Reads the target from method and URL.
    pub fn of(method: &Method, uri: &Uri) -> Self {
        let path = path::decoded(uri.path()).unwrap_or_else(|| Cow::Borrowed(uri.path()));
        resource(method, &path, uri.query().unwrap_or_default())
            .map_or_else(|| Self::Other { method: method.to_string(), path: path.into_owned() }, Self::Resource)
    }

    /// Returns the target of a request. It is computed once and kept in the extensions.
    pub fn in_request<B>(request: &mut Request<B>) -> Arc<Self> {
        if let Some(target) = request.extensions().get::<Arc<Self>>() {
            return target.clone();
        }
        let target = Arc::new(Self::of(request.method(), request.uri()));
        request.extensions_mut().insert(target.clone());
        target
    }

    /// Returns the resource, if the target is one.
    pub fn resource(&self) -> Option<&ResourceTarget> {
        match self {
            Self::Resource(resource) => Some(resource),
            Self::Other { .. } => None,
        }
    }

    /// Returns the verb, if the target is a resource.
    pub fn verb(&self) -> Option<Verb> {
        self.resource().map(|resource| resource.verb)
    }

    /// Returns true if the request is meant to change something.
    pub fn is_write(&self) -> bool {
        self.resource().is_some_and(ResourceTarget::is_write)
    }
}

impl ResourceTarget {
    /// Returns true if the request is meant to change something. Reviews are answered, not stored.
    pub fn is_write(&self) -> bool {
        let review = matches!(self.group.as_str(), "authentication.k8s.io" | "authorization.k8s.io");
        !review && !matches!(self.verb, Verb::Get | Verb::List | Verb::Watch)
    }
}

impl fmt::Display for RequestTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(resource) => resource.fmt(formatter),
            Self::Other { method, path } => write!(formatter, "{method} {path}"),
        }
    }
}

impl fmt::Display for ResourceTarget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.verb, self.resource)?;
        if !self.group.is_empty() {
            write!(formatter, ".{}", self.group)?;
        }
        if !self.subresource.is_empty() {
            write!(formatter, "/{}", self.subresource)?;
        }
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", "") => Ok(()),
            ("", name) => write!(formatter, " {name}"),
            (namespace, name) => write!(formatter, " {namespace}/{name}"),
        }
    }
}

/// Parses the path by the rules of Kubernetes: `/api/V/...` and `/apis/G/V/...`, then `[namespaces/N/]resource[/name[/subresource]]`.
fn resource(method: &Method, path: &str, query: &str) -> Option<ResourceTarget> {
    let mut path = Segments::of(path);
    let group = match path.next()? {
        "api" => "",
        "apis" => path.next().filter(|group| !group.is_empty())?,
        _ => return None,
    };
    let version = path.next().filter(|version| !version.is_empty())?;
    // The legacy prefix of watches, which also allows a watch of one object.
    let by_path = path.peek() == Some("watch");
    let watched = by_path || method == Method::GET && asks_for_watch(query);
    if by_path {
        path.next();
    }
    let mut namespace = "";
    let mut inside = path.clone();
    if inside.next() == Some("namespaces")
        && let Some(name) = inside.next()
        && inside.peek().is_some_and(|next| !matches!(next, "status" | "finalize"))
    {
        namespace = name;
        path = inside;
    }
    let (resource, name) = (path.next()?, path.next().unwrap_or_default());
    let subresource = path.rest().to_owned();
    let verb = match (method.as_str(), name.is_empty()) {
        ("GET" | "HEAD", true) if watched => Verb::Watch,
        ("GET" | "HEAD", true) => Verb::List,
        ("GET" | "HEAD", false) if by_path => Verb::Watch,
        // `?watch=true` is ignored for one object.
        ("GET" | "HEAD", false) => Verb::Get,
        ("POST", _) => Verb::Create,
        ("PUT", _) => Verb::Update,
        ("PATCH", _) => Verb::Patch,
        ("DELETE", true) => Verb::DeleteCollection,
        ("DELETE", false) => Verb::Delete,
        _ => return None,
    };
    Some(ResourceTarget {
        verb,
        group: group.to_owned(),
        version: version.to_owned(),
        resource: resource.to_owned(),
        subresource,
        namespace: namespace.to_owned(),
        name: name.to_owned(),
    })
}

/// Returns true if the first `watch` of the query is true.
fn asks_for_watch(query: &str) -> bool {
    (query.contains("watch") || query.contains('%')) && Query::parse(Some(query)).is_set("watch")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(method: &str, uri: &str) -> RequestTarget {
        RequestTarget::of(&method.parse().unwrap(), &uri.parse().unwrap())
    }

    fn shown(method: &str, uri: &str) -> String {
        target(method, uri).to_string()
    }

    // PIPE-1, JRN-1
    #[test]
    fn verbs_come_from_method_and_path() {
        assert_eq!(shown("GET", "/api/v1/namespaces/n/configmaps"), "list configmaps n/");
        assert_eq!(shown("GET", "/api/v1/namespaces/n/configmaps?watch=true&timeoutSeconds=5"), "watch configmaps n/");
        assert_eq!(shown("GET", "/api/v1/namespaces/n/configmaps/a"), "get configmaps n/a");
        assert_eq!(shown("POST", "/apis/apps/v1/namespaces/n/deployments"), "create deployments.apps n/");
        assert_eq!(shown("PATCH", "/apis/apps/v1/namespaces/n/deployments/d/status"), "patch deployments.apps/status n/d");
        assert_eq!(shown("PUT", "/apis/ex.io/v1/widgets/w"), "update widgets.ex.io w");
        assert_eq!(shown("DELETE", "/api/v1/nodes"), "deletecollection nodes");
        assert_eq!(shown("DELETE", "/api/v1/nodes/a"), "delete nodes a");
        assert_eq!(shown("GET", "/api/v1/nodes?watch=false&watch=true"), "list nodes");
        assert_eq!(shown("GET", "/api/v1/nodes?watch"), "watch nodes");
        assert_eq!(shown("GET", "/api/v1/nodes?w%61tch=true"), "watch nodes");
    }

    // PIPE-1
    #[test]
    fn a_path_is_read_without_its_escapes_and_keeps_its_empty_parts() {
        assert_eq!(shown("GET", "/%61pi/v1/namespaces/n%2Fconfigmaps/a%20b"), "get configmaps n/a b");
        assert_eq!(shown("GET", "/api/v1/namespaces//configmaps"), "list configmaps");
        assert_eq!(shown("GET", "/api/v1//configmaps"), "get  configmaps");
        assert_eq!(shown("GET", "/api//v1/configmaps"), "GET /api//v1/configmaps");
        assert_eq!(shown("GET", "//api/v1/configmaps"), "GET //api/v1/configmaps");
        assert_eq!(shown("GET", "/api/v1/pods/%zz"), "get pods %zz");
    }

    #[test]
    fn namespaces_are_a_resource_and_a_scope() {
        assert_eq!(shown("GET", "/api/v1/namespaces"), "list namespaces");
        assert_eq!(shown("GET", "/api/v1/namespaces/n"), "get namespaces n");
        assert_eq!(shown("PUT", "/api/v1/namespaces/n/finalize"), "update namespaces/finalize n");
    }

    // SWATCH-12
    #[test]
    fn a_watch_of_one_object_is_a_read_unless_asked_for_the_old_way() {
        assert_eq!(shown("GET", "/api/v1/nodes/a?watch=true"), "get nodes a");
        assert_eq!(shown("GET", "/api/v1/watch/nodes"), "watch nodes");
        assert_eq!(shown("GET", "/api/v1/watch/nodes/a"), "watch nodes a");
    }

    #[test]
    fn a_target_that_is_no_resource_is_shown_with_its_path() {
        assert_eq!(shown("GET", "/apis/apps/v1"), "GET /apis/apps/v1");
        assert_eq!(shown("GET", "/version"), "GET /version");
    }

    #[test]
    fn reviews_are_not_writes() {
        assert!(!target("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews").is_write());
        assert!(target("POST", "/api/v1/namespaces").is_write());
    }
}
