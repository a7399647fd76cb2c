use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use kubewright_core::dependents::{Desired, DesiredObject, PrepareContext, Scope, Summary, prepare};
use kubewright_core::flow::{Failure, Reason};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt};
use kubewright_render::{Asked, Environment, InputError, RenderError, RenderInputs, Stage, answer_digest};
use kubewright_runtime::watch::WatchSpec;
use serde_json::Value;

use super::end::{EnginePassEnd, Step};
use super::pass::EnginePass;
use crate::erased::Instance;
use crate::lookups::PassEnvironment;
use crate::observe::Obstacle;

/// The delay before a pass checks again for types that could not be discovered.
const LOOK_AGAIN: Duration = Duration::from_secs(10);
/// The number of objects that an event about differing renderings names.
const SHOWN: usize = 5;

/// A rendering and its inputs (GEN-5).
#[derive(Clone, Debug)]
pub(crate) struct Rendered {
    key: RenderInputs,
    /// The digest of further inputs of the generator besides the component, such as its dependencies under a contract.
    further: String,
    /// The questions that the generator asked about clusters, and the answers.
    asked: Asked,
    /// The objects that plans work with. Empty between passes once there is a summary.
    pub(super) desired: Desired,
    /// The summary that is kept instead of the manifests.
    summary: Option<Summary>,
    /// The types that were not served. Once they are, scopes are decided again.
    unknown: BTreeSet<GroupVersionKind>,
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
    fn open(&mut self) {
        if let Some(summary) = self.summary.as_ref().filter(|_| self.desired.is_empty()) {
            self.desired = summary.expand();
        }
    }
}

