//! The address of the object of a request.

use std::collections::BTreeMap;
use std::fmt;

use kube::core::GroupVersionKind as KubeKind;
use kubewright_machinery::object::GroupVersionKind;
use kubewright_middleware::ResourceTarget;

/// An object as requests address it; the name is empty for a collection.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectAddress {
    pub(super) group: String,
    pub(super) resource: String,
    pub(super) namespace: String,
    pub(super) name: String,
}

impl ObjectAddress {
    /// Creates an address. The resource is a plural name, followed by a dot and the group unless that is the core group.
    pub(super) fn parse(resource: &str, namespace: &str, name: &str) -> Self {
        let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
        let [group, resource, namespace, name] = [group, resource, namespace, name].map(str::to_owned);
        Self { group, resource, namespace, name }
    }

    pub(super) fn of(target: &ResourceTarget) -> Self {
        Self {
            group: target.group.clone(),
            resource: target.resource.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
        }
    }

    pub(super) fn named(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }
}

impl fmt::Display for ObjectAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.resource)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        match (self.namespace.as_str(), self.name.as_str()) {
            ("", "") => Ok(()),
            ("", name) => write!(f, " {name}"),
            (namespace, "") => write!(f, " in {namespace}"),
            (namespace, name) => write!(f, " {namespace}/{name}"),
        }
    }
}

/// The plural names of the kinds that expectations are about.
#[derive(Debug, Default)]
pub(super) struct Plurals(BTreeMap<GroupVersionKind, String>);

impl Plurals {
    /// Asks the server for the plural name of a kind, unless it is known.
    pub(super) async fn learn(&mut self, client: &kube::Client, kind: &GroupVersionKind) -> Result<(), String> {
        if self.0.contains_key(kind) {
            return Ok(());
        }
        let wanted = KubeKind::gvk(&kind.group, &kind.version, &kind.kind);
        let found = kube::discovery::pinned_kind(client, &wanted).await;
        let (resource, _) = found.map_err(|error| {
            format!("expected a write of {} in {}, which the server does not have: {error}", kind.kind, kind.api_version())
        })?;
        self.0.insert(kind.clone(), resource.plural);
        Ok(())
    }

    pub(super) fn address(&self, kind: &GroupVersionKind, namespace: &str, name: &str) -> ObjectAddress {
        let resource = self.0.get(kind).cloned().unwrap_or_else(|| kind.kind.to_ascii_lowercase());
        ObjectAddress { group: kind.group.clone(), resource, namespace: namespace.to_owned(), name: name.to_owned() }
    }
}
