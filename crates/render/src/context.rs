use std::fmt;
use std::rc::Rc;
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_core::reference::{ConfigMapReference, LoadedReference, Resolved, SecretReference};
use kubewright_machinery::object::GroupVersionKind;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::answers::KnownAnswers;
use crate::environment::Nowhere;
use crate::inquiry::Inquiry;
use crate::{Asked, Capabilities, Environment, ListQuestion, ObjectQuestion, Place, Question, RenderError};

/// The inputs that a generator may use. Equal inputs must give equal manifests.
pub struct RenderContext<C> {
    component: Arc<C>,
    inputs: Arc<RenderInputs>,
    parameters: Arc<Map<String, Value>>,
    references: Resolved,
    inquiry: Arc<Inquiry>,
    warnings: Arc<Mutex<Vec<String>>>,
}

/// The inputs of a rendering besides the component itself.
#[derive(Clone, Debug, PartialEq, Default)]
#[allow(clippy::exhaustive_structs)]
pub struct RenderInputs {
    /// The name of the component type, by default that of the operator: the prefix of the framework's labels and annotations.
    pub operator: String,
    /// The namespace of the dependents; empty for a cluster-scoped component without a placement namespace.
    pub namespace: String,
    /// The name under which the component is deployed.
    pub name: String,
    /// The digest of the component: its spec, annotations, generation, and referenced contents.
    pub digest: String,
    /// The number of digests that were processed; the first deployment is 1.
    pub revision: i64,
    /// The stage of the component.
    pub stage: Stage,
    /// The UID of the component.
    pub uid: String,
    /// The time of the component's creation. None before it is created.
    pub created: Option<Timestamp>,
}

/// The stage of a component that is rendered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The component is installed, upgraded or kept.
    #[default]
    Apply,
    /// The component is being deleted; only objects of a deletion stage count.
    Deletion,
}

impl<C> RenderContext<C> {
    /// Creates a context; also used by tests of generators.
    pub fn new(component: impl Into<Arc<C>>, parameters: Map<String, Value>, inputs: RenderInputs) -> Self {
        Self {
            component: component.into(),
            inputs: Arc::new(inputs),
            parameters: Arc::new(parameters),
            references: Resolved::default(),
            inquiry: Arc::new(Inquiry::of(Arc::new(Nowhere))),
            warnings: Arc::default(),
        }
    }

    /// Adds the contents of referenced objects.
    #[must_use]
    pub fn with_references(mut self, references: Resolved) -> Self {
        self.references = references;
        self
    }

    /// Adds an environment that answers questions about clusters.
    #[must_use]
    pub fn with_environment(mut self, environment: Arc<dyn Environment>) -> Self {
        self.inquiry = Arc::new(Inquiry::of(environment));
        self
    }

    /// Returns the questions about clusters that the rendering has asked so far, with digests of the answers.
    pub fn asked(&self) -> Asked {
        self.inquiry.asked()
    }

    /// Warns the author of the component's spec or of the chart, for instance of a field without effect. The component reconciler reports each
    /// warning once, as an event.
    pub fn warn(&self, warning: impl Into<String>) {
        let warning = warning.into();
        let mut warnings = self.warnings.lock();
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }

    /// Returns the warnings of the rendering so far, each once.
    pub fn warnings(&self) -> Vec<String> {
        self.warnings.lock().clone()
    }

    /// Runs a synchronous rendering on a thread that may be blocked, as often as it needs to find out its questions about clusters.
    pub(crate) async fn run<T, R>(&self, rendering: R) -> Result<T, RenderError>
    where
        T: Send + 'static,
        R: Fn(&Rc<KnownAnswers>) -> Result<T, RenderError> + Send + Sync + 'static,
    {
        self.inquiry.run(rendering).await
    }

    /// Returns the inputs besides the component itself.
    pub fn inputs(&self) -> &RenderInputs {
        &self.inputs
    }

