//! Rendering of the dependents of a component.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;

use kubewright_core::backoff::Transient;
use kubewright_core::dependents::{Desired, DesiredObject, PrepareContext, prepare};
use kubewright_core::flow::{Failure, Origin, Reason};
use kubewright_machinery::object::{GroupKind, GroupVersionKind, ObjectExt as _};
use kubewright_render::{Environment, InputError, RenderError, RenderInputs, Stage, answer_digest};
use kubewright_runtime::watch::WatchSpec;

use super::end::{EnginePassEnd, Step};
use super::finish::PhaseResult;
use super::goal::Goal;
use super::kept_rendering::Rendered;
use super::select_target::TargetedPass;
use crate::erased::GeneratorAnswer;
use crate::lookups::PassEnvironment;
use crate::observe::Obstacle;

/// The number of objects that an event about differing renderings names, and of warnings that one event tells.
const SHOWN: usize = 5;

/// A pass whose dependents are rendered, as far as its goal needs them. The rendering is in the memory, which keeps it for later passes.
pub(super) struct RenderedPass<'a> {
    pub(super) targeted: TargetedPass<'a>,
    pub(super) goal: Goal,
}

impl<'a> TargetedPass<'a> {
    /// Renders the dependents.
    pub(super) async fn render(mut self, goal: Goal) -> PhaseResult<'a, RenderedPass<'a>> {
        match self.ensure_rendering(false).await {
            Ok(()) => Ok(RenderedPass { targeted: self, goal }),
            Err(end) => Err(self.end(*end)),
        }
    }

    /// Ensures that there is a rendering of the present component. With `full`, it includes manifests, not only their digests.
    pub(super) async fn ensure_rendering(&mut self, full: bool) -> Step {
        let inputs = self.render_inputs();
        let environment = self.environment();
        if !self.answers_hold(&*environment).await {
            self.pass.memory.rendered = None;
        }
        let further = self.inputs.component.instance.further_inputs().to_owned();
        let is_other = |rendered: &Rendered| rendered.key != inputs || rendered.further != further;
        let before = self.pass.memory.rendered.take_if(|rendered| is_other(rendered) || !self_contained(rendered, full));
        let stale = self.pass.memory.rendered.as_ref().is_some_and(|rendered| self.knows_any(&rendered.unknown));
        if let Some(rendered) = self.pass.memory.rendered.as_mut().filter(|_| !stale) {
            rendered.open();
            return Ok(());
        }
        self.pass.shared.metrics.rendered();
        let asking: Arc<dyn Environment> = environment.clone();
        self.pass.memory.inside = Some("the generator");
        let GeneratorAnswer { manifests, asked, warnings } =
            self.inputs.component.instance.render(inputs.clone(), self.inputs.contents.clone(), asking).await;
        self.pass.memory.inside = None;
        self.report(warnings);
        // A rendering that failed is also repeated when an answer changes.
        environment.keep(asked.keys());
        let manifests = manifests.map_err(|error| match environment.checked_elsewhere() {
            Some(after) => EnginePassEnd::Postponed { after },
            None => self.render_failed(error),
        })?;
        let mut objects = Vec::with_capacity(manifests.len());
        for manifest in manifests {
            let object = manifest.resolve(self.pass.shared.operator.as_str()).map_err(|error| {
                Box::new(EnginePassEnd::render(RenderError::from(InputError::new(error.to_string())), self.inputs.intervals()))
            })?;
            objects.push(object);
        }
        let (scopes, unknown) = self.scopes(&objects).await?;
        let settings = &self.inputs.component.settings;
        let context = PrepareContext {
            operator: &self.pass.shared.operator,
            policies: &settings.policies,
            namespace: &settings.namespace,
            component_digest: &inputs.digest,
            scope: &|gvk| scopes.get(gvk).copied(),
        };
        let desired = prepare(objects, &context).map_err(|errors| {
            if !unknown.is_empty() {
                self.await_types();
            }
            let failure = Failure::terminal(Reason::new("InvalidManifest"), errors);
            Box::new(EnginePassEnd::failed(failure, Some("InvalidManifest"), self.inputs.intervals()))
        })?;
        if let Some(before) = before.filter(|before| !is_other(before) && before.asked == asked) {
            self.compare(&before.desired, &desired);
        }
        if let Some(note) = desired.misplaced() {
            let told = self.pass.memory.told_ignored_namespaces.replace(note.message());
            if told != self.pass.memory.told_ignored_namespaces {
                self.pass.shared.events.note(&self.pass.object, &note);
            }
        }
        self.pass.draft.component.deletion_hooks = i64::try_from(desired.deletion_stage().len()).unwrap_or(i64::MAX);
        self.pass.memory.rendered = Some(Rendered { key: inputs, further, asked, desired, summary: None, unknown });
        Ok(())
    }