impl EnginePass<'_> {
    /// Ensures that there is a rendering of the present component. With `full`, it includes manifests, not only their digests.
    pub(super) async fn render(&mut self, instance: &dyn Instance, full: bool) -> Step {
        let inputs = self.render_inputs();
        let environment = self.environment();
        if !self.answers_hold(&*environment).await {
            self.memory.rendered = None;
        }
        let further = instance.further_inputs();
        let is_other = |rendered: &Rendered| rendered.key != inputs || rendered.further != further;
        let before = self.memory.rendered.take_if(|rendered| is_other(rendered) || !self_contained(rendered, full));
        let stale = self.memory.rendered.as_ref().is_some_and(|rendered| self.knows_any(&rendered.unknown));
        if let Some(rendered) = self.memory.rendered.as_mut().filter(|_| !stale) {
            rendered.open();
            return Ok(());
        }
        self.shared.metrics.rendered();
        let asking: Arc<dyn Environment> = environment.clone();
        self.memory.inside = Some("the generator");
        let (manifests, asked) = instance.render(inputs.clone(), self.resolved.clone(), asking).await;
        self.memory.inside = None;
        // A rendering that failed is also repeated when an answer changes.
        environment.keep(asked.keys());
        let manifests = manifests.map_err(|error| self.render_failed(error))?;
        let mut objects = Vec::with_capacity(manifests.len());
        for manifest in manifests {
            let object = manifest.resolve(self.shared.operator.as_str()).map_err(|error| {
                Box::new(EnginePassEnd::render(RenderError::from(InputError::new(error.to_string())), self.intervals()))
            })?;
            objects.push(object);
        }
        let (scopes, unknown) = self.scopes(&objects).await?;
        let Some(effective) = &self.effective else {
            return Ok(());
        };
        let context = PrepareContext {
            operator: &self.shared.operator,
            policies: &effective.policies,
            namespace: &effective.namespace,
            component_digest: &inputs.digest,
            scope: &|gvk| scopes.get(gvk).copied(),
        };
        let desired = prepare(objects, &context).map_err(|errors| {
            if !unknown.is_empty() {
                self.await_types();
            }
            let failure = Failure::terminal(Reason::new("InvalidManifest"), errors);
            Box::new(EnginePassEnd::failed(failure, Some("InvalidManifest"), self.intervals()))
        })?;
        if let Some(before) = before.filter(|before| !is_other(before) && before.asked == asked) {
            self.compare(&before.desired, &desired);
        }
        if let Some(note) = desired.misplaced() {
            let told = self.memory.told_ignored_namespaces.replace(note.message());
            if told != self.memory.told_ignored_namespaces {
                self.shared.events.note(&self.object, &note);
            }
        }
        self.draft.component.deletion_hooks = i64::try_from(desired.deletion_stage().len()).unwrap_or(i64::MAX);
        self.memory.rendered =
            Some(Rendered { key: inputs, further: further.to_owned(), asked, desired, summary: None, unknown });
        Ok(())
    }

    /// Returns the environment that answers the questions of a rendering in this pass.
    fn environment(&self) -> Arc<PassEnvironment> {
        let who = self.effective.as_ref().and_then(|effective| effective.impersonation.as_ref());
        Arc::new(self.shared.lookups.for_pass(self.key, self.target.cluster(), who))
    }

    /// Returns true if clusters still give the answers that the last rendering used. Answers that cannot be read now count as unchanged.
    async fn answers_hold(&self, environment: &dyn Environment) -> bool {
        let Some(rendered) = &self.memory.rendered else { return true };
        for (question, digest) in &rendered.asked {
            match environment.answer(question).await {
                Ok(answer) if answer_digest(&answer) != *digest => return false,
                Ok(_) => {}
                Err(error) => tracing::debug!(component = %self.key, %error, "an answer to a rendering cannot be renewed"),
            }
        }
        true
    }

    fn render_inputs(&self) -> RenderInputs {
        let effective = self.effective.as_ref();
        RenderInputs {
            operator: self.shared.operator.as_str().to_owned(),
            namespace: effective.map(|effective| effective.namespace.clone()).unwrap_or_default(),
            name: effective.map(|effective| effective.name.clone()).unwrap_or_default(),
            digest: self.digest.clone().unwrap_or_default(),
            revision: self.draft.component.revision,
            stage: if self.is_deleting() { Stage::Deletion } else { Stage::Apply },
        }
    }

    /// Returns the scopes of the types of these objects, as far as the cluster knows the types, and the types that it does not know.
    async fn scopes(&mut self, objects: &[Value]) -> Step<(HashMap<GroupVersionKind, Scope>, BTreeSet<GroupVersionKind>)> {
        let discovery = &self.target.cluster().discovery().clone();
        // The items of a List count as single objects, at any depth.
        let mut objects: Vec<&Value> = objects.iter().collect();
        let mut index = 0;
        while index < objects.len() {
            let items = objects[index].get("items").and_then(Value::as_array);
            objects.extend(items.into_iter().flatten());
            index += 1;
        }
        let types: BTreeSet<GroupVersionKind> = objects.iter().filter_map(|object| object.gvk()).collect();
        let (mut scopes, mut unknown) = (HashMap::new(), BTreeSet::new());
        let services = &objects.iter().filter_map(|object| brought_service(object)).collect::<BTreeSet<_>>();
        let brought = &objects.iter().filter_map(|object| brought_kind(object)).collect::<BTreeSet<_>>();
        // The lookups run together, so that unknown types share one discovery.
        let found = join_all(types.into_iter().map(|gvk| async move {
            let found = match discovery.cached(&gvk.group_kind(), Some(&gvk.version)) {
                Some(resource) => Ok(Some(resource)),
                // A definition in the set decides the scope; a type that cannot exist yet is not looked up.
                None if brought.contains(&(gvk.group.clone(), gvk.kind.clone())) => Ok(None),
                None => discovery.resolve_gvk(&gvk).await,
            };
            (gvk, found)
        }))
        .await;
        for (gvk, found) in found {
            let found = found.map_err(|error| self.request_failed("discover types", error))?;
            if let Some(resource) = found {
                let scope = if resource.namespaced { Scope::Namespaced } else { Scope::Cluster };
                scopes.insert(gvk, scope);
                continue;
            }
            let served = services.contains(&(gvk.group.clone(), gvk.version.clone()));
            if let Some(error) = discovery.silence(&gvk.group, Some(&gvk.version)).filter(|_| !served) {
                return Err(Box::new(EnginePassEnd::waiting(error.to_string(), Some(LOOK_AGAIN), self.intervals())));
            }
            unknown.insert(gvk);
        }
        unknown.retain(|gvk| !brought.contains(&(gvk.group.clone(), gvk.kind.clone())));
        Ok((scopes, unknown))
    }

    /// Queues the component when a definition is created or changed.
    fn await_types(&self) {
        let definitions = GroupKind::new("apiextensions.k8s.io", "CustomResourceDefinition");
        self.target.awaited.set(self.key, HashSet::from([Obstacle::Type(WatchSpec::new(definitions).metadata_only())]));
    }

    fn knows_any(&self, types: &BTreeSet<GroupVersionKind>) -> bool {
        let discovery = self.target.cluster().discovery();
        types.iter().any(|gvk| discovery.cached(&gvk.group_kind(), Some(&gvk.version)).is_some())
    }

    /// Reports two renderings of the same inputs that differ (GEN-6). The newer rendering is used.
    fn compare(&mut self, before: &Desired, after: &Desired) {
        let differs = |object: &&DesiredObject| before.get(&object.key).is_none_or(|before| before.digest != object.digest);
        let differing: Vec<String> =
            after.objects().iter().filter(differs).map(|object| object.key.to_string()).take(SHOWN).collect();
        if differing.is_empty() && before.objects().len() == after.objects().len() {
            return;
        }
        self.shared.metrics.rendered_differently();
        if !std::mem::replace(&mut self.memory.told_nondeterminism, true) {
            let note = format!("The generator gives other manifests for the same input: {}", differing.join(", "));
            self.shared.events.warning(&self.object, "NonDeterministicManifests", note);
        }
    }
}

fn self_contained(rendered: &Rendered, full: bool) -> bool {
    rendered.summary.is_none() || !full
}

fn brought_service(object: &Value) -> Option<(String, String)> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if object.kind() != "APIService" {
        return None;
    }
    Some((text("/spec/group")?, text("/spec/version")?))
}

fn brought_kind(object: &Value) -> Option<(String, String)> {
    let text = |pointer| object.pointer(pointer).and_then(Value::as_str).map(str::to_owned);
    if object.kind() != "CustomResourceDefinition" {
        return None;
    }
    Some((text("/spec/group")?, text("/spec/names/kind")?))
}
