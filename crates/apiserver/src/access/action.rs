//! The action of a request, as the authorization rules see it.

use http::{Method, Uri};
use kubewright_middleware::status::{Details, Status};
use kubewright_middleware::{Identity, RequestTarget, ResourceTarget, Verb};
use serde_json::Value;

use crate::status::StatusExt as _;

/// Paths that every user may read, anonymous users included (DISC-13).
const OPEN: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

/// An action that is allowed or denied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum UserAction {
    /// An action on a resource.
    Resource(Attributes),
    /// Reading or writing a path that is not a resource.
    Path {
        /// The method in lower case.
        verb: String,
        /// The path.
        path: String,
    },
}

/// An action on a resource; attributes that are not set are empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub(crate) verb: String,
    pub(crate) group: String,
    pub(crate) resource: String,
    pub(crate) subresource: String,
    pub(crate) namespace: String,
    pub(crate) name: String,
}

impl UserAction {
    /// Returns the action of a request.
    pub(crate) fn of(method: &Method, uri: &Uri) -> Self {
        match RequestTarget::of(method, uri) {
            RequestTarget::Other { path, .. } => Self::Path { verb: method.as_str().to_ascii_lowercase(), path },
            RequestTarget::Resource(target) => Self::Resource(Attributes::of(&target, uri.query().unwrap_or_default())),
        }
    }

    /// Returns the action that an access review asks about.
    pub(crate) fn reviewed(spec: &Value) -> Self {
        let text = |value: &Value, field: &str| value[field].as_str().unwrap_or_default().to_owned();
        let resource = &spec["resourceAttributes"];
        if resource.is_null() {
            let path = &spec["nonResourceAttributes"];
            return Self::Path { verb: text(path, "verb"), path: text(path, "path") };
        }
        Self::Resource(Attributes {
            verb: text(resource, "verb"),
            group: text(resource, "group"),
            resource: text(resource, "resource"),
            subresource: text(resource, "subresource"),
            namespace: text(resource, "namespace"),
            name: text(resource, "name"),
        })
    }

    /// Returns true if every user may do it, anonymous users included: reading health and version.
    pub(crate) fn is_open(&self) -> bool {
        let Self::Path { path, .. } = self else { return false };
        OPEN.contains(&path.strip_suffix('/').unwrap_or(path))
    }

    /// Returns the 403 answer for a denied action (AUTH-1).
    pub(crate) fn refusal(&self, user: &Identity) -> Status {
        let user = user.name();
        match self {
            Self::Path { verb, path } => {
                let message = format!("forbidden: User {user:?} cannot {verb} path {path:?}");
                Status::new(403, "Forbidden", message).with_details(Details::default())
            }
            Self::Resource(attributes) => {
                let Attributes { verb, group, resource, namespace, name, .. } = attributes;
                let scope = match namespace.as_str() {
                    "" => "at the cluster scope".to_owned(),
                    namespace => format!("in the namespace {namespace:?}"),
                };
                let full = attributes.full_resource();
                let why = format!("User {user:?} cannot {verb} resource {full:?} in API group {group:?} {scope}");
                Status::forbidden(group, resource, name, &why)
            }
        }
    }

    /// Returns the same action with another verb.
    pub(crate) fn with_verb(&self, change: impl FnOnce(&str) -> String) -> Self {
        let mut changed = self.clone();
        match &mut changed {
            Self::Path { verb, .. } | Self::Resource(Attributes { verb, .. }) => *verb = change(verb),
        }
        changed
    }
}

impl Attributes {
    fn of(target: &ResourceTarget, query: &str) -> Self {
        let mut name = target.name.clone();
        // A list, watch or deletion of a single selected object counts as a named request (SEL-6).
        if name.is_empty() && matches!(target.verb, Verb::List | Verb::Watch | Verb::DeleteCollection) {
            name = selected_name(query).unwrap_or_default();
        }
        // A namespace counts as inside itself, so that a Role in it can allow reading it.
        let is_namespace = target.group.is_empty() && target.resource == "namespaces";
        let namespace = if is_namespace { target.name.clone() } else { target.namespace.clone() };
        Self {
            verb: target.verb.to_string(),
            group: target.group.clone(),
            resource: target.resource.clone(),
            subresource: target.subresource.clone(),
            namespace,
            name,
        }
    }

    /// Returns the resource as rules name it: `pods` or `pods/log`.
    pub(crate) fn full_resource(&self) -> String {
        match self.subresource.as_str() {
            "" => self.resource.clone(),
            subresource => format!("{}/{subresource}", self.resource),
        }
    }
}

/// Returns the object name that a field selector asks for.
fn selected_name(query: &str) -> Option<String> {
    let query = kubewright_middleware::target::Query::parse(Some(query));
    let selector = query.get("fieldSelector")?;
    let name = selector.split(',').find_map(|term| term.strip_prefix("metadata.name="))?;
    Some(name.trim_start_matches('=').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: &str, uri: &str) -> String {
        UserAction::of(&method.parse().unwrap(), &uri.parse().unwrap()).refusal(&Identity::anonymous()).message
    }

    // AUTH-1
    #[test]
    fn a_forbidden_message_names_the_user_the_verb_and_the_resource_or_path() {
        let pods =
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
        assert_eq!(refused("GET", "/api/v1/pods"), pods);
        let scale = "deployments.apps \"d\" is forbidden: User \"system:anonymous\" cannot patch resource \"deployments/scale\" in API group \
                     \"apps\" in the namespace \"n\"";
        assert_eq!(refused("PATCH", "/apis/apps/v1/namespaces/n/deployments/d/scale"), scale);
        assert_eq!(refused("GET", "/apis"), "forbidden: User \"system:anonymous\" cannot get path \"/apis\"");
    }

    // SEL-6
    #[test]
    fn one_selected_object_is_a_named_request() {
        let UserAction::Resource(asked) = UserAction::of(
            &Method::GET,
            &"/api/v1/namespaces/n/secrets?fieldSelector=metadata.name%3Ds&watch=1".parse().unwrap(),
        ) else {
            panic!("no resource");
        };
        assert_eq!((asked.verb.as_str(), asked.name.as_str()), ("watch", "s"));
    }
}
