//! The loop of the engine: plan, execute, record, and again until a plan has no actions.

use std::collections::HashMap;
use std::pin::pin;

use async_trait::async_trait;
use futures::StreamExt as _;
use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{Action, Foreign, ForeignCheck, Inventory, Memory, ObjectAction, Observed, Plan};
use kubewright_machinery::object::GroupKind;
use kubewright_runtime::cluster::RequestRetries;

use super::end::Step;
use crate::execute::{SentAction, check_foreign};
use crate::targets::DependentsTarget;

/// The user of the loop: it makes the plans, and records their results.
#[async_trait]
pub(super) trait PlanSite: Send {
    /// Returns the next plan.
    fn plan(&mut self, inventory: &Inventory, observed: &Observed) -> Plan;

    /// Renders manifests that the last rendering kept only as digests.
    async fn render_manifests(&mut self) -> Step;

    /// Takes over the memory of a plan, and notes its actions.
    fn planned(&mut self, memory: Memory, actions: &[Action]);

    /// Writes the inventory ahead of the requests.
    async fn persist(&mut self, inventory: &Inventory) -> Step;

    /// Notes a transient error that left work undone.
    fn note_transient(&mut self, error: Transient);

    /// Handles an action that the loop does not know.
    fn unknown_action(&mut self, action: &Action) -> Step;

    /// Notes actions that are about to be sent, and returns how often each may be repeated.
    fn sending(&mut self, batch: &[ObjectAction], inventory: &Inventory) -> RequestRetries;

    /// Records an answer.
    fn record(&mut self, sent: &SentAction, observed: &mut Observed);

    /// Handles the inventory after all answers of a plan.
    fn executed(&mut self, inventory: &mut Inventory, observed: &Observed);
}

/// The result of the loop.
pub(super) struct ExecutedPlans {
    pub(super) inventory: Inventory,
    pub(super) observed: Observed,
    /// The kinds of the instances that checks found.
    pub(super) found: HashMap<ForeignCheck, GroupKind>,
    /// The plan without actions, except for its inventory and memory. `None` if the plans do not come to an end.
    pub(super) last: Option<Plan>,
}

/// Plans and executes until there is nothing more to send (component.md, 10.5), with at most `limit` plans.
pub(super) async fn execute_plans(
    site: &mut dyn PlanSite,
    target: &DependentsTarget,
    (mut inventory, mut observed): (Inventory, Observed),
    limit: usize,
) -> Step<ExecutedPlans> {
    let mut found = HashMap::new();
    for _ in 0..limit {
        let mut plan = site.plan(&inventory, &observed);
        if plan.needs_manifests {
            site.render_manifests().await?;
            continue;
        }
        inventory = std::mem::take(&mut plan.inventory);
        site.planned(std::mem::take(&mut plan.memory), &plan.actions);
        if plan.actions.is_empty() {
            return Ok(ExecutedPlans { inventory, observed, found, last: Some(plan) });
        }
        let mut batch = Vec::with_capacity(plan.actions.len());
        for action in plan.actions {
            match action {
                Action::Persist(inventory) => {
                    site.persist(&inventory).await?;
                    observed.record_persisted(&inventory);
                }
                Action::CheckForeign(check) => {
                    let (answer, transient) = check_foreign(target.cluster(), &check).await;
                    if let Some(error) = transient {
                        site.note_transient(error);
                    }
                    if let Foreign::Found(instances) = &answer {
                        found.insert(check.clone(), instances.kind.clone());
                    }
                    observed.record_foreign(check, answer);
                }
                Action::Send(action) => batch.push(action),
                other => site.unknown_action(&other)?,
            }
        }
        let retry = site.sending(&batch, &inventory);
        let mut answers = pin!(target.sender.send(batch, &retry));
        while let Some(sent) = answers.next().await {
            site.record(&sent, &mut observed);
        }
        site.executed(&mut inventory, &observed);
    }
    Ok(ExecutedPlans { inventory, observed, found, last: None })
}
