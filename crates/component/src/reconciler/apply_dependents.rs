//! The phases of a pass that installs, upgrades and repairs dependents.

use kubewright_core::dependents::Verdict;

use super::end::{EnginePassEnd, Step};
use super::finish::{PhaseResult, UnrecordedPass};
use super::goal::Goal;
use super::select_target::TargetedPass;
use crate::hooks::Point;

impl<'a> TargetedPass<'a> {
    /// Installs, upgrades and repairs the dependents (component.md, 5.2).
    pub(super) async fn apply(mut self) -> PhaseResult<'a, Box<UnrecordedPass<'a>>> {
        if let Err(end) = self.prepare().await {
            return Err(self.end(*end));
        }
        let intervals = self.inputs.intervals();
        let (mut executed, verdict) = self.render(Goal::Apply).await?.reach_goal().await?;
        if verdict == Verdict::Complete {
            let targeted = &mut executed.watched.targeted;
            if let Err(end) = targeted.run_hooks(Point::PostReconcile).await {
                return Err(executed.end(*end));
            }
            // Only digests are needed until an object must be written again.
            if let Some(rendered) = &mut targeted.pass.memory.rendered {
                rendered.reduce();
            }
        }
        Ok(executed.end(EnginePassEnd::verdict(verdict, intervals)))
    }

    async fn prepare(&mut self) -> Step {
        self.run_hooks(Point::PostRead).await?;
        self.pass.add_finalizer(self.inputs.intervals()).await?;
        self.run_hooks(Point::PreReconcile).await
    }
}
