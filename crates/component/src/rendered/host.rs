//! The engine's view of a pass of a reconciler.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use kubewright_core::flow::Flow;
use kubewright_core::reference::{References, Resolved};
use kubewright_core::why::WriteVerb;
use kubewright_machinery::object::{GroupKind, Key};
use kubewright_render::{Environment, ErasedGenerator, RenderInputs};
use kubewright_runtime::cluster::ApiError;
use kubewright_runtime::reconcile::Context;
use kubewright_runtime::status::Written;
use serde_json::{Map, Value};

use crate::erased::{GeneratorAnswer, Instance, render_with};
use crate::hooks::{HookInputs, Point};
use crate::kind::Component;
use crate::reconciler::{Fits, Host};
use crate::record::StatusPath;
use crate::settings::Settings;

/// A pass of the reconciler that owns a rendered set.
pub(super) struct HostedPass<'a, K, C> {
    pub(super) cx: &'a Context<K>,
    pub(super) status_path: &'a StatusPath,
    pub(super) rendering: Rendering<K, C>,
}

/// The owner, and the subject of its rendering.
pub(super) struct Rendering<K, C> {
    pub(super) owner: Arc<K>,
    pub(super) subject: Arc<C>,
    pub(super) digest: Arc<str>,
    pub(super) generator: Arc<dyn ErasedGenerator<C>>,
}

#[async_trait]
impl<K: Component, C: Send + Sync + 'static> Host for HostedPass<'_, K, C> {
    fn instance(&self) -> Box<dyn Instance> {
        Box::new(self.rendering.clone())
    }

    fn status_path(&self) -> &StatusPath {
        self.status_path
    }

    fn wrote(&self, verb: WriteVerb, kind: &GroupKind, key: &Key) {
        self.cx.note_write(verb, kind, key);
    }

    async fn change_status(&self, change: &Value, fits: &Fits<'_>) -> Result<Written, ApiError> {
        self.cx.change_status(change, fits).await
    }
}

#[async_trait]
impl<K: Component, C: Send + Sync + 'static> Instance for Rendering<K, C> {
    fn settings(&self) -> Settings {
        self.owner.settings()
    }

    fn references(&self) -> References {
        self.owner.references()
    }

    fn event_annotations(&self, digest: Option<&str>) -> BTreeMap<String, String> {
        self.owner.event_annotations(digest)
    }

    fn further_inputs(&self) -> &str {
        &self.digest
    }

    async fn render(&self, inputs: RenderInputs, references: Resolved, environment: Arc<dyn Environment>) -> GeneratorAnswer {
        let parameters = self.owner.parameters(&references);
        render_with(&*self.generator, &self.subject, parameters, (inputs, references, environment)).await
    }

    /// A reconciler needs no hooks: its code before and after the step takes their place.
    fn has_hooks(&self, _: Point) -> bool {
        false
    }

    async fn run_hooks(&self, _: Point, _: HookInputs, _: &mut Map<String, Value>) -> Flow {
        Ok(())
    }
}

impl<K, C> Clone for Rendering<K, C> {
    fn clone(&self) -> Self {
        Self {
            owner: Arc::clone(&self.owner),
            subject: Arc::clone(&self.subject),
            digest: Arc::clone(&self.digest),
            generator: Arc::clone(&self.generator),
        }
    }
}