    /// Returns the environment that answers the questions of a rendering in this pass.
    fn environment(&self) -> Arc<PassEnvironment> {
        let who = self.inputs.component.settings.impersonation.as_ref();
        Arc::new(self.pass.shared.lookups.for_pass(self.pass.key, self.target.cluster(), who))
    }

    /// Returns true if clusters still give the answers that the last rendering used. Answers that cannot be read now count as unchanged.
    async fn answers_hold(&self, environment: &dyn Environment) -> bool {
        let Some(rendered) = &self.pass.memory.rendered else { return true };
        for (question, digest) in &rendered.asked {
            match environment.answer(question).await {
                Ok(answer) if answer_digest(&answer) != *digest => return false,
                Ok(_) => {}
                Err(error) => tracing::debug!(component = %self.pass.key, %error, "an answer to a rendering cannot be renewed"),
            }
        }
        true
    }

    fn render_inputs(&self) -> RenderInputs {
        let settings = &self.inputs.component.settings;
        RenderInputs {
            operator: self.pass.shared.operator.as_str().to_owned(),
            namespace: settings.namespace.clone(),
            name: settings.name.clone(),
            digest: self.inputs.digest.clone(),
            revision: self.pass.draft.component.revision,
            stage: if self.pass.is_deleting() { Stage::Deletion } else { Stage::Apply },
            uid: self.pass.object.uid().to_owned(),
            created: self.pass.object.creation_timestamp().and_then(|time| time.parse().ok()),
        }
    }

    /// Reports the warnings of a rendering that the last one did not have.
    fn report(&mut self, warnings: Vec<String>) {
        let told = std::mem::replace(&mut self.pass.memory.told_warnings, warnings);
        let new: Vec<&str> =
            self.pass.memory.told_warnings.iter().filter(|warning| !told.contains(warning)).map(String::as_str).collect();
        if new.is_empty() {
            return;
        }
        let more = new.len().saturating_sub(SHOWN);
        let rest = if more > 0 { format!("; and {more} more") } else { String::new() };
        let note = format!("{}{rest}", new[..new.len() - more].join("; "));
        self.pass.shared.events.warning(&self.pass.object, "RenderWarning", note);
    }

    /// Queues the component when a definition is created or changed.
    fn await_types(&self) {
        let definitions = GroupKind::new("apiextensions.k8s.io", "CustomResourceDefinition");
        self.target.awaited.set(self.pass.key, HashSet::from([Obstacle::Type(WatchSpec::new(definitions).metadata_only())]));
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
        self.pass.shared.metrics.rendered_differently();
        if !std::mem::replace(&mut self.pass.memory.told_nondeterminism, true) {
            let note = format!("The generator gives other manifests for the same input: {}", differing.join(", "));
            self.pass.shared.events.warning(&self.pass.object, "NonDeterministicManifests", note);
        }
    }

    /// Returns the end of a pass whose generator failed.
    fn render_failed(&mut self, error: RenderError) -> EnginePassEnd {
        let failure = match error {
            RenderError::Api(error) => Failure::unclassified(error).context("render"),
            // A halt of the author's code is reported like that of hooks and references.
            RenderError::Halted(halt) => {
                self.pass.note_halt(&halt);
                return EnginePassEnd::halted(self.pass.halt_with_way_out(halt), self.inputs.intervals());
            }
            error => return EnginePassEnd::render(error, self.inputs.intervals()),
        };
        if failure.classification().origin != Origin::Transient {
            return EnginePassEnd::halted(failure.into(), self.inputs.intervals());
        }
        self.pass.note_transient(Transient::default());
        EnginePassEnd::waiting(failure.text(), None, self.inputs.intervals())
    }
}

fn self_contained(rendered: &Rendered, full: bool) -> bool {
    rendered.summary.is_none() || !full
}
