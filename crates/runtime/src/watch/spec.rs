use std::borrow::Cow;
use std::fmt;

use kubewright_machinery::object::{GroupKind, GroupVersionKind};
use kubewright_machinery::selector::{FieldSelector, LabelSelector};
use serde_json::{Value, json};

/// The specification of a watch. Equal specs share one watch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct WatchSpec {
    pub(super) kind: GroupKind,
    pub(super) version: Option<String>,
    pub(super) namespace: Option<String>,
    pub(super) labels: String,
    pub(super) fields: String,
    pub(super) metadata_only: bool,
}

impl WatchSpec {
    /// Selects all objects of a kind, in the version that the server prefers. The type need not exist yet.
    pub fn new(kind: GroupKind) -> Self {
        Self { kind, version: None, namespace: None, labels: String::new(), fields: String::new(), metadata_only: false }
    }

    /// Selects all objects of a kind, in this version.
    pub fn of_version(gvk: &GroupVersionKind) -> Self {
        Self { version: Some(gvk.version.clone()), ..Self::new(gvk.group_kind()) }
    }

    /// Limits the watch to this namespace. It has no meaning for cluster-scoped types.
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Limits the watch to objects with these labels, in the API's notation.
    pub fn labels(mut self, selector: impl Into<String>) -> Self {
        self.labels = selector.into();
        self
    }

    /// Limits the watch to objects with these fields, in the API's notation, such as `metadata.name=demo`.
    pub fn fields(mut self, selector: impl Into<String>) -> Self {
        self.fields = selector.into();
        self
    }

    /// Limits the transfer to metadata: objects have no spec, data or status.
    pub fn metadata_only(mut self) -> Self {
        self.metadata_only = true;
        self
    }

    /// Returns true if the object is of this kind and, if there is one, of this namespace.
    pub(super) fn could_hold(&self, object: &Value) -> bool {
        let text = |pointer| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
        let group = text("/apiVersion").split_once('/').map_or("", |(group, _)| group);
        text("/kind") == self.kind.kind && group == self.kind.group && self.covers(text("/metadata/namespace"))
    }

    /// Returns true if an object of the kind in this namespace, or a cluster-scoped one, may be selected.
    pub(super) fn covers(&self, namespace: &str) -> bool {
        self.namespace.as_ref().is_none_or(|only| namespace.is_empty() || only == namespace)
    }

    /// Returns true if the watch delivers all objects of its kind in its namespaces as whole objects.
    pub(super) fn is_complete(&self) -> bool {
        !self.metadata_only && self.labels.is_empty() && self.fields.is_empty()
    }

    /// Returns an object as the watch delivers it: a watch of metadata delivers only metadata.
    pub(super) fn delivered<'a>(&self, object: &'a Value) -> Cow<'a, Value> {
        if !self.metadata_only {
            return Cow::Borrowed(object);
        }
        Cow::Owned(json!({ "apiVersion": object["apiVersion"], "kind": object["kind"], "metadata": object["metadata"] }))
    }

    /// Returns the scope for metrics and pages: the namespace, or `*`, then the keys of its selectors. It omits the selectors' values, which may be names of
    /// objects.
    pub fn scope(&self) -> String {
        let mut scope = self.namespace.clone().unwrap_or_else(|| "*".to_owned());
        let labels = LabelSelector::parse(&self.labels).unwrap_or_default();
        let fields = FieldSelector::parse(&self.fields).unwrap_or_default();
        let labels: Vec<&str> = labels.requirements().iter().map(|label| label.key.as_str()).collect();
        let fields: Vec<&str> = fields.requirements().iter().map(|field| field.field.as_str()).collect();
        for (selector, what, keys) in [(&self.labels, "labels", labels), (&self.fields, "fields", fields)] {
            if !selector.is_empty() {
                scope.extend([" ", what, " ", &*keys.join(",")]);
            }
        }
        if self.metadata_only {
            scope.push_str(" (metadata)");
        }
        scope
    }

    /// Returns group and kind.
    pub fn kind(&self) -> &GroupKind {
        &self.kind
    }

    /// Returns the namespace, if the watch is limited to one.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }
}

impl fmt::Display for WatchSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.kind.kind)?;
        if !self.kind.group.is_empty() {
            write!(f, ".{}", self.kind.group)?;
        }
        if let Some(namespace) = &self.namespace {
            write!(f, " in {namespace}")?;
        }
        for selector in [&self.labels, &self.fields] {
            if !selector.is_empty() {
                write!(f, " with {selector}")?;
            }
        }
        if self.metadata_only {
            write!(f, " (metadata)")?;
        }
        Ok(())
    }
}

/// The part of a watch's selectors that can be evaluated without the server.
#[derive(Debug)]
pub(super) struct LocalSelection {
    name: Option<String>,
    namespace: Option<String>,
    labels: Option<LabelSelector>,
    /// True if the selectors have no other part, which only the server could evaluate.
    complete: bool,
}

impl LocalSelection {
    pub(super) fn of(spec: &WatchSpec) -> Self {
        let field = |key: &str| {
            spec.fields.split(',').find_map(|term| {
                let (field, value) = term.split_once('=')?;
                (field == key && !value.starts_with('=')).then(|| value.to_owned())
            })
        };
        let (name, namespace) = (field("metadata.name"), field("metadata.namespace"));
        let labels = Some(&spec.labels).filter(|labels| !labels.is_empty()).map(|labels| LabelSelector::parse(labels).ok());
        let terms = spec.fields.split(',').filter(|term| !term.is_empty()).count();
        let judged = usize::from(name.is_some()) + usize::from(namespace.is_some());
        let complete = terms == judged && labels != Some(None);
        Self { name, namespace, labels: labels.flatten(), complete }
    }

    /// Returns true if [`matches`](Self::matches) decides like the server.
    pub(super) fn is_complete(&self) -> bool {
        self.complete
    }

    /// Returns true if the object matches. Fields other than name and namespace are not evaluated.
    pub(super) fn matches(&self, object: &Value) -> bool {
        let is = |wanted: &Option<String>, pointer| {
            wanted.as_ref().is_none_or(|wanted| object.pointer(pointer).and_then(Value::as_str).unwrap_or_default() == wanted)
        };
        is(&self.name, "/metadata/name")
            && is(&self.namespace, "/metadata/namespace")
            && self.labels.as_ref().is_none_or(|labels| labels.matches_object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // OBS-6
    #[test]
    fn a_scope_holds_no_value_of_a_selector() {
        let spec = || WatchSpec::new(GroupKind::new("apps", "Deployment"));
        assert_eq!(spec().scope(), "*");
        assert_eq!(spec().in_namespace("demo").metadata_only().scope(), "demo (metadata)");
        assert_eq!(spec().labels("app=demo,tier in (a,b),!old").scope(), "* labels app,tier,old");
        assert_eq!(
            spec().in_namespace("demo").labels("app").fields("metadata.name=demo").scope(),
            "demo labels app fields metadata.name"
        );
    }
}
