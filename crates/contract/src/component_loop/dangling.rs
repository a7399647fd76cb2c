//! Dependency finalizers of components that do not exist (TEAR-3).

use std::collections::BTreeMap;

use kubewright_core::contract::Observation;
use kubewright_core::finalizer::FinalizerName;
use kubewright_core::flow::{Classified, Delay, Event, Failure, Flow};
use kubewright_core::reason;
use kubewright_core::time::Moment;
use kubewright_machinery::object::Key;
use kubewright_runtime::cluster::{ApiRequest, ApiResource};
use kubewright_runtime::config::CurrentTiming;
use kubewright_runtime::finalizer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
use kubewright_runtime::operator::OperatorContext;
use kubewright_runtime::reconcile::Context;
use parking_lot::Mutex;
use serde_json::Value;

use super::ComponentLoop;
use crate::controller::ComponentController;
use crate::declaration::{ContractComponent, writer_of};

/// The handling of dependency finalizers whose depending component does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dangling {
    /// The finalizer is removed when it has held its object back from deletion for this time and the component does not exist, with a Warning
    /// event `DanglingDependencyRemoved`.
    RemoveAfter(Delay),
    /// The finalizer stays.
    Keep,
}

/// The dependency finalizers that other components of the contract placed on this one.
pub(super) struct DanglingFinalizers {
    /// The policy. Without one they are removed after the time in `timing`.
    policy: Option<Dangling>,
    timing: CurrentTiming,
    depending: Vec<Depending>,
    /// The time of the last check for a depending component, or of the first observation of its finalizer, by the uid of the object that it
    /// depends on.
    looked: Mutex<BTreeMap<(String, String), Moment>>,
}

/// A type of components that depend on this one.
struct Depending {
    /// The suffix of its dependency finalizer.
    name: String,
    resource: ApiResource,
    writer: FinalizerWriter,
}

impl DanglingFinalizers {
    pub(super) fn of<T: ContractComponent>(
        context: &OperatorContext,
        terms: &crate::declaration::Terms,
        policy: Option<Dangling>,
    ) -> Result<Self, kubewright_core::finalizer::InvalidFinalizerName> {
        let own = ApiResource::known(&T::gvk(), T::plural(&()), T::is_namespaced());
        let depending = terms.depending(T::TYPE).map(|(type_, resource)| {
            let finalizer: FinalizerName = terms.format.dependency_finalizer(type_)?;
            let writer = writer_of(context, own.clone(), finalizer);
            Ok(Depending { name: type_.lower(), resource: resource.clone(), writer })
        });
        let depending = depending.collect::<Result<_, _>>()?;
        Ok(Self { policy, timing: context.timing.clone(), depending, looked: Mutex::default() })
    }
}

impl<C: ComponentController> ComponentLoop<C> {
    /// Checks, each time the grace period has passed, that the depending components exist, and removes the finalizers of those that do not.
    /// Returns true if one was removed. A teardown in order ends before the first check.
    pub(super) async fn remove_dangling(&self, cx: &Context<C::Component>, object: &Value, own: &Observation) -> Flow<bool> {
        let grace = match self.dangling.policy {
            Some(Dangling::Keep) => return Ok(false),
            Some(Dangling::RemoveAfter(grace)) => grace,
            None => self.dangling.timing.get().dangling,
        };
        let named = self.dangling.depending.iter().filter(|depending| own.depending.contains(&depending.name));
        let mut has_removed = false;
        for depending in named {
            let entry = (own.uid.clone(), depending.name.clone());
            let now = cx.clock().moment();
            let since = *self.dangling.looked.lock().entry(entry.clone()).or_insert(now);
            let left = grace.as_duration().saturating_sub(now.since(since));
            if let Ok(left) = Delay::try_from(left) {
                cx.recheck_after(left);
                continue;
            }
            if exists(cx, depending).await? {
                self.dangling.looked.lock().insert(entry, now);
                cx.recheck_after(grace);
                continue;
            }
            match depending.writer.remove(object, RemovalGuard::Anyhow, |_| true).await.map_err(Failure::unclassified)? {
                FinalizerOutcome::Overtaken(error) => return Err(Failure::unclassified(Classified::conflict(error)).into()),
                _ => has_removed = true,
            }
            self.dangling.looked.lock().remove(&entry);
            let note = format!("removed finalizer {}: after {grace} the component does not exist", depending.writer.name());
            cx.recorder().record(Event::warning(reason!("DanglingDependencyRemoved"), note));
        }
        Ok(has_removed)
    }

    /// Forgets the times of the checks for depending components.
    pub(super) fn forget_dangling(&self, own: &Observation) {
        self.dangling.looked.lock().retain(|(uid, _), _| *uid != own.uid);
    }
}

/// Returns true if the depending component exists. It is read live: an outdated store would cost a component its dependency.
async fn exists<K>(cx: &Context<K>, depending: &Depending) -> Flow<bool> {
    let key: &Key = cx.key();
    match cx.cluster().send(&ApiRequest::get(&depending.resource, key.namespace(), key.name())).await {
        Ok(_) => Ok(true),
        Err(error) if error.is_not_found() => Ok(false),
        Err(error) => Err(Failure::unclassified(error).into()),
    }
}
