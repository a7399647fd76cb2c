//! One pass of an owner that is not being deleted.

use kubewright_core::child::{ChildOwner, Ownership};
use kubewright_core::contract::{
    Aggregate, ComponentType, ComponentView, OperationChange, OwnerAction, OwnerPass, OwnerState, Provenance, RECONCILE,
    Reported, aggregate, component_patch, plan,
};
use kubewright_core::flow::{Blocked, Flow, Halt, Wait, join};
use kubewright_core::reason;
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::kind::KnownKind as _;
use kubewright_runtime::reconcile::Context;
use kubewright_runtime::step::run_all;
use serde_json::Value;

use super::component::{ExistingComponent, OpenComponent};
use super::generate::GenerationInputs;
use super::internal::Internal;
use super::namespace::PropagatedLabels;
use super::status::StatusOfOwner;
use super::{OwnerLoop, OwnerPassStatus};
use crate::declaration::{Contract, ContractOwner};

/// The number of components that are written at the same time.
const BRANCHES: usize = 8;

/// The owner of a pass, with all inputs of the generation of its components.
pub(super) struct GenerationPass<'a, C: Contract> {
    pub(super) owner: &'a C::Owner,
    pub(super) object: Value,
    pub(super) child_owner: ChildOwner,
    pub(super) internal: Option<Internal<C>>,
    pub(super) propagated: PropagatedLabels,
    /// True if a pass of all components is requested.
    pub(super) asks: bool,
}

impl<C: Contract> OwnerLoop<C> {
    pub(super) async fn apply(&self, cx: &Context<C::Owner>, owner: &C::Owner, status: &mut OwnerPassStatus<C>) -> Flow {
        let Some(asks) = self.consume(cx).await? else { return silent(cx, status) };
        self.check_name(cx.key())?;
        match cx.hold().await {
            Ok(()) => {}
            Err(Halt::Done) => return silent(cx, status), // the owner is gone or going
            Err(halt) => return Err(halt.context("failed to set finalizers")),
        }
        let propagated = self.propagated(cx, owner);
        self.label_owner(cx, &propagated).await?;
        let Some(object) = cx.latest() else { return silent(cx, status) };
        let child_owner = self.child_owner(&object);
        self.own_internal(cx, &child_owner).await?;
        let internal = self.internal.find(cx.key())?;
        let pass = GenerationPass { owner, object, child_owner, internal, propagated, asks };
        let written = self.write_all(cx, &pass).await;
        let published = self.publish(cx.key(), &pass, &mut status.status);
        let aggregate = self.aggregate(cx, &pass.object, &status.status);
        let wait = aggregate.wait();
        status.notes.aggregate = Some(aggregate);
        written?;
        published?;
        self.asked.lock().remove(cx.key());
        wait.map_or(Ok(()), Into::into)
    }

    /// Removes `reconcile` from the owner (OPA-8). Returns true if a pass of all components is requested, and `None` if the owner is gone.
    pub(super) async fn consume(&self, cx: &Context<C::Owner>) -> Flow<Option<bool>> {
        let operation = self.terms.format.operation();
        let is_asked = cx.latest().is_some_and(|owner| owner.annotation(operation) == Some(RECONCILE));
        if is_asked {
            if !cx.consume_annotation(operation, RECONCILE).await? {
                return Ok(None);
            }
            self.asked.lock().insert(cx.key().clone());
        }
        Ok(Some(self.asked.lock().contains(cx.key())))
    }

    /// Checks the length of the owner's name, which is that of all components and stands in labels (CT-1).
    fn check_name(&self, key: &Key) -> Flow {
        let (length, limit) = (key.name().chars().count(), self.terms.format.max_owner_name());
        if length <= limit {
            return Ok(());
        }
        let text = format!("the name has {length} characters; at most {limit} are allowed, since components have it as a label");
        Blocked::new(reason!("NameTooLong"), text).into()
    }

    pub(super) fn child_owner(&self, object: &Value) -> ChildOwner {
        let labels = self.terms.format.owner_labels().clone();
        ChildOwner::new(C::Owner::gvk(), (object.namespace(), object.name()), object.uid(), labels)
    }

