//! The rules for incrementing `metadata.generation`.

use serde_json::Value;

/// The behaviour of a kind's `metadata.generation`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// The server does not manage it: it keeps the value that the client sent.
    #[default]
    Unmanaged,
    /// 1 on create, and never changed afterwards.
    CreateOnly,
    /// Incremented on change.
    OnChange {
        /// True if it is set to 1 on create; otherwise created objects keep the value that the client sent.
        on_create: bool,
        /// The top-level fields whose change counts. Empty: all but `metadata`, and all but `status` if it is a subresource.
        fields: Vec<String>,
        /// True if a change of the labels counts too.
        labels: bool,
        /// True if a change of the annotations counts too.
        annotations: bool,
    },
}

impl Generation {
    /// Returns the rule of most managed kinds: 1 on create, +1 on each change outside of metadata and status.
    pub fn on_change() -> Self {
        Self::OnChange { on_create: true, fields: Vec::new(), labels: false, annotations: false }
    }

    /// Returns true if a created object starts with generation 1.
    pub fn starts_at_one(&self) -> bool {
        matches!(self, Self::CreateOnly | Self::OnChange { on_create: true, .. })
    }

    /// Returns true if setting the deletion timestamp increments the generation.
    pub fn is_managed(&self) -> bool {
        matches!(self, Self::OnChange { .. })
    }

    /// Returns true if the change from `old` to `new` increments the generation. `status_apart` is true if status is a subresource.
    pub fn counts(&self, old: &Value, new: &Value, status_apart: bool) -> bool {
        let Self::OnChange { fields, labels, annotations, .. } = self else {
            return false;
        };
        if *labels && old.pointer("/metadata/labels") != new.pointer("/metadata/labels") {
            return true;
        }
        if *annotations && old.pointer("/metadata/annotations") != new.pointer("/metadata/annotations") {
            return true;
        }
        if !fields.is_empty() {
            return fields.iter().any(|field| old.get(field) != new.get(field));
        }
        let (Some(old), Some(new)) = (old.as_object(), new.as_object()) else {
            return old != new;
        };
        let ignored = |field: &str| matches!(field, "metadata" | "apiVersion" | "kind") || (status_apart && field == "status");
        let changed = |(field, value): (&String, &Value)| !ignored(field) && old.get(field) != Some(value);
        new.iter().any(changed) || old.keys().any(|field| !ignored(field) && !new.contains_key(field))
    }
}
