//! Selection of objects in a collection (apiserver.md, 2.9).

use kubewright_machinery::selector::{FieldSelector, LabelSelector};
use kubewright_middleware::Status;
use serde_json::Value;

use crate::kinds::KindSpec;
use crate::status::StatusExt as _;

/// The objects that a list or a watch selects, by their labels and fields. The default is all objects.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Creates a selection of the objects of a kind that match both selectors.
    ///
    /// # Errors
    ///
    /// Returns 400 if the kind does not support one of the fields. All kinds support `metadata.name` and `metadata.namespace`.
    pub fn new(kind: &KindSpec, labels: LabelSelector, fields: FieldSelector) -> Result<Self, Status> {
        for requirement in fields.requirements() {
            kind.check_field_label(&requirement.field).map_err(|error| Status::bad_request(error.to_string()))?;
        }
        Ok(Self { labels, fields })
    }

    /// Creates a selection of the objects whose labels match.
    pub fn by_labels(labels: LabelSelector) -> Self {
        Self { labels, ..Self::default() }
    }

    /// Creates a selection of the objects with this name.
    pub fn by_name(name: &str) -> Self {
        Self { labels: LabelSelector::everything(), fields: FieldSelector::equal("metadata.name", name) }
    }

    /// Returns true if every object matches.
    pub fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// Returns the only name that can match, if the selector requires one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.fields.required("metadata.name")
    }

    /// Returns true if an object of the kind matches.
    pub fn matches(&self, kind: &KindSpec, object: &Value) -> bool {
        (self.labels.is_everything() || self.labels.matches_object(object))
            && (self.fields.is_everything() || self.fields.matches(|field| kind.field_value(object, field)))
    }
}
