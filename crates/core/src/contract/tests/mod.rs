mod aggregate;
mod architecture;
mod common_status;
mod component_loop;
mod component_patch;
mod declared_conditions;
mod format;
mod graph;
mod model;
mod operation;
mod owner_plan;
mod owner_status;
mod provenance;
mod readiness;
mod tasks;
mod triggers;

use std::collections::BTreeSet;

use super::*;
use crate::condition::{Condition, ConditionStatus};
use crate::time::Timestamp;

const DATABASE: ComponentType = ComponentType::new("Database");
const SERVER: ComponentType = ComponentType::new("Server");
const PORTAL: ComponentType = ComponentType::new("Portal");

fn format() -> Format {
    Format::standard("example.com").unwrap()
}

fn condition(type_: &str, status: ConditionStatus) -> Condition {
    Condition::new(type_, status, "Tested", "as the test says")
}

fn true_(type_: &str) -> Condition {
    condition(type_, ConditionStatus::True)
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// Returns a component that is ready at its generation 3, generated from generation 2 of its owner.
fn ready(type_: ComponentType) -> Observation {
    let generations = Generations { resource: 3, provenance: Provenance::new(2, None) };
    Observation {
        uid: "u-1".to_owned(),
        generation: 3,
        is_deleting: false,
        provenance: Ok(generations.provenance),
        operation: None,
        is_disabled: false,
        finalizers: Vec::new(),
        depending: BTreeSet::new(),
        seen: Some(generations),
        applied: Some(generations),
        conditions: vec![true_(&type_.reconciliation()), true_(&type_.healthy())],
    }
}

fn broken() -> InvalidProvenance {
    InvalidProvenance::Missing { label: format().owner_generation().to_owned() }
}
