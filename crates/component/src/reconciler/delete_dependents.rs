//! The phases of a pass that removes dependents and releases the component.

use std::fmt::Write as _;

use kubewright_core::dependents::Verdict;
use kubewright_core::manifest::keys;
use kubewright_machinery::object::ObjectExt as _;
use kubewright_runtime::cluster::Cluster;
use serde_json::Value;

use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Step};
use super::finish::{PhaseResult, UnrecordedPass};
use super::goal::Goal;
use super::pass::EnginePass;
use super::render::RenderedPass;
use super::resolve_references::ResolvedInputs;
use super::select_target::TargetedPass;
use crate::hooks::Point;

impl<'a> TargetedPass<'a> {
    /// Removes all dependents, then the finalizer of the component (component.md, 5.3).
    pub(super) async fn delete(mut self) -> PhaseResult<'a, Box<UnrecordedPass<'a>>> {
        if let Err(end) = self.run_hooks_of_deletion().await {
            return Err(self.end(*end));
        }
        let intervals = self.inputs.intervals();
        let foreign = self.pass.foreign_finalizers();
        let mut hooks = self.pass.draft.component.deletion_hooks > 0 && !self.pass.skips_hooks();
        if hooks && self.inputs.ending_namespace.is_some() {
            self.pass.tell_of_skipped_hooks(self.inputs.ending_namespace.as_ref());
            hooks = false;
        }
        let goal = Goal::Delete { foreign, hooks };
        let rendered = if hooks { self.render(goal).await? } else { RenderedPass { targeted: self, goal } };
        let (mut executed, mut verdict) = rendered.reach_goal().await?;
        let targeted = &mut executed.watched.targeted;
        if let Verdict::Wait { message, .. } = &mut verdict
            && hooks
        {
            let key = targeted.pass.skip_hooks_key();
            let _ = write!(message, " (to leave objects of deletion stages out, annotate the object with {key}=true)");
        }
        if verdict != Verdict::Complete {
            return Ok(executed.end(EnginePassEnd::verdict(verdict, intervals)));
        }
        match targeted.pass.release(&targeted.inputs, Some(targeted.target.cluster())).await {
            Ok(end) => Ok(executed.end(end)),
            Err(end) => Err(executed.end(*end)),
        }
    }

    async fn run_hooks_of_deletion(&mut self) -> Step {
        self.run_hooks(Point::PostRead).await?;
        self.run_hooks(Point::PreDelete).await
    }
}

impl EnginePass<'_> {
    /// Releases a component whose dependents are removed or abandoned.
    pub(super) async fn release(&mut self, inputs: &ResolvedInputs, target: Option<&Cluster>) -> Step<EnginePassEnd> {
        self.run_hooks(Point::PostDelete, inputs, target).await?;
        self.remove_finalizer(inputs.intervals()).await?;
        let kept = &self.draft.component.created_namespaces;
        if !kept.is_empty() {
            let note = format!("Namespaces that were created for dependents are kept: {}", kept.join(", "));
            self.shared.events.normal(&self.object, "NamespacesKept", note);
        }
        Ok(EnginePassEnd::Gone)
    }

    /// Returns the foreign finalizers, which hold the deletion back (PASS-23). A host handles them itself.
    fn foreign_finalizers(&self) -> Vec<String> {
        if matches!(self.keeper, ComponentKeeper::Host(_)) {
            return Vec::new();
        }
        self.object.finalizers().filter(|name| *name != self.shared.finalizer().as_str()).map(str::to_owned).collect()
    }

    /// Returns true if an annotation asks to leave out the objects of deletion stages.
    fn skips_hooks(&self) -> bool {
        self.object.annotation(&self.skip_hooks_key()) == Some("true")
    }

    fn skip_hooks_key(&self) -> String {
        self.shared.operator.key(keys::SKIP_DELETION_HOOKS)
    }

    /// Reports that the objects of deletion stages are left out: they cannot be rendered as intended without the referenced objects.
    fn tell_of_skipped_hooks(&mut self, namespace: Option<&Value>) {
        if std::mem::replace(&mut self.memory.told_skipped_hooks, true) {
            return;
        }
        let count = self.draft.component.deletion_hooks;
        let note = format!(
            "{count} objects of deletion stages are not applied: the objects that {} references were deleted with its namespace",
            self.key
        );
        self.warn_of_the_end("DeletionHooksSkipped", note, namespace);
    }
}
