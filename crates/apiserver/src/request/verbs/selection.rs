//! The selectors in the query of a URL (apiserver.md, 2.9).

use kubewright_machinery::selector::{FieldRequirement, FieldSelector, LabelSelector};
use kubewright_middleware::Status;
use kubewright_middleware::target::Query;

use crate::api::Selection;
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;

impl Selection {
    /// Reads the selectors of a query and checks that the kind supports them.
    pub(in crate::request) fn parse(query: &Query, kind: &KindSpec) -> Result<Self, Status> {
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
        Self::new(kind, labels, fields)
    }
}
