//! The rendering that is kept between the passes of a component.

use std::collections::BTreeSet;

use kubewright_core::dependents::{Desired, DesiredSummary};
use kubewright_machinery::object::GroupVersionKind;
use kubewright_render::{Asked, RenderInputs};

/// A rendering and its inputs (GEN-5).
#[derive(Clone, Debug)]
pub(crate) struct Rendered {
    pub(super) key: RenderInputs,
    /// The digest of further inputs of the generator besides the component, such as its dependencies under a contract.
    pub(super) further: String,
    /// The questions that the generator asked about clusters, and the answers.
    pub(super) asked: Asked,
    /// The objects that plans work with. Empty between passes once there is a summary.
    pub(super) desired: Desired,
    /// The summary that is kept instead of the manifests.
    pub(super) summary: Option<DesiredSummary>,
    /// The types that were not served. Once they are, scopes are decided again.
    pub(super) unknown: BTreeSet<GroupVersionKind>,
}

impl Rendered {
    /// Reduces the rendering to the data that is needed to see that nothing has to be done.
    pub(super) fn reduce(&mut self) {
        if self.summary.is_none() {
            self.summary = Some(self.desired.summary());
        }
        self.close();
    }

    /// Drops the manifests at the end of a pass, if there is a summary.
    pub(super) fn close(&mut self) {
        if self.summary.is_some() {
            self.desired = Desired::default();
        }
    }

    /// Returns the digest of the rendered component.
    pub(super) fn digest(&self) -> &str {
        &self.key.digest
    }

    /// Restores the objects from the summary at the start of a pass.
    pub(super) fn open(&mut self) {
        if let Some(summary) = self.summary.as_ref().filter(|_| self.desired.is_empty()) {
            self.desired = summary.expand();
        }
    }
}
