use kubewright_core::flow::{Failure, Reason};
use kubewright_runtime::cluster::ConnectError;

use super::end::{End, Step};
use super::pass::Pass;
use crate::targets::TargetError;

/// A kubeconfig that is not used.
const REFUSED: &str = "CredentialsRefused";

impl Pass<'_> {
    /// Finds where the dependents live, and in whose name they are written (chapter 9). Abandoned dependents live nowhere.
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
        let selected = self.shared.targets.select(self.key, kubeconfig, who.as_ref()).await;
        let target = selected.map_err(|error| Box::new(self.no_target(error)))?;
        target.check().await.map_err(|error| Box::new(self.no_target(error.into())))?;
        self.watches = target.dependents.clone();
        self.target = target;
        Ok(())
    }

    fn no_target(&self, error: TargetError) -> End {
        match error {
            TargetError::Kubeconfig(error) => {
                End::failed(Failure::terminal(Reason::new(REFUSED), error), Some(REFUSED), self.intervals())
            }
            TargetError::NotReached(error) if error.is_open => End::Postponed { after: error.again },
            TargetError::NotReached(error) => {
                let (again, text) = (error.again, self.with_way_out(error.to_string()));
                End::waiting(text, Some(again), self.intervals())
            }
            TargetError::Connect(error @ (ConnectError::InvalidIdentity { .. } | ConnectError::ActsAsAnother { .. })) => {
                End::invalid_spec(error.to_string())
            }
            TargetError::Connect(error) => {
                End::failed(Failure::terminal(Reason::new(REFUSED), error), Some(REFUSED), self.intervals())
            }
        }
    }

    /// Who deletes a component whose target is gone for good needs to know how to get rid of it (TGT-7).
    pub(super) fn with_way_out(&self, message: String) -> String {
        let remote = self.effective.as_ref().is_some_and(|effective| effective.kube_config.is_some());
        if !self.is_deleting() || !remote {
            return message;
        }
        format!("{message} (if the target is gone for good, annotate the object with {}=true)", self.abandon_key())
    }
}
