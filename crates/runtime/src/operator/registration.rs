//! What an operator is put together from.

use async_trait::async_trait;
use kubewright_core::flow::BoxError;

use super::{Declarations, OperatorContext, OperatorError, ReadyTask};
use crate::controller::Runner;

/// The kind of a part of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegistrationKind {
    /// A controller with its watches.
    Controller,
    /// A background task.
    Task,
}

impl RegistrationKind {
    /// The word in errors and logs.
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
    /// The name of its controller or task: a DNS subdomain, unique in the operator.
    fn name(&self) -> &str;

    /// The kind of the part; a controller by default.
    fn kind(&self) -> RegistrationKind {
        RegistrationKind::Controller
    }

    /// Takes a longer name of its controller, if the part has one: another part of the operator has the same name. An operator with
    /// two parts of one name does not start.
    fn use_full_name(&mut self) {}

    /// Declares the needs of the part: CRDs, permissions, kinds that must be served. Called before anything is started, and for the
    /// commands that only print; it does no I/O.
    ///
    /// Problems that can be found without a cluster are told by [`Declarations::problem`].
    fn declare(&self, declarations: &mut Declarations);

    /// Constructs the part: starts its watches, and makes its reconciler or task. Called in the order of registration, one part after the other.
    ///
    /// It may ask the cluster ([`OperatorContext::ask`]), and does not wait for caches. The operator limits the time of all constructions
    /// and of [`ConstructedPart::synced`] together.
    async fn construct(self: Box<Self>, context: OperatorContext) -> Result<Box<dyn ConstructedPart>, BoxError>;
}

/// A part of an operator that is constructed.
#[async_trait]
pub trait ConstructedPart: Send {
    /// Ends when the caches are filled. Called for all parts at once, before anything works. The operator names the watches that are not
    /// there when the time is over. By default there are none to wait for.
    async fn synced(&mut self) -> Result<(), BoxError> {
        Ok(())
    }

    /// Gives up the background tasks of the part, which the operator starts before its controllers. Called once, after the caches of all parts are
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
/// A disabled name is that of no part.
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
