//! The identity of objects: group, version, kind, namespace, name.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Key;

/// A kind in any of its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupKind {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind, for example `ConfigMap`.
    pub kind: String,
}

impl GroupKind {
    /// Creates the kind `kind` of `group`.
    pub fn new(group: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group: group.into(), kind: kind.into() }
    }

    /// Returns true if this is `kind` of `group`.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }

    /// Returns the key of the object of this kind with this namespace and name.
    pub fn object(&self, key: &Key) -> ObjectKey {
        ObjectKey::new(self.group.clone(), self.kind.clone(), key.namespace(), key.name())
    }

    /// Adds a version to the kind.
    pub fn with_version(&self, version: impl Into<String>) -> GroupVersionKind {
        GroupVersionKind { group: self.group.clone(), version: version.into(), kind: self.kind.clone() }
    }
}

/// Prints `Deployment.apps`, and `ConfigMap` for the core group.
impl fmt::Display for GroupKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.kind)?;
        if self.group.is_empty() { Ok(()) } else { write!(f, ".{}", self.group) }
    }
}

/// A kind at a version.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct GroupVersionKind {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version, for example `v1`.
    pub version: String,
    /// The kind, for example `ConfigMap`.
    pub kind: String,
}

impl GroupVersionKind {
    /// Creates the kind `kind` of `group` at `version`.
    pub fn new(group: impl Into<String>, version: impl Into<String>, kind: impl Into<String>) -> Self {
        Self { group: group.into(), version: version.into(), kind: kind.into() }
    }

    /// Parses the fields of an object: `apps/v1` or `v1`, and the kind. None for a version with more than one slash, and for empty parts.
    pub fn from_api_version(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if version.is_empty() || version.contains('/') || kind.is_empty() {
            return None;
        }
        Some(Self::new(group, version, kind))
    }

    /// Returns the field `apiVersion`: `apps/v1`, or `v1` for the core group.
    pub fn api_version(&self) -> String {
        if self.group.is_empty() { self.version.clone() } else { format!("{}/{}", self.group, self.version) }
    }

    /// Returns the kind without its version.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// Returns the key of an object of this kind.
    pub fn key(&self, namespace: impl Into<String>, name: impl Into<String>) -> ObjectKey {
        ObjectKey { group: self.group.clone(), kind: self.kind.clone(), namespace: namespace.into(), name: name.into() }
    }

    /// Returns the title of an object of this kind in messages.
    pub fn title<'a>(&'a self, namespace: &'a str, name: &'a str) -> ObjectTitle<'a> {
        ObjectTitle { gvk: self, namespace, name }
    }
}

/// Prints `apps/v1, Kind=Deployment`, and `/v1, Kind=ConfigMap` for the core group.
impl fmt::Display for GroupVersionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// The key of an object in any version of its kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ObjectKey {
    /// The API group; empty for the core group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The namespace; empty for a cluster-scoped object.
    pub namespace: String,
    /// The name.
    pub name: String,
}

impl ObjectKey {
    /// Creates the key of the object `namespace`/`name` of a kind; the namespace of a cluster-scoped object is empty.
    pub fn new(group: impl Into<String>, kind: impl Into<String>, namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self { group: group.into(), kind: kind.into(), namespace: namespace.into(), name: name.into() }
    }

    /// Returns the kind of the object.
    pub fn group_kind(&self) -> GroupKind {
        GroupKind { group: self.group.clone(), kind: self.kind.clone() }
    }

    /// Returns true if the object is of `kind` of `group`.
    pub fn is(&self, group: &str, kind: &str) -> bool {
        self.group == group && self.kind == kind
    }
}

/// Prints `Deployment.apps demo/web`, and `ConfigMap demo/c` for the core group.
impl fmt::Display for ObjectKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_object(f, &self.group, &self.kind, &self.namespace, &self.name)
    }
}

/// The title of an object in messages, in the form of its [`ObjectKey`]: `Deployment.apps demo/web`, `Namespace demo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObjectTitle<'a> {
    gvk: &'a GroupVersionKind,
    namespace: &'a str,
    name: &'a str,
}

impl fmt::Display for ObjectTitle<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_object(f, &self.gvk.group, &self.gvk.kind, self.namespace, self.name)
    }
}

/// Writes an object in the form that all messages use: `Kind[.group] [namespace/]name`.
fn write_object(f: &mut fmt::Formatter<'_>, group: &str, kind: &str, namespace: &str, name: &str) -> fmt::Result {
    f.write_str(kind)?;
    if !group.is_empty() {
        write!(f, ".{group}")?;
    }
    f.write_str(" ")?;
    write_namespaced_name(f, namespace, name)
}

pub(super) fn write_namespaced_name(f: &mut fmt::Formatter<'_>, namespace: &str, name: &str) -> fmt::Result {
    if namespace.is_empty() { f.write_str(name) } else { write!(f, "{namespace}/{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    // PREP-10
    #[test]
    fn titles_and_keys_carry_kind_group_and_name() {
        let config_map = GroupVersionKind::new("", "v1", "ConfigMap");
        let cluster_role = GroupVersionKind::new("rbac.authorization.k8s.io", "v1", "ClusterRole");
        assert_eq!(config_map.title("demo", "c").to_string(), "ConfigMap demo/c");
        assert_eq!(cluster_role.title("", "admin").to_string(), "ClusterRole.rbac.authorization.k8s.io admin");
        assert_eq!(cluster_role.key("", "admin").to_string(), cluster_role.title("", "admin").to_string());
    }

    #[test]
    fn api_versions_split_and_join() {
        for (api_version, group, version) in [("v1", "", "v1"), ("apps/v1", "apps", "v1")] {
            let gvk = GroupVersionKind::from_api_version(api_version, "X").unwrap();
            assert_eq!((gvk.group.as_str(), gvk.version.as_str()), (group, version));
            assert_eq!(gvk.api_version(), api_version);
        }
        for (api_version, kind) in [("a/b/c", "X"), ("", "X"), ("apps/", "X"), ("v1", "")] {
            assert_eq!(GroupVersionKind::from_api_version(api_version, kind), None, "{api_version} {kind}");
        }
    }

    #[test]
    fn keys_print_without_a_version() {
        assert_eq!(ObjectKey::new("apps", "Deployment", "demo", "web").to_string(), "Deployment.apps demo/web");
        assert_eq!(ObjectKey::new("", "Namespace", "", "demo").to_string(), "Namespace demo");
        assert_eq!(GroupKind::new("apps", "Deployment").to_string(), "Deployment.apps");
    }
}
