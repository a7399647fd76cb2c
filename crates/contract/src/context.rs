//! The argument of the methods of a component controller: one pass of their component, with the means to report on it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::condition::{Condition, ConditionStatus};
use kubewright_core::config::FromConfigMap;
use kubewright_core::contract::Statements;
use kubewright_core::flow::{Delay, Failure, Flow, Origin};
use kubewright_machinery::object::{Key, ObjectReference};
use kubewright_runtime::background::CancellationToken;
use kubewright_runtime::clock::Clock;
use kubewright_runtime::cluster::ApiResource;
use kubewright_runtime::controller::{LeaderTerm, QueueHandle};
use kubewright_runtime::ensure::{ChildDeletion, DeleteChild, Ensure, UpdateGate};
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::reconcile::{Context, ObjectRecorder};
use parking_lot::Mutex;
use serde_json::Value;

use crate::declaration::{Contract as _, ContractComponent};

/// One pass of a component. It gives no access to the owner (CT-4), and none to the specs of components (CT-3).
pub struct ComponentPass<T: ContractComponent> {
    cx: Context<T>,
    component: Arc<T>,
    /// The digest of the versions of the dependencies.
    dependencies: u64,
    said: Mutex<Said<T>>,
    /// True if absent children are created although the component is being deleted.
    runs_on: bool,
}

/// The results that the author's code set in a pass.
#[derive(Clone, Debug)]
pub(crate) struct Said<T: ContractComponent> {
    pub(crate) statements: Statements,
    pub(crate) external: T::External,
    pub(crate) private: T::Private,
}

impl<T: ContractComponent> ComponentPass<T> {
    pub(crate) fn new(cx: Context<T>, component: Arc<T>, dependencies: u64, said: Said<T>, runs_on: bool) -> Self {
        Self { cx, component, dependencies, said: Mutex::new(said), runs_on }
    }

    /// Returns the pass, for the engine of rendered components.
    pub(crate) fn engine(&self) -> &Context<T> {
        &self.cx
    }

    /// Returns a text that differs when the version of a dependency differs.
    pub(crate) fn dependencies_digest(&self) -> String {
        self.dependencies.to_string()
    }

    pub(crate) fn said(self) -> Said<T> {
        self.said.into_inner()
    }

    /// Returns the component.
    pub fn component(&self) -> &Arc<T> {
        &self.component
    }

    /// Returns namespace and name of the component, which are those of its owner and of all its dependencies.
    pub fn key(&self) -> &Key {
        self.cx.key()
    }

    /// Returns the reference that events use for the component.
    pub fn object_ref(&self) -> ObjectReference {
        self.cx.object_ref()
    }

    /// Changes the part of the status that the owner shows, starting from the present one.
    pub fn external<R>(&self, change: impl FnOnce(&mut T::External) -> R) -> R {
        change(&mut self.said.lock().external)
    }

    /// Changes the part of the status that stays on the component, starting from the present one.
    pub fn private<R>(&self, change: impl FnOnce(&mut T::Private) -> R) -> R {
        change(&mut self.said.lock().private)
    }

    /// Sets condition `<T>Healthy`: the component works.
    pub fn healthy(&self) {
        self.condition(T::TYPE.healthy(), ConditionStatus::True, "", "");
    }

    /// Sets condition `<T>Healthy`: the component does not work.
    pub fn unhealthy(&self, reason: &str, message: impl Into<String>) {
        self.condition(T::TYPE.healthy(), ConditionStatus::False, reason, message);
    }

    /// Sets a condition, such as a declared one. Conditions that a successful pass does not set are removed; those that it has to set
    /// become Unknown (STH-4, STH-5).
    pub fn condition(&self, type_: impl AsRef<str>, status: ConditionStatus, reason: &str, message: impl Into<String>) {
        let condition = Condition::new(type_.as_ref(), status, reason, message);
        self.said.lock().statements.conditions.push(condition);
    }

    /// Sets the reason and message of condition `<T>Reconciliation` after success. The message is put before that of a failure (STH-1).
    pub fn reconciliation(&self, reason: impl Into<String>, message: impl Into<String>) {
        self.said.lock().statements.reconciliation = (reason.into(), message.into());
    }

    /// Creates or changes a child so that it has the given state. See [`Context::ensure`]. The domain of its marks is that of the contract. The
    /// owner and the components of the contract cannot be children: the pass fails (CT-3, CT-4).
    pub fn ensure<D: KnownKind>(&self, child: D) -> Ensure<D> {
        self.ensured(self.cx.ensure(child))
    }

