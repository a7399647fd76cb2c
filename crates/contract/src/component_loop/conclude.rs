//! The status of a component at the end of a pass (flow-and-contract.md, 13.6).

use kubewright_core::condition::{ConditionStatus, Conditions, READY, STALLED, WAITING};
use kubewright_core::contract::{ComponentLoopEnd, EndConditionInputs, EndedPass, Observation};
use kubewright_core::flow::{Halt, Prior, PriorCondition, PriorWait, WaitingSince};
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::reconcile::{Conclude, Context, EndedMethod};

use super::{ComponentLoop, PassStatus};
use crate::controller::ComponentController;
use crate::declaration::{ContractComponent, ContractMember as _};

impl<C: ComponentController> Conclude for ComponentLoop<C> {
    fn prior(status: &PassStatus<C::Component>) -> Prior {
        let conditions = &status.status.conditions;
        let told = |type_: &str| {
            let found = conditions.get(type_)?;
            Some(PriorCondition { is_true: found.status == ConditionStatus::True, reason: found.reason.clone() })
        };
        match (told(READY), told(STALLED)) {
            // A format without these conditions, or a new object: the memory of the process decides.
            (None, None) => Prior::Memory,
            (ready, stalled) => Prior::Conditions { ready, stalled },
        }
    }

    fn waiting(&self, status: &PassStatus<C::Component>) -> PriorWait {
        if !self.terms.format.writes_framework_conditions() {
            return PriorWait::Memory;
        }
        let generation = status.status.observed_generations.as_ref().map(|seen| seen.generations.resource);
        let told = status.status.conditions.get(WAITING);
        PriorWait::Condition(told.and_then(|told| WaitingSince::told_by(told, generation)))
    }

    fn conclude(&self, cx: &Context<C::Component>, ended: &mut EndedMethod<'_>, status: &mut PassStatus<C::Component>) {
        let (notes, format) = (std::mem::take(&mut status.notes), &self.terms.format);
        self.waits.set(cx.key(), awaited(notes.end.as_ref()));
        if notes.is_silent {
            ended.drop_event();
            return;
        }
        let Some(object) = cx.latest() else { return };
        let own = Observation::of(&object, format);
        let told = EndedPass {
            type_: C::Component::TYPE,
            declared: C::Component::CONDITIONS,
            before: status.status.conditions.as_slice(),
            now: cx.clock().now(),
            generation: own.generation,
            provenance: own.provenance.ok(),
            end: notes.end.as_ref(),
            inputs: EndConditionInputs {
                outcome: ended.outcome(),
                report: ended.report(),
                is_deleting: own.is_deleting,
                is_held: !own.depending.is_empty(),
                redactor: cx.redactor(),
            },
            statements: &notes.statements,
            is_paused: ended.is_paused(),
            waiting: ended.waiting(),
        };
        let told = told.status(format);
        let is_success = matches!(ended.outcome(), Ok(()) | Err(Halt::Done));
        let status = &mut status.status;
        status.conditions = Conditions::from(told.conditions);
        status.observed_generations = Some(told.seen.into());
        if let Some(applied) = told.applied {
            status.applied_generations = Some(applied.into());
        }
        if let Some(token) = object.annotation(format.requested_at())
            && format.writes_handled_request()
        {
            status.handled_request = Some(token.to_owned());
        }
        if is_success && status.conditions.get(READY).is_some_and(|ready| ready.status != ConditionStatus::True) {
            // The pass succeeded, but the component is not ready yet, so no event reports a success.
            ended.drop_event();
        }
    }
}

/// Returns the types of the components that the pass ended to wait for, as written in finalizers.
fn awaited(end: Option<&ComponentLoopEnd>) -> Vec<String> {
    match end {
        Some(ComponentLoopEnd::Dependencies(unready)) => unready.iter().map(|unready| unready.type_.lower()).collect(),
        Some(ComponentLoopEnd::Depending(names)) => names.iter().cloned().collect(),
        Some(ComponentLoopEnd::IgnoredDependencies(types)) => types.iter().map(|type_| type_.lower()).collect(),
        _ => Vec::new(),
    }
}
