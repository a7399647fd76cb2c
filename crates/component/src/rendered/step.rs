//! Rendered sets as steps of pipelines.

use std::fmt;

use kubewright_core::flow::Flow;
use kubewright_runtime::kind::KnownKind;
use kubewright_runtime::step::{Pass, Step};

use super::RenderedSet;
use crate::kind::{Component, EmbedsStatus as _};

/// Applies the set with the part of the status that [`EmbedsStatus`](crate::EmbedsStatus) returns.
impl<'a, K: Component + KnownKind, D: Send> Step<Pass<'a, K, D>> for RenderedSet<K> {
    const NAME: &'static str = "rendered-set";

    async fn run(&self, pass: &mut Pass<'a, K, D>) -> Flow {
        self.apply(pass.cx, pass.object, pass.status.component_status_mut()).await
    }
}

/// The deletion of a rendered set as a step of a pipeline.
pub struct RenderedDeletion<K> {
    set: RenderedSet<K>,
}

impl<K> RenderedDeletion<K> {
    pub(super) fn new(set: RenderedSet<K>) -> Self {
        Self { set }
    }
}

impl<'a, K: Component + KnownKind, D: Send> Step<Pass<'a, K, D>> for RenderedDeletion<K> {
    const NAME: &'static str = "delete-rendered-set";

    async fn run(&self, pass: &mut Pass<'a, K, D>) -> Flow {
        self.set.delete(pass.cx, pass.object, pass.status.component_status_mut()).await
    }
}

impl<K> fmt::Debug for RenderedDeletion<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("RenderedDeletion").field(&self.set).finish()
    }
}
