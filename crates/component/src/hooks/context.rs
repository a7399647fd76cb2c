use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::flow::Event;
use kubewright_core::reference::{ConfigMapReference, LoadedReference, Resolved, SecretReference};
use kubewright_runtime::cluster::Cluster;

use crate::events::Reporter;

/// The context of a post-read hook: the name of the component type and the local cluster.
pub struct ReadContext<C> {
    pub(crate) operator: Arc<str>,
    pub(crate) cluster: Cluster,
    pub(crate) reporter: Reporter,
    pub(crate) component: PhantomData<fn() -> C>,
}

/// The context of all hooks except post-read hooks. In addition to a [`ReadContext`], it knows the cluster and the namespace of the dependents
/// and the values of the pass.
pub struct HookContext<C> {
    pub(crate) read: ReadContext<C>,
    pub(crate) inputs: Arc<HookInputs>,
}

/// The facts of a pass that are available to hooks.
#[derive(Clone, Debug, Default)]
pub(crate) struct HookInputs {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) digest: String,
    pub(crate) revision: i64,
    pub(crate) references: Resolved,
    pub(crate) target: Option<Cluster>,
    pub(crate) reporter: Reporter,
}

impl<C> ReadContext<C> {
    /// Emits an event on the component. The operator's recorder sends it outside of the pass and counts repetitions instead of sending each; the
    /// call never blocks and never fails. Hooks run in every pass, so emit an event for a change, not for a lasting state.
    pub fn event(&self, event: Event) {
        self.reporter.report(event);
    }

    /// Returns the name of the component type: the operator's name, unless [`named`](crate::ComponentBuilder::named) sets another one. It is the
    /// prefix of labels and annotations.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// Returns the cluster of the component, accessed with the operator's own identity.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// Returns a kube client for the cluster of the component.
    pub fn client(&self) -> kube::Client {
        self.cluster.client().clone()
    }
}

impl<C> HookContext<C> {
    /// Emits an event on the component. The operator's recorder sends it outside of the pass and counts repetitions instead of sending each; the
    /// call never blocks and never fails. Hooks run in every pass, so emit an event for a change, not for a lasting state.
    pub fn event(&self, event: Event) {
        self.read.event(event);
    }

    /// Returns the name of the component type: the operator's name, unless [`named`](crate::ComponentBuilder::named) sets another one. It is the
    /// prefix of labels and annotations.
    pub fn operator(&self) -> &str {
        self.read.operator()
    }

    /// Returns the cluster of the component, accessed with the operator's own identity.
    pub fn cluster(&self) -> &Cluster {
        self.read.cluster()
    }

    /// Returns a kube client for the cluster of the component.
    pub fn client(&self) -> kube::Client {
        self.read.client()
    }

    /// Returns the cluster of the dependents, accessed with the identity that writes them. `None` when the dependents are abandoned: their
    /// cluster may be gone, and nothing in it is to be changed.
    pub fn target(&self) -> Option<&Cluster> {
        self.inputs.target.as_ref()
    }

    /// Returns the namespace of the dependents.
    pub fn namespace(&self) -> &str {
        &self.inputs.namespace
    }

    /// Returns the name under which the component is deployed.
    pub fn name(&self) -> &str {
        &self.inputs.name
    }

    /// Returns the digest of the component.
    pub fn digest(&self) -> &str {
        &self.inputs.digest
    }

    /// Returns the content of a reference to a ConfigMap: all its data, or the value of the key. `None` for a reference that is absent or not
    /// resolved.
    pub fn config_map<R: ConfigMapReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.inputs.references.config_map(reference)
    }

    /// Returns the content of a reference to a Secret: all its data, or the value of the key. `None` for a reference that is absent or not
    /// resolved.
    pub fn secret<R: SecretReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.inputs.references.secret(reference)
    }

    /// Returns the content of a reference that code of the operator loaded. `None` for a reference that is absent or not resolved.
    pub fn loaded<R: LoadedReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.inputs.references.loaded(reference)
    }

    /// Returns the revision of the component, which counts the processed digests.
    pub fn revision(&self) -> i64 {
        self.inputs.revision
    }
}

impl<C> fmt::Debug for ReadContext<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReadContext").field("operator", &self.operator).finish_non_exhaustive()
    }
}

impl<C> fmt::Debug for HookContext<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HookContext").field("operator", &self.read.operator).field("inputs", &self.inputs).finish_non_exhaustive()
    }
}
