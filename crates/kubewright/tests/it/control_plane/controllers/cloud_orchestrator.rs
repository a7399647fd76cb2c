use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, Maybe, Ready};
use kubewright::prelude::*;

use super::super::external::{Externals, REMOTE, field, phase};
use super::super::kinds::{CloudOrchestrator, endpoint};

/// The controller of a remote object, which is watched.
pub(super) struct CloudOrchestrators(Externals);

impl CloudOrchestrators {
    pub(super) fn new(externals: Externals) -> Self {
        Self(externals)
    }
}

impl ComponentController for CloudOrchestrators {
    type Component = CloudOrchestrator;

    async fn apply(&self, cx: &ApplyContext<CloudOrchestrator>, deps: Ready<CloudOrchestrator>) -> Flow {
        endpoint(&deps)?;
        let version = [("version", cx.component().spec.version.clone().unwrap_or_else(|| "newest".to_owned()))];
        let remote = self.0.ensure(cx.key(), REMOTE, &version).await?;
        if field(&remote, "version") != Some(version[0].1.as_str()) {
            self.0.set(cx.key(), &remote, &version).await?;
        }
        if phase(&remote) != "Ready" {
            return Wait::for_event("WaitingForCloudOrchestrator").message("the remote object is not ready").into();
        }
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<CloudOrchestrator>, _: Maybe<CloudOrchestrator>) -> Flow {
        if self.0.delete(cx.key(), REMOTE).await? {
            return Ok(());
        }
        Wait::after(Delay::secs::<10>(), "ComponentIsInDeletion").into()
    }
}
