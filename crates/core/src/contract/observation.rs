//! A component as it is seen by the controllers round it.

use std::collections::BTreeSet;

use kubewright_machinery::object::{HasMetadata, MetadataView};
use serde_json::Value;

use super::format::{Format, GenerationFields};
use super::operation::{DISABLED, Operation};
use super::provenance::{InvalidProvenance, Provenance};
use crate::condition::{Condition, read_list};
use crate::finalizer::depending;

/// The parts of a component resource that its own controller, depending components and the owner decide by.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // input of the pure functions
pub struct Observation {
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// Whether the object has a deletion timestamp.
    pub is_deleting: bool,
    /// The generations that the object was generated from.
    pub provenance: Result<Provenance, InvalidProvenance>,
    /// The operation that is asked for.
    pub operation: Option<Operation>,
    /// Whether the mark of disabled components is there.
    pub is_disabled: bool,
    /// `metadata.finalizers`.
    pub finalizers: Vec<String>,
    /// The depending components that have a dependency finalizer on the object, sorted.
    pub depending: BTreeSet<String>,
    /// The generations that the controller of the component has seen.
    pub seen: Option<Generations>,
    /// The generations that it has applied.
    pub applied: Option<Generations>,
    /// The conditions.
    pub conditions: Vec<Condition>,
}

/// The generations of a pass: of the component, of its owner, and of the internal configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // a triple
pub struct Generations {
    /// `metadata.generation` of the component.
    pub resource: i64,
    /// The generations that its labels tell.
    pub provenance: Provenance,
}

impl Observation {
    /// Reads a component.
    pub fn of(object: &impl HasMetadata, format: &Format) -> Self {
        let fields = object.metadata_map();
        let metadata = MetadataView::of(&fields);
        let finalizers: Vec<String> = metadata.finalizers().map(str::to_owned).collect();
        let status = object.status_value();
        let part = |name: &str| status.as_ref().and_then(|status| status.get(name));
        Self {
            uid: metadata.text("uid").to_owned(),
            generation: metadata.generation().unwrap_or_default(),
            is_deleting: metadata.deletion_timestamp().is_some(),
            provenance: Provenance::of_labels(metadata.labels(), format),
            operation: metadata.annotation(format.operation()).map(Operation::parse),
            is_disabled: metadata.annotation(format.disabled()) == Some(DISABLED),
            depending: depending(finalizers.iter().map(String::as_str), format.domain()).into_iter().map(str::to_owned).collect(),
            finalizers,
            seen: part("observedGenerations").and_then(|value| Generations::read(value, format.generations())),
            applied: part("appliedGenerations").and_then(|value| Generations::read(value, format.generations())),
            conditions: part("conditions").map(read_list).unwrap_or_default(),
        }
    }

    /// Whether everybody leaves the component alone, and it counts as absent (OPA-4, RDY-6).
    pub fn is_ignored(&self) -> bool {
        self.operation == Some(Operation::Ignore)
    }

    /// Whether a finalizer is there.
    pub fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers.iter().any(|finalizer| finalizer == name)
    }

    /// A condition by its type.
    pub fn condition(&self, type_: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }
}

impl Generations {
    /// Reads the field of a status. None if a generation is missing or no integer.
    pub(super) fn read(value: &Value, fields: GenerationFields) -> Option<Self> {
        let number = |field| value.get(field).and_then(Value::as_i64);
        let provenance = Provenance { owner: number(fields.owner)?, internal: number(fields.internal)? };
        Some(Self { resource: number(fields.resource)?, provenance })
    }
}
