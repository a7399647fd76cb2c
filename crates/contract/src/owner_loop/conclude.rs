//! The status of an owner at the end of a pass.

use std::collections::BTreeSet;

use kubewright_core::condition::{ConditionStatus, READY, STALLED};
use kubewright_core::contract::{EndConditionInputs, EndedOwnerPass};
use kubewright_core::flow::{Prior, PriorCondition};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::reconcile::{Conclude, Context, EndedMethod};

use super::status::OwnerPassNotes;
use super::{OwnerLoop, OwnerPassStatus};
use crate::declaration::Contract;

impl<C: Contract> Conclude for OwnerLoop<C> {
    fn prior(status: &OwnerPassStatus<C>) -> Prior {
        let conditions = &status.status.conditions;
        let told = |type_: &str| {
            let is_own = |found: &&kubewright_core::contract::OwnerCondition| {
                found.managed_by.is_empty() && found.condition.type_ == type_
            };
            let found = &conditions.iter().find(is_own)?.condition;
            Some(PriorCondition { is_true: found.status == ConditionStatus::True, reason: found.reason.clone() })
        };
        match (told(READY), told(STALLED)) {
            // A format without these conditions, or a new object: the memory of the process decides.
            (None, None) => Prior::Memory,
            (ready, stalled) => Prior::Conditions { ready, stalled },
        }
    }

    fn conclude(&self, cx: &Context<C::Owner>, ended: &mut EndedMethod<'_>, status: &mut OwnerPassStatus<C>) {
        let notes = std::mem::take(&mut status.notes);
        self.waits.set(cx.key(), awaited(&notes));
        if notes.is_silent {
            ended.drop_event();
            return;
        }
        let Some(object) = cx.latest() else { return };
        let status = &mut status.status;
        let aggregate = notes.aggregate.unwrap_or_else(|| self.aggregate(cx, &object, status));
        let generation = object.generation().unwrap_or_default();
        let pass = EndedOwnerPass {
            before: &status.conditions,
            phase: status.phase.phase.as_deref(),
            message: status.message.as_deref(),
            aggregate,
            now: cx.clock().now(),
            generation,
            inputs: EndConditionInputs {
                outcome: ended.outcome(),
                report: ended.report(),
                is_deleting: object.deletion_timestamp().is_some(),
                is_held: !notes.left.is_empty(),
                redactor: cx.redactor(),
            },
        };
        let told = pass.status(&self.terms.format);
        status.conditions = told.conditions;
        status.phase = Some(told.phase.to_string()).into();
        status.message = told.message;
        status.observed_generation = Some(generation);
        if told.applied.is_some() {
            status.applied_generation = told.applied;
        }
        if let Some(token) = object.annotation(self.terms.format.requested_at())
            && self.terms.format.writes_handled_request()
        {
            status.handled_request = Some(token.to_owned());
        }
    }
}

/// Returns the types of the components that an owner waits for, as written in finalizers.
fn awaited(notes: &OwnerPassNotes) -> Vec<String> {
    if notes.is_silent {
        return Vec::new();
    }
    if !notes.left.is_empty() {
        return notes.left.iter().map(|type_| type_.lower()).collect();
    }
    let unready = notes.aggregate.iter().flat_map(|aggregate| &aggregate.unready);
    unready.map(|type_| type_.lower()).collect::<BTreeSet<String>>().into_iter().collect()
}