    /// Creates or changes a child of a type that is known at run time only. See [`ensure`](Self::ensure).
    pub fn ensure_json(&self, resource: &ApiResource, child: Value) -> Ensure<Value> {
        self.ensured(self.cx.ensure_json(resource, child))
    }

    fn ensured<D>(&self, ensure: Ensure<D>) -> Ensure<D> {
        if self.runs_on { ensure.while_deleting() } else { ensure }
    }

    /// Deletes a child. See [`Context::delete`].
    pub fn delete<D: KnownKind>(&self, child: &D) -> DeleteChild {
        self.cx.delete(child)
    }

    /// Deletes a child of a type that is known at run time only. See [`delete`](Self::delete).
    pub fn delete_json(&self, resource: &ApiResource, namespace: &str, name: &str) -> DeleteChild {
        self.cx.delete_json(resource, namespace, name)
    }

    /// Deletes a group of children. See [`Context::delete_all`].
    pub async fn delete_all(&self, children: impl IntoIterator<Item = DeleteChild> + Send) -> Flow<ChildDeletion> {
        self.cx.delete_all(children).await
    }

    /// Returns the update gate of this pass, based on the applied generation of the component. See [`Context::update_gate`]. It fails in formats
    /// without `appliedGenerations` (PRE-1).
    pub fn update_gate(&self) -> Flow<UpdateGate> {
        let is_written = T::Contract::format().is_ok_and(|format| format.writes_applied());
        if is_written {
            return Ok(self.cx.update_gate());
        }
        let text = "the format of the contract has no `appliedGenerations`, by which an update gate is judged; write children without a gate";
        Failure::msg(text).reason("InternalError").origin(Origin::Bug).into()
    }

    /// Returns the recorder of events on the component.
    pub fn recorder(&self) -> ObjectRecorder<'_> {
        self.cx.recorder()
    }

    /// Returns a typed configuration, which has the same value during the whole pass.
    pub fn config<C: FromConfigMap>(&self) -> Flow<Arc<C>> {
        self.cx.config()
    }

    /// Returns the handle that queues keys of this controller.
    pub fn enqueue(&self) -> QueueHandle {
        self.cx.enqueue()
    }

    /// Repeats the pass no later than after this time, whatever its outcome (ACT-18).
    pub fn recheck_after(&self, delay: Delay) {
        self.cx.recheck_after(delay);
    }

    /// Returns the number of consecutive failures before this pass.
    pub fn attempt(&self) -> u32 {
        self.cx.attempt()
    }

    /// Returns the term in which this replica leads the component. `None` without leadership.
    pub fn term(&self) -> Option<&LeaderTerm> {
        self.cx.term()
    }

    /// Returns the time that the method may still take. `None` without a limit.
    pub fn deadline(&self) -> Option<Duration> {
        self.cx.deadline()
    }

    /// Returns the token that is cancelled when the pass should end soon, at shutdown.
    pub fn cancelled(&self) -> &CancellationToken {
        self.cx.cancelled()
    }

    /// Returns the clock of the process, which tests set.
    pub fn clock(&self) -> &Clock {
        self.cx.clock()
    }

    /// Returns the identity of the pass in logs: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        self.cx.trace_id()
    }
}

/// The pass of a component that is applied.
pub struct ApplyContext<T: ContractComponent>(pub(crate) ComponentPass<T>);

/// The pass of a component that is cleaned up. Only the loop creates one, when no other component depends on this one any more (CL-4).
pub struct CleanupContext<T: ContractComponent>(pub(crate) ComponentPass<T>);

impl<T: ContractComponent> CleanupContext<T> {
    /// Ensures a helper of the cleanup, such as a Job. See [`Context::helper`].
    pub fn helper<D: KnownKind>(&self, child: D) -> Ensure<D> {
        self.cx.helper(child)
    }

    /// Ensures a helper of a type that is known at run time only. See [`helper`](Self::helper).
    pub fn helper_json(&self, resource: &ApiResource, child: Value) -> Ensure<Value> {
        self.cx.helper_json(resource, child)
    }
}

impl<T: ContractComponent> Deref for ApplyContext<T> {
    type Target = ComponentPass<T>;

    fn deref(&self) -> &ComponentPass<T> {
        &self.0
    }
}

impl<T: ContractComponent> Deref for CleanupContext<T> {
    type Target = ComponentPass<T>;

    fn deref(&self) -> &ComponentPass<T> {
        &self.0
    }
}

macro_rules! debug_by_key {
    ($($context:ident)*) => {
        $(impl<T: ContractComponent> fmt::Debug for $context<T> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($context)).field("key", self.key()).finish_non_exhaustive()
            }
        })*
    };
}

debug_by_key!(ComponentPass ApplyContext CleanupContext);
