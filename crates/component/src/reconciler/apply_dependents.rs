use super::end::{EnginePassEnd, Step};
use super::execute_plans::Goal;
use super::pass::EnginePass;
use crate::erased::Instance;
use crate::hooks::Point;
use kubewright_core::dependents::Verdict;

impl EnginePass<'_> {
    /// Installs, upgrades and repairs the dependents (component.md, 5.2).
    pub(super) async fn apply(&mut self, instance: &dyn Instance) -> Step<EnginePassEnd> {
        self.hooks(Point::PostRead, instance).await?;
        self.add_finalizer().await?;
        self.hooks(Point::PreReconcile, instance).await?;
        self.render(instance, false).await?;
        let verdict = self.drive(instance, &Goal::Apply).await?;
        if verdict == Verdict::Complete {
            self.hooks(Point::PostReconcile, instance).await?;
            // Only digests are needed until an object must be written again.
            if let Some(rendered) = &mut self.memory.rendered {
                rendered.reduce();
            }
        }
        Ok(EnginePassEnd::verdict(verdict, self.intervals()))
    }
}
