use kubewright_core::dependents::Verdict;
use kubewright_machinery::object::ObjectExt as _;

use super::drive::Goal;
use super::end::{End, Step};
use super::pass::Pass;
use crate::hooks::Point;
use crate::kind::Instance;

impl Pass<'_> {
    /// Removes all dependents, then our hold on the component (5.3).
    pub(super) async fn delete(&mut self, instance: &dyn Instance) -> Step<End> {
        self.hooks(Point::PostRead, instance).await?;
        self.hooks(Point::PreDelete, instance).await?;
        if self.abandons() {
            self.tell_of_abandonment();
            drop(self.shared.strays.take(self.key));
        } else {
            let foreign: Vec<String> =
                self.object.finalizers().filter(|name| *name != self.shared.finalizer).map(str::to_owned).collect();
            let hooks = self.draft.component.deletion_hooks > 0 && !self.skips_hooks();
            if hooks {
                self.render(instance, false).await?;
            }
            let verdict = self.drive(instance, &Goal::Delete { foreign, hooks }).await?;
            if verdict != Verdict::Complete {
                return Ok(End::verdict(verdict, self.intervals()));
            }
        }
        self.hooks(Point::PostDelete, instance).await?;
        self.remove_finalizer().await?;
        let kept = &self.draft.component.created_namespaces;
        if !kept.is_empty() {
            let note = format!("Namespaces that were created for dependents are kept: {}", kept.join(", "));
            self.shared.events.normal(&self.object, "NamespacesKept", note);
        }
        Ok(End::Gone)
    }

    /// Once, however many passes the deletion takes (EVT-2).
    fn tell_of_abandonment(&mut self) {
        if std::mem::replace(&mut self.memory.told_abandonment, true) {
            return;
        }
        let count = self.draft.component.inventory.len();
        let note = format!("{count} dependents are abandoned, as the annotation {} asks", self.abandon_key());
        self.shared.events.warning(&self.object, "DependentsAbandoned", note);
    }

    /// Whether objects of deletion stages are left out, as an annotation asks.
    fn skips_hooks(&self) -> bool {
        self.object.annotation(&self.shared.operator.key("skip-deletion-hooks")) == Some("true")
    }

    pub(super) fn abandons(&self) -> bool {
        self.object.annotation(&self.abandon_key()) == Some("true")
    }

    pub(super) fn abandon_key(&self) -> String {
        self.shared.operator.key("abandon-dependents")
    }
}