    /// Sets the labels on the owner that the format copies from its namespace.
    async fn label_owner(&self, cx: &Context<C::Owner>, labels: &PropagatedLabels) -> Flow {
        let Some(live) = cx.latest() else { return Ok(()) };
        let mut wanted = live.clone();
        for (key, value) in &labels.of_format {
            wanted.set_label(key, value);
        }
        let patch = component_patch(&live, &wanted, self.terms.format.operation());
        let Some(patch) = patch else { return Ok(()) };
        cx.patch(&patch).await.map(drop).map_err(|halt| halt.context("failed to label the owner"))
    }

    /// Processes all components, each as a branch that does not stop the others (OL-6).
    pub(super) async fn write_all(&self, cx: &Context<C::Owner>, pass: &GenerationPass<'_, C>) -> Flow {
        let key = cx.key();
        let format = &self.terms.format;
        let provenance = Provenance::new(
            pass.object.generation().unwrap_or_default(),
            pass.internal.as_ref().map(|internal| internal.generation),
        );
        let is_deleting = pass.object.deletion_timestamp().is_some();
        let state = OwnerState { provenance, is_deleting, asks: pass.asks };
        let settings = pass.internal.as_ref().map(|internal| &*internal.settings);
        let disabled = C::disabled(pass.owner, settings);
        let existing: Vec<Option<ExistingComponent>> =
            self.components.iter().map(|component| component.existing(key, &pass.child_owner, format)).collect();
        let views = self.components.iter().zip(&existing).map(|(component, existing)| ComponentView {
            type_: component.type_(),
            is_configured: component.owned.configured(pass.owner),
            is_disabled: disabled.contains(&component.type_()),
            existing: existing.as_ref().map(|existing| &existing.observation),
        });
        let views: Vec<ComponentView<'_>> = views.collect();
        let actions = plan(&state, &views);
        let source = GenerationInputs {
            key,
            owner: &pass.object,
            child_owner: &pass.child_owner,
            provenance,
            propagated: &pass.propagated,
            controller: &self.controller,
            format,
        };
        let groups = self.groups(&actions);
        let branches = self.components.iter().zip(&existing).zip(&views).zip(actions).map(
            |(((component, existing), view), (type_, action))| {
                let is_wanted = view.is_configured && !is_deleting;
                let branch = self.branch(cx, pass, &source, component, existing.as_ref(), (action, is_wanted));
                Some((type_.as_str(), branch))
            },
        );
        let (mut branches, mut outcomes): (Vec<_>, Vec<_>) = (branches.collect(), Vec::new());
        for group in groups {
            let group: Vec<_> = group.into_iter().filter_map(|index| branches[index].take()).collect();
            outcomes.extend(run_all(BRANCHES, group).await);
        }
        join(outcomes).map(drop)
    }

    /// Returns the indices of all components in the groups in which a pass processes them: all at once, or in the order of creation if the pass
    /// creates one. Otherwise a component would report that it waits for another one that is created at the same moment (OL-6).
    fn groups(&self, actions: &[(ComponentType, OwnerAction)]) -> Vec<Vec<usize>> {
        if actions.iter().any(|(_, action)| matches!(action, OwnerAction::Create(_))) {
            return self.creation.clone();
        }
        vec![(0..self.components.len()).collect()]
    }

    /// Processes one component.
    async fn branch(
        &self,
        cx: &Context<C::Owner>,
        pass: &GenerationPass<'_, C>,
        source: &GenerationInputs<'_>,
        component: &OpenComponent<C>,
        existing: Option<&ExistingComponent>,
        (action, is_wanted): (OwnerAction, bool),
    ) -> Flow {
        let settings = pass.internal.as_ref().map(|internal| &*internal.settings);
        let architecture = C::architecture(component.type_(), settings);
        let Some(existing) = existing else {
            self.forget(cx.key(), component);
            let OwnerAction::Create(change) = action else { return Ok(()) };
            let mut wanted = source.blank(component);
            source.mark(&mut wanted, component, architecture, change)?;
            wanted["spec"] = component.owned.convert(pass.owner, settings)?;
            return self.create(cx, component, &wanted).await;
        };
        match &existing.ownership {
            Ownership::Other(_) | Ownership::Former if !is_wanted => return Ok(()),
            Ownership::Other(owner) => return name_conflict(component, cx.key(), owner),
            Ownership::Former => return former_owner(component, cx.key()),
            _ => {}
        }
        let mut wanted = existing.object.clone();
        match action {
            OwnerAction::Update(change) => {
                source.mark(&mut wanted, component, architecture, change)?;
                let spec = component.owned.convert(pass.owner, settings)?;
                if !self.has_spec(cx.key(), component, &existing.object, &spec) {
                    wanted["spec"] = spec.clone();
                }
                if let Some(answer) = self.change(cx, component, existing, &wanted).await? {
                    self.remember(cx.key(), component, &spec, &answer);
                }
                Ok(())
            }
            OwnerAction::Refresh(change) => {
                source.provenance.set(&mut wanted, source.format);
                self.operate(cx, component, existing, wanted, change).await
            }
            OwnerAction::Operate(change) => self.operate(cx, component, existing, wanted, change).await,
            OwnerAction::Delete(change) => self.remove(cx, component, existing, change).await,
            _ => Ok(()),
        }
    }

