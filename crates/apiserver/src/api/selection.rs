//! Selection of objects in a collection (apiserver.md, 2.9).

use kubewright_machinery::selector::{FieldRequirement, FieldSelector, LabelSelector};
use serde_json::Value;

use crate::kinds::KindSpec;
use crate::status::Status;
use crate::target::Query;

/// Label and field selector of a request.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    labels: LabelSelector,
    fields: FieldSelector,
}

impl Selection {
    /// Reads the selectors of a query and checks that the kind supports them.
    pub(crate) fn parse(query: &Query, kind: &KindSpec) -> Result<Self, Status> {
        let labels = match query.get("labelSelector") {
            // The real server's parser stops at a null character.
            Some(text) => LabelSelector::parse(text.split('\0').next().unwrap_or_default())
                .map_err(|error| Status::bad_request(error.to_string()))?,
            None => LabelSelector::everything(),
        };
        let fields = match query.get("fieldSelector") {
            Some(text) => {
                let fields = FieldSelector::parse(text).map_err(|error| Status::bad_request(error.to_string()))?;
                // A requirement without field and value is ignored.
                let is_said = |requirement: &&FieldRequirement| !requirement.field.is_empty() || !requirement.value.is_empty();
                FieldSelector::new(fields.requirements().iter().filter(is_said).cloned().collect())
            }
            None => FieldSelector::new(Vec::new()),
        };
        for requirement in fields.requirements() {
            kind.check_field_label(&requirement.field).map_err(|error| Status::bad_request(error.to_string()))?;
        }
        Ok(Self { labels, fields })
    }

    /// Returns a selection of the object with this name.
    pub(crate) fn by_name(name: &str) -> Self {
        Self { labels: LabelSelector::everything(), fields: FieldSelector::equal("metadata.name", name) }
    }

    /// Returns true if every object matches.
    pub(crate) fn is_everything(&self) -> bool {
        self.labels.is_everything() && self.fields.is_everything()
    }

    /// Returns the only name that can match, if the selector requires one.
    pub(crate) fn name(&self) -> Option<&str> {
        self.fields.required("metadata.name")
    }

    /// Returns true if an object matches.
    pub(crate) fn matches(&self, kind: &KindSpec, object: &Value) -> bool {
        (self.labels.is_everything() || self.labels.matches_object(object))
            && (self.fields.is_everything() || self.fields.matches(|field| kind.field_value(object, field)))
    }
}
