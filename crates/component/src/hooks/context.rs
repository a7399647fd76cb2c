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

/// What the other hooks may use: in addition, where the component is deployed and what is being processed.
pub struct HookContext<C> {
    pub(crate) read: ReadContext<C>,
    pub(crate) inputs: Arc<HookInputs>,
}

/// The facts of a pass that hooks see.
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
    /// Emits an event on the component. It is sent beside the pass by the operator's recorder, which counts repetitions instead of
    /// sending each; it never blocks and never fails. Hooks run in every pass: emit what happened, not what still is.
    pub fn event(&self, event: Event) {
        self.reporter.report(event);
    }

    /// The name of the component type: the operator's name, unless
    /// [`named`](crate::ComponentBuilder::named) gives it one of its own. It is the prefix of labels and annotations.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    /// The cluster in which the component lives, with the operator's own identity.
    pub fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// A kube client for that cluster.
    pub fn client(&self) -> kube::Client {
        self.cluster.client().clone()
    }
}

impl<C> HookContext<C> {
    /// Emits an event on the component. It is sent beside the pass by the operator's recorder, which counts repetitions instead of
    /// sending each; it never blocks and never fails. Hooks run in every pass: emit what happened, not what still is.
    pub fn event(&self, event: Event) {
        self.read.event(event);
    }

    /// The name of the component type: the operator's name, unless
    /// [`named`](crate::ComponentBuilder::named) gives it one of its own. It is the prefix of labels and annotations.
    pub fn operator(&self) -> &str {
        self.read.operator()
    }

    /// The cluster in which the component lives, with the operator's own identity.
    pub fn cluster(&self) -> &Cluster {
        self.read.cluster()
    }

    /// A kube client for that cluster.
    pub fn client(&self) -> kube::Client {
        self.read.client()
    }

    /// The cluster of the dependents, in the name in which they are written. `None` when they are abandoned: then it may be gone, and
    /// nothing of it is to be touched.
    pub fn target(&self) -> Option<&Cluster> {
        self.inputs.target.as_ref()
    }

    /// The namespace that the dependents go to.
    pub fn namespace(&self) -> &str {
        &self.inputs.namespace
    }

    /// The name under which the component is deployed.
    pub fn name(&self) -> &str {
        &self.inputs.name
    }

    /// The digest of the component.
    pub fn digest(&self) -> &str {
        &self.inputs.digest
    }

    /// The content of a reference to a ConfigMap: all its data, or the value of the key. `None` for a reference that is absent or
    /// not resolved.
    pub fn config_map<R: ConfigMapReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.inputs.references.config_map(reference)
    }

    /// The content of a reference to a Secret: all its data, or the value of the key. `None` for a reference that is absent or
    /// not resolved.
    pub fn secret<R: SecretReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.inputs.references.secret(reference)
    }

    /// What a reference stands for that code of the operator loaded. `None` for one that is absent or not resolved.
    pub fn loaded<R: LoadedReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.inputs.references.loaded(reference)
    }

    /// Counts the digests that were processed.
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
