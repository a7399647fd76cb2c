//! What the methods of a component controller are given: one pass of their component, and the words to tell of it.

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

/// One pass of a component. It has no way to the owner (CT-4), and none to change the spec of a component (CT-3).
pub struct ComponentPass<T: ContractComponent> {
    cx: Context<T>,
    component: Arc<T>,
    /// Tells the versions of the dependencies from each other.
    dependencies: u64,
    said: Mutex<Said<T>>,
    /// Whether absent children are created although the component is being deleted.
    runs_on: bool,
}

/// What the author said in a pass.
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

    /// The pass, for the engine of rendered components.
    pub(crate) fn engine(&self) -> &Context<T> {
        &self.cx
    }

    /// Another text when a dependency is another version of itself.
    pub(crate) fn dependencies_digest(&self) -> String {
        self.dependencies.to_string()
    }

    pub(crate) fn said(self) -> Said<T> {
        self.said.into_inner()
    }

    /// The component.
    pub fn component(&self) -> &Arc<T> {
        &self.component
    }

    /// Namespace and name of the component, which are those of its owner and of all its dependencies.
    pub fn key(&self) -> &Key {
        self.cx.key()
    }

    /// The component as events name it.
    pub fn object_ref(&self) -> ObjectReference {
        self.cx.object_ref()
    }

    /// Changes the part of the status that the owner shows. It begins as the component has it.
    pub fn external<R>(&self, change: impl FnOnce(&mut T::External) -> R) -> R {
        change(&mut self.said.lock().external)
    }

    /// Changes the part of the status that stays on the component. It begins as the component has it.
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

    /// The reason and message of condition `<T>Reconciliation` after success. The message stands before that of a failure (STH-1).
    pub fn reconciliation(&self, reason: impl Into<String>, message: impl Into<String>) {
        self.said.lock().statements.reconciliation = (reason.into(), message.into());
    }

    /// Brings a child to where the pass wants it to be. See [`Context::ensure`]. The domain of its marks is that of the contract. The owner and the
    /// components of the contract cannot be children: the pass fails (CT-3, CT-4).
    pub fn ensure<D: KnownKind>(&self, child: D) -> Ensure<D> {
        self.ensured(self.cx.ensure(child))
    }

    /// The same for an object of a type that is known at run time only.
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

    /// The same for an object of a type that is known at run time only.
    pub fn delete_json(&self, resource: &ApiResource, namespace: &str, name: &str) -> DeleteChild {
        self.cx.delete_json(resource, namespace, name)
    }

    /// Deletes a group of children. See [`Context::delete_all`].
    pub async fn delete_all(&self, children: impl IntoIterator<Item = DeleteChild> + Send) -> Flow<ChildDeletion> {
        self.cx.delete_all(children).await
    }

    /// The update gate of this pass, by the applied generation of the component. See [`Context::update_gate`]. A failure in formats without
    /// `appliedGenerations` (PRE-1).
    pub fn update_gate(&self) -> Flow<UpdateGate> {
        let is_written = T::Contract::format().is_ok_and(|format| format.writes_applied());
        if is_written {
            return Ok(self.cx.update_gate());
        }
        let text = "the format of the contract has no `appliedGenerations`, by which an update gate is judged; write children without a gate";
        Failure::msg(text).reason("InternalError").origin(Origin::Bug).into()
    }

    /// Records events on the component.
    pub fn recorder(&self) -> ObjectRecorder<'_> {
        self.cx.recorder()
    }

    /// A typed configuration: the same value during the whole pass.
    pub fn config<C: FromConfigMap>(&self) -> Flow<Arc<C>> {
        self.cx.config()
    }

    /// Queues keys of this controller.
    pub fn enqueue(&self) -> QueueHandle {
        self.cx.enqueue()
    }

    /// Repeats the pass no later than after this time, whatever its outcome (ACT-18).
    pub fn recheck_after(&self, delay: Delay) {
        self.cx.recheck_after(delay);
    }

    /// The number of failures in a row before this pass.
    pub fn attempt(&self) -> u32 {
        self.cx.attempt()
    }

    /// The term in which this replica leads the component; none without leadership.
    pub fn term(&self) -> Option<&LeaderTerm> {
        self.cx.term()
    }

    /// The time that the method may still take; none without a limit.
    pub fn deadline(&self) -> Option<Duration> {
        self.cx.deadline()
    }

    /// Cancelled when the pass should end soon: at shutdown.
    pub fn cancelled(&self) -> &CancellationToken {
        self.cx.cancelled()
    }

    /// The clock of the process, which tests set.
    pub fn clock(&self) -> &Clock {
        self.cx.clock()
    }

    /// The identity of the pass in logs: 32 hexadecimal digits.
    pub fn trace_id(&self) -> &str {
        self.cx.trace_id()
    }
}

/// The pass of a component that is applied.
pub struct ApplyContext<T: ContractComponent>(pub(crate) ComponentPass<T>);

/// The pass of a component that is cleaned up. Only the loop makes one, when no other component depends on this one any more (CL-4).
pub struct CleanupContext<T: ContractComponent>(pub(crate) ComponentPass<T>);

impl<T: ContractComponent> CleanupContext<T> {
    /// Ensures a helper of the cleanup, such as a Job. See [`Context::helper`].
    pub fn helper<D: KnownKind>(&self, child: D) -> Ensure<D> {
        self.cx.helper(child)
    }

    /// The same for an object of a type that is known at run time only.
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
