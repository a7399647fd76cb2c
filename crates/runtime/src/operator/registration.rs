//! The parts from which an operator is built.

use async_trait::async_trait;
use kubewright_core::flow::BoxError;

use super::{Declarations, OperatorContext, OperatorError, ReadyTask};
use crate::controller::Runner;

/// The kind of a part of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistrationKind {
    /// The part is a controller with its watches.
    Controller,
    /// The part is a background task.
    Task,
}

impl RegistrationKind {
    /// Returns the word for the part in errors and logs.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Controller => "controller",
            Self::Task => "task",
        }
    }
}

/// A part of an operator: a controller with its watches, or a background task.
#[async_trait]
pub trait Registration: Send + Sync {
    /// Returns the name of the part's controller or task: a DNS subdomain, unique in the operator.
    fn name(&self) -> &str;

    /// Returns the kind of the part; a controller by default.
    fn kind(&self) -> RegistrationKind {
        RegistrationKind::Controller
    }

    /// Switches to the full name of the controller, if the part has one, because another part of the operator has the same name. An operator with two parts
    /// of the same name does not start.
    fn use_full_name(&mut self) {}

    /// Declares the needs of the part: CRDs, permissions, kinds that must be served. It is called before anything is started, and for the commands that only
    /// print; it must do no I/O.
    ///
    /// Problems that can be found without a cluster are reported with [`Declarations::problem`].
    fn declare(&self, declarations: &mut Declarations);

    /// Constructs the part: starts its watches, and makes its reconciler or task. It is called in the order of registration, one part after the other.
    ///
    /// It may send requests to the cluster ([`OperatorContext::ask`]), and must not wait for caches. The operator limits the total time of all constructions
    /// and of [`ConstructedPart::synced`].
    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError>;
}

/// A constructed part of an operator.
#[async_trait]
pub trait ConstructedPart: Send {
    /// Waits until the caches of the part are filled. It is called for all parts at once, before any part works. If the time runs out, the operator names the
    /// watches that are missing. By default there are none to wait for.
    async fn synced(&mut self) -> Result<(), BoxError> {
        Ok(())
    }

    /// Hands over the background tasks of the part, which the operator starts before its controllers. It is called once, after the caches of all parts are
    /// filled. By default there are none.
    fn tasks(&mut self) -> Vec<ReadyTask> {
        Vec::new()
    }

    /// Begins to queue the keys of the caches, and returns the controllers, which the operator then runs.
    fn run(self: Box<Self>) -> Vec<Runner>;
}

/// Returns the parts that are not disabled.
///
/// # Errors
/// Returns an error for a disabled name that no part has.
pub(super) fn enabled(
    registrations: Vec<Box<dyn Registration>>,
    disabled: &[String],
) -> Result<Vec<Box<dyn Registration>>, OperatorError> {
    let known: Vec<String> = registrations.iter().map(|registration| registration.name().to_owned()).collect();
    if let Some(name) = disabled.iter().find(|name| !known.contains(name)) {
        return Err(OperatorError::UnknownController { name: name.clone(), known });
    }
    let mut enabled = Vec::new();
    for registration in registrations {
        if disabled.iter().any(|name| name == registration.name()) {
            tracing::info!(name = registration.name(), "the {} is disabled", registration.kind().as_str());
        } else {
            enabled.push(registration);
        }
    }
    Ok(enabled)
}
