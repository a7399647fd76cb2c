//! The finalizers of components: those on the components themselves, and those on the components that they depend on (flow-and-contract.md, 9).

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::contract::Format;
use kubewright_core::finalizer::{FinalizerName, InvalidFinalizerName};
use kubewright_core::flow::{Classified, Failure, Flow};
use kubewright_machinery::object::{Key, ObjectExt as _};
use kubewright_runtime::cluster::{ApiResource, is_removed};
use kubewright_runtime::finalizer::{FinalizerOutcome, FinalizerWriter, RemovalGuard};
use kubewright_runtime::operator::OperatorContext;
use kubewright_runtime::store::{Kept, Store};

use super::{ContractComponent, ContractMember};

/// The names of the finalizer with which the controller of a component keeps it until it is cleaned up.
pub struct OwnFinalizer<K> {
    name: FinalizerName,
    former: Option<FinalizerName>,
    kind: PhantomData<fn() -> K>,
}

impl<K: ContractMember> OwnFinalizer<K> {
    /// Returns the names in a format.
    pub fn new(format: &Format) -> Result<Self, InvalidFinalizerName> {
        let (name, former) = (format.own_finalizer(K::TYPE)?, format.legacy_finalizer(K::TYPE)?);
        Ok(Self { name, former, kind: PhantomData })
    }

    /// Returns the name.
    pub fn name(&self) -> &FinalizerName {
        &self.name
    }

    /// Returns the former name, in formats that have one (FZ-8).
    pub fn former(&self) -> Option<&FinalizerName> {
        self.former.as_ref()
    }
}

/// The finalizer with which a component `From` keeps a component `To` that it depends on. It is placed on `To`.
pub struct DependencyFinalizer<From, To: Send + Sync + 'static> {
    writer: FinalizerWriter,
    store: Store<To>,
    from: PhantomData<fn() -> From>,
}

impl<From: ContractMember, To: ContractComponent> DependencyFinalizer<From, To> {
    /// Creates the finalizer in a format.
    pub(crate) fn new(context: &OperatorContext, format: &Format, store: Store<To>) -> Result<Self, InvalidFinalizerName> {
        let resource = ApiResource::known(&To::gvk(), To::plural(&()), To::is_namespaced());
        let writer = writer_of(context, resource, format.dependency_finalizer(From::TYPE)?);
        Ok(Self { writer, store, from: PhantomData })
    }

    /// Returns the name: `dependency.<domain>/<t>`, with the type of the depending component.
    pub fn name(&self) -> &FinalizerName {
        self.writer.name()
    }

    /// Places the finalizer. Returns true if that changed the object. If the object is gone or being deleted by now, the store has this newer
    /// state afterwards.
    pub(crate) async fn place(&self, target: &Kept<To>) -> Flow<bool> {
        let target = target.json();
        let outcome = self.writer.add(&target, |live| live.uid() == target.uid()).await;
        self.settle(&target, outcome.map_err(Failure::unclassified)?)
    }

    /// Removes the finalizer. Returns true if that changed the object.
    pub(crate) async fn release(&self, target: &Kept<To>) -> Flow<bool> {
        let target = target.json();
        let outcome = self.writer.remove(&target, RemovalGuard::Anyhow, |live| live.uid() == target.uid()).await;
        self.settle(&target, outcome.map_err(Failure::unclassified)?)
    }

    /// Records the answer in the store.
    fn settle(&self, before: &serde_json::Value, outcome: FinalizerOutcome) -> Flow<bool> {
        let has_changed = matches!(outcome, FinalizerOutcome::Changed(_));
        let gone = || self.store.kept().record_delete(&Key::new(before.namespace(), before.name()), before.uid());
        match outcome {
            FinalizerOutcome::Changed(answer) | FinalizerOutcome::Deleting(answer) | FinalizerOutcome::Dropped(answer) => {
                self.store.record_write(&answer);
                if is_removed(&answer) {
                    gone();
                }
            }
            FinalizerOutcome::Gone => gone(),
            FinalizerOutcome::Overtaken(error) => return Err(Failure::unclassified(Classified::conflict(error)).into()),
            _ => {}
        }
        Ok(has_changed)
    }
}

/// Returns a writer with the field manager of finalizers (FZ-11).
pub(crate) fn writer_of(context: &OperatorContext, resource: ApiResource, name: FinalizerName) -> FinalizerWriter {
    let manager = format!("{}/self", context.operator).into();
    FinalizerWriter::new(context.cluster.clone(), Arc::new(resource), manager, name, &context.timing)
}

impl<K> fmt::Debug for OwnFinalizer<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnFinalizer").field(&self.name).finish()
    }
}

impl<From, To: Send + Sync + 'static> fmt::Debug for DependencyFinalizer<From, To> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("DependencyFinalizer").field(self.writer.name()).finish()
    }
}
