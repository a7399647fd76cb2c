use kubewright_core::flow::{Failure, Reason};
use kubewright_runtime::cluster::ConnectError;
use kubewright_runtime::targets::TargetError;

use super::end::{EnginePassEnd, Step};
use super::pass::EnginePass;

/// The reason of a component whose kubeconfig is refused.
const REFUSED: &str = "CredentialsRefused";

impl EnginePass<'_> {
    /// Selects the cluster of the dependents and the identity that writes them (component.md, 9). Abandoned dependents have no target.
    pub(super) async fn select_target(&mut self) -> Step {
        if self.is_deleting() && self.abandons() {
            return Ok(());
        }
        let (reference, who) = match &self.effective {
            Some(effective) => (effective.kube_config.clone(), effective.impersonation.clone()),
            None => (None, None),
        };
        let resolved = self.resolved.clone();
        let kubeconfig = resolved.secret(&reference);
        // If the kubeconfig is gone for good with its namespace (REF-4), this process may still know the target.
        let target = if reference.is_some() && kubeconfig.is_none() {
            if self.ending_namespace.is_none() {
                return Err(Box::new(EnginePassEnd::invalid_spec(
                    "the kubeconfig of the target is not among the references of the component",
                )));
            }
            let Some(target) = self.shared.targets.known(self.key) else {
                self.lost_target = true;
                return Ok(());
            };
            target
        } else {
            let selected = self.shared.targets.select(self.key, kubeconfig, who.as_ref()).await;
            selected.map_err(|error| Box::new(self.no_target(error)))?
        };
        target.check().await.map_err(|error| Box::new(self.no_target(error.into())))?;
        self.watches = target.dependents.clone();
        self.target = target;
        Ok(())
    }

    fn no_target(&self, error: TargetError) -> EnginePassEnd {
        match error {
            TargetError::Kubeconfig(error) => {
                let text = self.with_way_out("the target", error.to_string());
                EnginePassEnd::failed(Failure::terminal(Reason::new(REFUSED), text), Some(REFUSED), self.intervals())
            }
            TargetError::NotReached(error) if error.is_open => EnginePassEnd::Postponed { after: error.again },
            TargetError::NotReached(error) => {
                let (again, text) = (error.again, self.with_way_out("the target", error.to_string()));
                EnginePassEnd::waiting(text, Some(again), self.intervals())
            }
            TargetError::Connect(error @ (ConnectError::InvalidIdentity { .. } | ConnectError::ActsAsAnother { .. })) => {
                EnginePassEnd::invalid_spec(error.to_string())
            }
            error => {
                let text = self.with_way_out("the target", error.to_string());
                EnginePassEnd::failed(Failure::terminal(Reason::new(REFUSED), text), Some(REFUSED), self.intervals())
            }
        }
    }
}
