//! A component as other controllers observe it.

use std::collections::BTreeSet;

use kubewright_machinery::object::{HasMetadata, MetadataView};
use serde_json::Value;

use super::format::{Format, GenerationFields};
use super::operation::{DISABLED, Operation};
use super::provenance::{InvalidProvenance, Provenance};
use crate::condition::{Condition, read_list};
use crate::finalizer::depending;

/// The parts of a component resource that its own controller, depending components and the owner base their decisions on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build it as the input of a pure function
pub struct Observation {
    /// `metadata.uid`.
    pub uid: String,
    /// `metadata.generation`.
    pub generation: i64,
    /// True if the object has a deletion timestamp.
    pub is_deleting: bool,
    /// The generations that the object was generated from.
    pub provenance: Result<Provenance, InvalidProvenance>,
    /// The requested operation.
    pub operation: Option<Operation>,
    /// True if the mark of disabled components is present.
    pub is_disabled: bool,
    /// `metadata.finalizers`.
    pub finalizers: Vec<String>,
    /// The depending components that have a dependency finalizer on the object, sorted.
    pub depending: BTreeSet<String>,
    /// The generations that the controller of the component has seen.
    pub seen: Option<Generations>,
    /// The generations that the controller of the component has applied.
    pub applied: Option<Generations>,
    /// The conditions.
    pub conditions: Vec<Condition>,
}

/// The generations of a pass: of the component, of its owner, and of the internal configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // callers build this plain triple
pub struct Generations {
    /// `metadata.generation` of the component.
    pub resource: i64,
    /// The generations in the component's labels.
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

    /// Returns true if the component carries `ignore`: no controller touches it, and it counts as absent (OPA-4, RDY-6).
    pub fn is_ignored(&self) -> bool {
        self.operation == Some(Operation::Ignore)
    }

    /// Returns true if the object has this finalizer.
    pub fn has_finalizer(&self, name: &str) -> bool {
        self.finalizers.iter().any(|finalizer| finalizer == name)
    }

    /// Returns the condition of this type.
    pub fn condition(&self, type_: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }
}

impl Generations {
    /// Reads the field of a status; none if a generation is missing or not an integer.
    pub(super) fn read(value: &Value, fields: GenerationFields) -> Option<Self> {
        let number = |field| value.get(field).and_then(Value::as_i64);
        let provenance = Provenance { owner: number(fields.owner)?, internal: number(fields.internal)? };
        Some(Self { resource: number(fields.resource)?, provenance })
    }
}
