//! The interface of a component type with the type erased, so that the reconciler is compiled once.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use kube::core::object::HasStatus;
use kubewright_core::flow::{Failure, Flow};
use kubewright_core::reference::{References, Resolved};
use kubewright_render::{Asked, Environment, ErasedGenerator, Manifest, RenderContext, RenderError, RenderInputs};
use kubewright_runtime::cluster::Cluster;
use serde_json::{Map, Value};

use crate::hooks::{HookInputs, HookRegistry, Point};
use crate::kind::Component;
use crate::settings::{Parameters, Settings};

/// The interface of a component type that the reconciler uses, with the type erased.
pub(crate) trait ErasedKind: Send + Sync + 'static {
    /// Deserializes an object of this type.
    fn decode(&self, object: &Value) -> Result<Box<dyn Instance>, serde_json::Error>;
}

/// One component, deserialized for one pass.
#[async_trait]
pub(crate) trait Instance: Send + Sync {
    fn settings(&self) -> Settings;
    fn references(&self) -> References;
    fn event_annotations(&self, digest: Option<&str>) -> BTreeMap<String, String>;
    /// Returns the inputs of the rendering besides the object. The set is rendered again when they change.
    #[allow(clippy::unnecessary_literal_bound)] // other implementations return a part of themselves
    fn further_inputs(&self) -> &str {
        ""
    }
    /// Calls the generator.
    async fn render(&self, inputs: RenderInputs, references: Resolved, environment: Arc<dyn Environment>) -> GeneratorAnswer;
    fn has_hooks(&self, point: Point) -> bool;
    /// Runs the hooks of a point, which may change the status.
    async fn run_hooks(&self, point: Point, inputs: HookInputs, status: &mut Map<String, Value>) -> Flow;
}

/// The answer of a generator.
pub(crate) struct GeneratorAnswer {
    pub(crate) manifests: Result<Vec<Manifest>, RenderError>,
    /// The questions that the generator asked about clusters, also if it failed.
    pub(crate) asked: Asked,
    pub(crate) warnings: Vec<String>,
}

/// A component type with its generator and hooks.
pub(crate) struct TypedKind<C: Component> {
    shared: Arc<SharedKind<C>>,
}

struct SharedKind<C: Component> {
    operator: Arc<str>,
    cluster: Cluster,
    generator: Arc<dyn ErasedGenerator<C>>,
    hooks: Arc<HookRegistry<C>>,
}

impl<C: Component> TypedKind<C> {
    pub(crate) fn new(
        operator: Arc<str>,
        cluster: Cluster,
        generator: Arc<dyn ErasedGenerator<C>>,
        hooks: Arc<HookRegistry<C>>,
    ) -> Self {
        Self { shared: Arc::new(SharedKind { operator, cluster, generator, hooks }) }
    }
}

impl<C: Component> ErasedKind for TypedKind<C> {
    fn decode(&self, object: &Value) -> Result<Box<dyn Instance>, serde_json::Error> {
        let component = C::deserialize(object)?;
        Ok(Box::new(TypedInstance { shared: Arc::clone(&self.shared), component: Arc::new(component) }))
    }
}

/// Calls a generator.
pub(crate) async fn render_with<C: Send + Sync + 'static>(
    generator: &dyn ErasedGenerator<C>,
    subject: &Arc<C>,
    parameters: Parameters,
    (inputs, references, environment): (RenderInputs, Resolved, Arc<dyn Environment>),
) -> GeneratorAnswer {
    let context =
        RenderContext::new(Arc::clone(subject), parameters, inputs).with_references(references).with_environment(environment);
    let manifests = generator.render_erased(&context).await;
    GeneratorAnswer { manifests, asked: context.asked(), warnings: context.warnings() }
}

struct TypedInstance<C: Component> {
    shared: Arc<SharedKind<C>>,
    component: Arc<C>,
}

#[async_trait]
impl<C: Component> Instance for TypedInstance<C> {
    fn settings(&self) -> Settings {
        self.component.settings()
    }

    fn references(&self) -> References {
        self.component.references()
    }

    fn event_annotations(&self, digest: Option<&str>) -> BTreeMap<String, String> {
        self.component.event_annotations(digest)
    }

    async fn render(&self, inputs: RenderInputs, references: Resolved, environment: Arc<dyn Environment>) -> GeneratorAnswer {
        let parameters = self.component.parameters(&references);
        render_with(&*self.shared.generator, &self.component, parameters, (inputs, references, environment)).await
    }

    fn has_hooks(&self, point: Point) -> bool {
        self.shared.hooks.any_at(point)
    }

    async fn run_hooks(&self, point: Point, inputs: HookInputs, status: &mut Map<String, Value>) -> Flow {
        let SharedKind { operator, cluster, hooks, .. } = &*self.shared;
        let mut typed: <C as HasStatus>::Status = serde_json::from_value(Value::Object(status.clone()))?;
        let outcome = hooks.run(point, operator, cluster, Arc::new(inputs), &self.component, &mut typed).await;
        match serde_json::to_value(&typed) {
            Ok(Value::Object(changed)) => *status = changed,
            Ok(_) => {
                return Err(Failure::msg("the status of the component is no JSON object").into());
            }
            Err(error) => return Err(Failure::backoff(error).into()),
        }
        outcome
    }
}
