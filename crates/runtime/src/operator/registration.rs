//! What an operator is put together from.

use async_trait::async_trait;
use kubewright_core::flow::BoxError;

use super::{Declarations, OperatorContext};
use crate::controller::Controller;

/// A part of an operator, usually one controller with its watches.
#[async_trait]
pub trait Registration: Send + Sync {
    /// The name of its controller: a DNS subdomain, unique in the operator.
    fn name(&self) -> &str;

    /// Takes a longer name of its controller, if the part has one: another part of the operator has the same name. An operator with
    /// two parts of one name does not start.
    fn use_full_name(&mut self) {}

    /// Says what the part needs: CRDs, permissions, kinds that must be served. Called before anything is started, and for the
    /// commands that only print; it does no I/O.
    ///
    /// Problems that can be found without a cluster are told by [`Declarations::problem`].
    fn declare(&self, declarations: &mut Declarations);

    /// Starts watches, waits until they have their first lists, and returns the controllers, which the operator then runs.
    ///
    /// The operator limits the time of this and names the watches that are not there when it is over.
    async fn start(self: Box<Self>, context: OperatorContext) -> Result<Vec<Controller>, BoxError>;
}
