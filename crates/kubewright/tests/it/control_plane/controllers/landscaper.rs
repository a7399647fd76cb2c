use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, Maybe, Ready};
use kubewright::prelude::*;

use super::super::external::{DEPLOYMENT, Externals, field, phase};
use super::super::kinds::{Landscaper, endpoint};
use super::Polling;

/// The controller of a deployment by another system, whose progress no event reports.
pub(super) struct Landscapers {
    externals: Externals,
    polling: Polling,
}

impl Landscapers {
    pub(super) fn new(externals: Externals, State(polling): State<Polling>) -> Self {
        Self { externals, polling }
    }

    fn waits(&self, phase: &str) -> Flow {
        Wait::after(self.polling.interval, "WaitingForLaaS").message(format!("deployment phase: {phase}")).into()
    }
}

impl ComponentController for Landscapers {
    type Component = Landscaper;

    async fn apply(&self, cx: &ApplyContext<Landscaper>, deps: Ready<Landscaper>) -> Flow {
        let target = [("endpoint", endpoint(&deps)?), ("deployers", cx.component().spec.deployers.join(","))];
        let deployment = self.externals.ensure(cx.key(), DEPLOYMENT, &target).await?;
        if target.iter().any(|(name, value)| field(&deployment, name) != Some(value.as_str())) {
            self.externals.set(cx.key(), &deployment, &target).await?;
        }
        match phase(&deployment) {
            "Ready" => {
                cx.healthy();
                Ok(())
            }
            phase => self.waits(phase),
        }
    }

    async fn cleanup(&self, cx: &CleanupContext<Landscaper>, _: Maybe<Landscaper>) -> Flow {
        if self.externals.delete(cx.key(), DEPLOYMENT).await? { Ok(()) } else { self.waits("Deleting") }
    }
}