    /// Returns the capabilities of the dependents' cluster: its version, and the APIs that it serves.
    pub fn capabilities(&self) -> Capabilities<'_> {
        Capabilities(&self.inquiry)
    }

    /// Reads an object in the cluster of the dependents, with the identity with which they are written. `None` if the object or its type does not
    /// exist. The object is watched if that is allowed, and a change of it causes a new rendering. The namespace is empty for a type without
    /// namespaces. The object has neither managed fields nor a resource version.
    pub async fn lookup(&self, api_version: &str, kind: &str, namespace: &str, name: &str) -> Result<Option<Value>, RenderError> {
        self.look(Place::Target, api_version, kind, namespace, name).await
    }

    /// Reads an object like [`lookup`](Self::lookup), but in the cluster of the component and with the operator's own identity.
    pub async fn lookup_local(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, RenderError> {
        self.look(Place::Local, api_version, kind, namespace, name).await
    }

    /// Reads the objects of a type in the cluster of the dependents, with the identity with which they are written: those of a namespace (all
    /// namespaces if it is empty) that a label selector selects (all if it is empty), sorted by namespace and name. The type is watched as with
    /// [`lookup`](Self::lookup). None if the type does not exist.
    pub async fn lookup_list(
        &self,
        api_version: &str,
        kind: &str,
        namespace: &str,
        selector: &str,
    ) -> Result<Option<Vec<Value>>, RenderError> {
        let gvk = type_of(api_version, kind)
            .ok_or_else(|| RenderError::input(format!("list {kind:?} of {api_version:?}: version and kind must be given")))?;
        let (namespace, selector) = (namespace.to_owned(), selector.to_owned());
        let answer = self.inquiry.ask(Question::List(ListQuestion { place: Place::Target, gvk, namespace, selector })).await?;
        Ok(answer.as_array().cloned())
    }

    async fn look(
        &self,
        place: Place,
        api_version: &str,
        kind: &str,
        namespace: &str,
        name: &str,
    ) -> Result<Option<Value>, RenderError> {
        let gvk = type_of(api_version, kind).filter(|_| !name.is_empty()).ok_or_else(|| {
            RenderError::input(format!("look up {kind:?} {name:?} of {api_version:?}: version, kind and name must be given"))
        })?;
        let question = ObjectQuestion { place, gvk, namespace: namespace.to_owned(), name: name.to_owned() };
        let answer = self.inquiry.ask(Question::Object(question)).await?;
        Ok(Some((*answer).clone()).filter(|object| !object.is_null()))
    }

    /// Returns the component.
    pub fn component(&self) -> &C {
        &self.component
    }

    /// Returns the values of the component, by default its whole spec.
    pub fn parameters(&self) -> &Map<String, Value> {
        &self.parameters
    }

    /// Returns the content of a reference to a ConfigMap, such as `cx.config_map(&cx.component().spec.settings)`: all its data, or the value of the
    /// key. `None` for a reference that is absent or not resolved.
    pub fn config_map<R: ConfigMapReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.references.config_map(reference)
    }

    /// Returns the content of a reference to a Secret: all its data, or the value of the key. `None` for a reference that is absent or
    /// not resolved.
    pub fn secret<R: SecretReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.references.secret(reference)
    }

    /// Returns the content of a reference that is loaded by code of the operator. `None` for a reference that is absent or not resolved.
    pub fn loaded<R: LoadedReference>(&self, reference: &R) -> Option<R::Content<'_>> {
        self.references.loaded(reference)
    }

    /// Returns the contents of all referenced objects.
    pub fn references(&self) -> &Resolved {
        &self.references
    }

    /// Returns the name of the component type, by default that of the operator: the prefix of the framework's labels and annotations.
    pub fn operator(&self) -> &str {
        &self.inputs.operator
    }

    /// Returns the namespace of the dependents; empty for a cluster-scoped component without a placement namespace.
    pub fn namespace(&self) -> &str {
        &self.inputs.namespace
    }

    /// Returns the name under which the component is deployed.
    pub fn name(&self) -> &str {
        &self.inputs.name
    }

    /// Returns the digest of the component: its spec, annotations, generation, and referenced contents.
    pub fn digest(&self) -> &str {
        &self.inputs.digest
    }

    /// Returns the number of digests that were processed; the first deployment is 1.
    pub fn revision(&self) -> i64 {
        self.inputs.revision
    }

    /// Returns the stage of the component.
    pub fn stage(&self) -> Stage {
        self.inputs.stage
    }

    /// Replaces the parameters.
    #[must_use]
    pub fn with_parameters(&self, parameters: Map<String, Value>) -> Self {
        Self { parameters: Arc::new(parameters), ..self.clone() }
    }
}

impl<C> Clone for RenderContext<C> {
    fn clone(&self) -> Self {
        Self {
            component: Arc::clone(&self.component),
            inputs: Arc::clone(&self.inputs),
            parameters: Arc::clone(&self.parameters),
            references: self.references.clone(),
            inquiry: Arc::clone(&self.inquiry),
            warnings: Arc::clone(&self.warnings),
        }
    }
}

impl<C> fmt::Debug for RenderContext<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RenderContext").field("inputs", &self.inputs).finish_non_exhaustive()
    }
}

/// Returns the type of an `apiVersion` and a kind; None if one of them is malformed.
pub(crate) fn type_of(api_version: &str, kind: &str) -> Option<GroupVersionKind> {
    let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
    (!kind.is_empty() && !version.is_empty() && !version.contains('/')).then(|| GroupVersionKind::new(group, version, kind))
}
