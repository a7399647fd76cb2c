//! Canaries: confidential texts of components that must not reach the status of the owner.

use std::sync::LazyLock;

use super::run::Planner;
use super::world::{FORMAT, Object, TYPES, Told, World};
use super::*;
use crate::backoff::Timing;
use crate::condition::{ConditionPolarity, ConditionVisibility};
use crate::flow::{Flow, KeyMemory, Prior, Redactor, WaitingMark, report};

/// The text in all private parts of a component.
pub(super) const CANARY: &str = "canary-2f9e";

const DECLARED: [DeclaredCondition; 1] = [DeclaredCondition {
    type_: "CredentialsIssued",
    visibility: ConditionVisibility::Internal,
    polarity: ConditionPolarity::Informational,
}];

/// Returns the conditions of a component after a pass whose author leaks secrets: a token in the message of the pass, a password in the address of
/// the health condition, and confidential text in an internal condition.
fn written(type_: ComponentType, is_healthy: bool) -> Vec<Condition> {
    let outcome: Flow = Ok(());
    let prior = Prior::Conditions { ready: None, stalled: None };
    let statements = Statements {
        reconciliation: (String::new(), format!("applied with the header Bearer {CANARY}")),
        conditions: vec![
            Condition::new(type_.healthy(), is_healthy, "Probed", format!("answers at https://admin:{CANARY}@example.com")),
            Condition::new("CredentialsIssued", ConditionStatus::True, "Issued", CANARY),
        ],
    };
    let pass = EndedPass {
        type_,
        declared: &DECLARED,
        before: &[],
        now: at(100),
        generation: 1,
        provenance: Some(Provenance::new(1, None)),
        end: Some(&ComponentLoopEnd::Applied),
        inputs: EndConditionInputs {
            outcome: &outcome,
            report: &report(&outcome, &KeyMemory::default(), &prior, &Timing::default()),
            is_deleting: false,
            is_held: false,
            redactor: &Redactor::default(),
        },
        statements: &statements,
        is_paused: None,
        waiting: &WaitingMark::Keep,
    };
    pass.status(&format()).conditions
}

/// The conditions of each component, unhealthy and healthy.
static WRITTEN: LazyLock<Vec<[Vec<Condition>; 2]>> =
    LazyLock::new(|| TYPES.iter().map(|type_| [written(*type_, false), written(*type_, true)]).collect());

/// Returns the conditions that the controller of a component writes.
pub(super) fn status(index: usize, is_healthy: bool) -> Vec<Condition> {
    WRITTEN[index][usize::from(is_healthy)].clone()
}

/// Returns the conditions with a defect: messages are written as the author gave them.
pub(super) fn unmasked_status(index: usize, is_healthy: bool) -> Vec<Condition> {
    let unmask = |condition: Condition| Condition { message: condition.message.replace("***", CANARY), ..condition };
    status(index, is_healthy).into_iter().map(unmask).collect()
}

/// Aggregates with a defect: internal conditions are exported.
pub(super) fn exports_internal(components: &[Reported<'_>], pass: &OwnerPass<'_>, format: &Format) -> Aggregate {
    let components: Vec<Reported<'_>> = components.iter().map(|component| Reported { declared: &[], ..*component }).collect();
    aggregate(&components, pass, format)
}

impl World {
    /// Returns the status of an owner with these components.
    pub(super) fn tell(&self, components: &[Option<Object>], planner: Planner) -> Told {
        self.edges.told(components, || self.told(components, planner))
    }

    fn told(&self, components: &[Option<Object>], planner: Planner) -> Told {
        let conditions = |index: usize, object: &Object| {
            if object.has_status { (planner.status)(index, object.is_healthy) } else { Vec::new() }
        };
        let existing = components.iter().enumerate().filter_map(|(index, found)| Some((index, found.as_ref()?)));
        let existing: Vec<(usize, Vec<Condition>)> = existing.map(|(index, object)| (index, conditions(index, object))).collect();
        let reported: Vec<Reported<'_>> = existing
            .iter()
            .map(|(index, conditions)| Reported { type_: TYPES[*index], conditions, declared: &DECLARED })
            .collect();
        let pass = OwnerPass { before: &[], now: at(100), generation: self.owner.generation.into() };
        let aggregate = (planner.aggregate)(&reported, &pass, &FORMAT);
        self.judge_told(&aggregate);
        let is_healthy = |index: usize| {
            let found = aggregate.exported.iter().find(|exported| exported.condition.type_ == TYPES[index].healthy());
            found.is_some_and(|found| found.condition.status == ConditionStatus::True)
        };
        let healthy = existing.iter().filter(|(index, _)| is_healthy(*index)).map(|(index, _)| 1 << index).sum();
        Told { healthy, is_ready: aggregate.offending.is_empty() }
    }
}
