//! The provenance of a component: the generations of owner and internal configuration that it was generated from, stored in its labels
//! (flow-and-contract.md, 13.3).

use kubewright_machinery::object::{HasMetadata, MetadataView, ObjectExt as _};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::format::Format;
use super::operation::RECONCILE;
use crate::flow::Failure;

/// The number that stands for an absent generation.
const NONE: i64 = -1;

/// The generations of the owner and of the internal configuration. An absent one is −1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // callers build this plain pair
pub struct Provenance {
    /// `metadata.generation` of the owner.
    pub owner: i64,
    /// `metadata.generation` of the internal configuration.
    pub internal: i64,
}

/// The errors of a component without valid provenance labels.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum InvalidProvenance {
    /// The label of the owner's generation is missing.
    #[error("no generation label: label {label} is missing; the owner's controller sets it")]
    Missing {
        /// The key of the label.
        label: String,
    },
    /// A label is not an integer.
    #[error("label {label} has the invalid value {value:?}; it must be an integer, which the owner's controller sets")]
    Invalid {
        /// The key of the label.
        label: String,
        /// The value of the label.
        value: String,
    },
}

impl Provenance {
    /// The provenance of an object without valid labels.
    pub const UNKNOWN: Self = Self { owner: NONE, internal: NONE };

    /// Creates the provenance of an object that is generated now. An internal configuration may be absent.
    pub const fn new(owner: i64, internal: Option<i64>) -> Self {
        Self {
            owner,
            internal: match internal {
                Some(internal) => internal,
                None => NONE,
            },
        }
    }

    /// Reads the labels of a component.
    pub fn read(object: &impl HasMetadata, format: &Format) -> Result<Self, InvalidProvenance> {
        Self::of_labels(MetadataView::of(&object.metadata_map()).labels(), format)
    }

    pub(super) fn of_labels(labels: &Map<String, Value>, format: &Format) -> Result<Self, InvalidProvenance> {
        let (owner, internal) = (format.owner_generation(), format.internal_generation());
        let owner = parse(labels, owner)?.ok_or_else(|| InvalidProvenance::Missing { label: owner.to_owned() })?;
        Ok(Self { owner, internal: parse(labels, internal)?.unwrap_or(NONE) })
    }

    /// Sets the labels of an object. An absent owner leaves its label unchanged, an absent internal configuration removes its label (PRV-2).
    pub fn set(self, object: &mut Value, format: &Format) {
        if self.owner != NONE {
            object.set_label(format.owner_generation(), self.owner.to_string());
        }
        if self.internal == NONE {
            object.remove_label(format.internal_generation());
        } else {
            object.set_label(format.internal_generation(), self.internal.to_string());
        }
    }

    /// Returns the merge patch that refreshes the labels of a component (PRV-3). With `reconcile` it also requests a pass of the component's
    /// controller.
    pub fn merge_patch(self, format: &Format, reconcile: bool) -> Value {
        let internal = if self.internal == NONE { Value::Null } else { self.internal.to_string().into() };
        let mut patch = json!({ "metadata": { "labels": {
            format.owner_generation(): self.owner.to_string(),
            format.internal_generation(): internal,
        } } });
        if reconcile {
            patch["metadata"]["annotations"] = json!({ format.operation(): RECONCILE });
        }
        patch
    }
}

impl InvalidProvenance {
    /// Returns the failure of the pass: retried with the slower back-off of refused requests (PRV-1).
    pub fn failure(self, format: &Format) -> Failure {
        Failure::backoff(self).reason(format.provenance_reason().clone()).slow()
    }
}

fn parse(labels: &Map<String, Value>, label: &str) -> Result<Option<i64>, InvalidProvenance> {
    let Some(value) = labels.get(label).and_then(Value::as_str) else { return Ok(None) };
    let invalid = |_| InvalidProvenance::Invalid { label: label.to_owned(), value: value.to_owned() };
    value.parse().map(Some).map_err(invalid)
}
