use std::fmt::Write as _;

use kubewright_core::dependents::Verdict;
use kubewright_machinery::object::ObjectExt as _;

use super::component_keeper::ComponentKeeper;
use super::end::{EnginePassEnd, Step};
use super::execute_plans::Goal;
use super::pass::EnginePass;
use crate::erased::Instance;
use crate::hooks::Point;

impl EnginePass<'_> {
    /// Removes all dependents, then the finalizer of the component (component.md, 5.3).
    pub(super) async fn delete(&mut self, instance: &dyn Instance) -> Step<EnginePassEnd> {
        self.hooks(Point::PostRead, instance).await?;
        self.hooks(Point::PreDelete, instance).await?;
        if self.is_abandoned() {
            self.abandon().await;
        } else {
            let foreign = self.foreign_finalizers();
            let mut hooks = self.draft.component.deletion_hooks > 0 && !self.skips_hooks();
            if hooks && self.ending_namespace.is_some() {
                self.tell_of_skipped_hooks();
                hooks = false;
            }
            if hooks {
                self.render(instance, false).await?;
            }
            let mut verdict = self.drive(instance, &Goal::Delete { foreign, hooks }).await?;
            if let Verdict::Wait { message, .. } = &mut verdict
                && hooks
            {
                let key = self.skip_hooks_key();
                let _ = write!(message, " (to leave objects of deletion stages out, annotate the object with {key}=true)");
            }
            if verdict != Verdict::Complete {
                return Ok(EnginePassEnd::verdict(verdict, self.intervals()));
            }
        }
        self.hooks(Point::PostDelete, instance).await?;
        self.remove_finalizer().await?;
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
        self.shared.operator.key("skip-deletion-hooks")
    }

    /// Reports that the objects of deletion stages are left out: they cannot be rendered as intended without the referenced objects.
    fn tell_of_skipped_hooks(&mut self) {
        if std::mem::replace(&mut self.memory.told_skipped_hooks, true) {
            return;
        }
        let count = self.draft.component.deletion_hooks;
        let note =
            format!("{count} objects of deletion stages are not applied: what {} refers to is gone with its namespace", self.key);
        self.warn_of_the_end("DeletionHooksSkipped", note);
    }
}