    async fn operate(
        &self,
        cx: &Context<C::Owner>,
        component: &OpenComponent<C>,
        existing: &ExistingComponent,
        mut wanted: Value,
        change: OperationChange,
    ) -> Flow {
        change.put(&mut wanted, &self.terms.format);
        self.change(cx, component, existing, &wanted).await.map(drop)
    }

    /// Copies the external statuses of the components that are switched on and exist into the status of the owner (OL-2).
    pub(super) fn publish(&self, key: &Key, pass: &GenerationPass<'_, C>, status: &mut StatusOfOwner<C>) -> Flow {
        let mut published = <C::Owner as ContractOwner>::Published::default();
        for component in self.components.iter().filter(|component| component.owned.configured(pass.owner)) {
            let existing = component.existing(key, &pass.child_owner, &self.terms.format);
            if let Some(existing) = existing.filter(ExistingComponent::is_ours) {
                component.owned.publish(existing.object.status(), &mut published)?;
            }
        }
        status.published = published;
        Ok(())
    }

    /// Returns the conditions of the components as they are in the stores.
    pub(super) fn aggregate(&self, cx: &Context<C::Owner>, owner: &Value, status: &StatusOfOwner<C>) -> Aggregate {
        let existing = self.existing(cx.key(), owner);
        let reported = existing.iter().map(|(component, existing)| Reported {
            type_: component.type_(),
            conditions: &existing.observation.conditions,
            declared: component.owned.conditions(),
        });
        let pass =
            OwnerPass { before: &status.conditions, now: cx.clock().now(), generation: owner.generation().unwrap_or_default() };
        aggregate(&reported.collect::<Vec<_>>(), &pass, &self.terms.format)
    }

    /// Returns the existing components of the owner.
    pub(super) fn existing(&self, key: &Key, owner: &Value) -> Vec<(&OpenComponent<C>, ExistingComponent)> {
        let child_owner = self.child_owner(owner);
        let found = self.components.iter().filter_map(|component| {
            let existing = component.existing(key, &child_owner, &self.terms.format)?;
            existing.is_ours().then_some((component, existing))
        });
        found.collect()
    }

    /// Returns the types of the existing components of the owner, and of those that a user set to be ignored.
    pub(super) fn left(&self, key: &Key, owner: &Value) -> (Vec<ComponentType>, Vec<ComponentType>) {
        let (mut left, mut ignored) = (Vec::new(), Vec::new());
        for (component, existing) in self.existing(key, owner) {
            left.push(component.type_());
            if existing.observation.is_ignored() && !existing.observation.is_disabled {
                ignored.push(component.type_());
            }
        }
        (left, ignored)
    }
}

/// Ends the branch because another object has the name.
fn name_conflict<C: Contract>(component: &OpenComponent<C>, key: &Key, owner: &str) -> Flow {
    let text = format!("{} {key} belongs to {owner}; delete it, or give the owner another name", component.gvk.kind);
    Blocked::new(reason!("NameConflict"), text).into()
}

/// Ends the branch because the component belongs to a former owner; garbage collection is about to remove it.
fn former_owner<C: Contract>(component: &OpenComponent<C>, key: &Key) -> Flow {
    let text = format!("{} {key} belongs to a former owner of the same name and is deleted with it", component.gvk.kind);
    Wait::for_event(reason!("ChildOfFormerOwner")).message(text).into()
}

/// Ends a pass without a report, after which no more requests are sent.
#[allow(clippy::unnecessary_wraps)] // the outcome of the pass
pub(super) fn silent<C: Contract>(cx: &Context<C::Owner>, status: &mut OwnerPassStatus<C>) -> Flow {
    status.notes.is_silent = true;
    cx.leave_status();
    Ok(())
}
