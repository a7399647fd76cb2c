//! Selection of the cluster of the dependents, and of the identity that writes them.

use std::sync::Arc;

use kubewright_core::dependents::{Engine, ManagedTypePattern};
use kubewright_core::flow::{Failure, Reason};
use kubewright_runtime::cluster::ConnectError;
use kubewright_runtime::targets::TargetError;

use super::abandon_dependents::{AbandonedPass, Abandonment};
use super::end::{EnginePassEnd, Step};
use super::finish::{PhaseResult, UnrecordedPass};
use super::pass::EnginePass;
use super::resolve_references::{ResolvedInputs, ResolvedPass};
use crate::hooks::Point;
use crate::targets::{DependentsTarget, REFUSED};

/// A pass that knows the target of the dependents.
pub(super) struct TargetedPass<'a> {
    pub(super) pass: EnginePass<'a>,
    pub(super) inputs: ResolvedInputs,
    pub(super) target: Arc<DependentsTarget>,
}

/// The phase after the selection of a target.
pub(super) enum SelectedTarget<'a> {
    /// The target is known.
    Known(TargetedPass<'a>),
    /// The dependents are left in place, so they have no target.
    Abandoned(AbandonedPass<'a>),
}

impl<'a> ResolvedPass<'a> {
    /// Selects the cluster of the dependents and the identity that writes them (component.md, 9). Abandoned dependents have no target.
    pub(super) async fn select_target(self) -> PhaseResult<'a, SelectedTarget<'a>> {
        let found = self.find_target().await;
        let Self { pass, inputs } = self;
        let register = |target: &DependentsTarget| target.dependents.register(pass.key, pass.shared.owner(pass.key).hash());
        match found {
            Ok(Ok(target)) => {
                register(&target);
                Ok(SelectedTarget::Known(TargetedPass { pass, inputs, target }))
            }
            Ok(Err(cause)) => {
                register(pass.shared.targets.local());
                Ok(SelectedTarget::Abandoned(AbandonedPass { pass, inputs, cause }))
            }
            Err(end) => Err(pass.end(*end, inputs.reached())),
        }
    }

    async fn find_target(&self) -> Step<Result<Arc<DependentsTarget>, Abandonment>> {
        let (pass, settings) = (&self.pass, &self.inputs.component.settings);
        if pass.is_deleting() && pass.abandons() {
            return Ok(Err(Abandonment::Asked));
        }
        let kubeconfig = self.inputs.contents.secret(&settings.kube_config);
        // If the kubeconfig is gone for good with its namespace (REF-4), this process may still know the target.
        let target = if settings.kube_config.is_some() && kubeconfig.is_none() {
            if self.inputs.ending_namespace.is_none() {
                return Err(Box::new(EnginePassEnd::invalid_spec(
                    "the kubeconfig of the target is not among the references of the component",
                )));
            }
            let Some(target) = pass.shared.targets.known(pass.key) else {
                return Ok(Err(Abandonment::TargetLost));
            };
            target
        } else {
            let selected = pass.shared.targets.select(pass.key, kubeconfig, settings.impersonation.as_ref()).await;
            selected.map_err(|error| Box::new(self.no_target(error)))?
        };
        target.check().await.map_err(|error| Box::new(self.no_target(error.into())))?;
        Ok(Ok(target))
    }

    fn no_target(&self, error: TargetError) -> EnginePassEnd {
        match error {
            TargetError::Kubeconfig(error) => {
                let text = self.pass.with_way_out("the target", error.to_string());
                EnginePassEnd::failed(Failure::terminal(Reason::new(REFUSED), text), Some(REFUSED), self.inputs.intervals())
            }
            TargetError::NotReached(error) if error.is_open => EnginePassEnd::Postponed { after: error.again },
            TargetError::NotReached(error) => {
                let (again, text) = (error.again, self.pass.with_way_out("the target", error.to_string()));
                EnginePassEnd::waiting(text, Some(again), self.inputs.intervals())
            }
            TargetError::Connect(error @ (ConnectError::InvalidIdentity { .. } | ConnectError::ActsAsAnother { .. })) => {
                EnginePassEnd::invalid_spec(error.to_string())
            }
            error => {
                let text = self.pass.with_way_out("the target", error.to_string());
                EnginePassEnd::failed(Failure::terminal(Reason::new(REFUSED), text), Some(REFUSED), self.inputs.intervals())
            }
        }
    }
}

impl<'a> TargetedPass<'a> {
    pub(super) fn end(self, end: EnginePassEnd) -> Box<UnrecordedPass<'a>> {
        self.pass.end(end, self.inputs.reached())
    }

    pub(super) async fn run_hooks(&mut self, point: Point) -> Step {
        self.pass.run_hooks(point, &self.inputs, Some(self.target.cluster())).await
    }

    /// Returns the engine with the settings of this component.
    pub(super) fn engine(&self) -> Engine {
        let mut engine = self.pass.shared.engine(self.pass.key);
        let settings = &self.inputs.component.settings;
        let declared = settings.additional_managed_types.iter();
        engine.additional_managed_types =
            declared.map(|managed| ManagedTypePattern::declared(&managed.group, &managed.kind)).collect();
        engine.missing_namespaces = settings.policies.missing_namespaces;
        engine
    }
}
