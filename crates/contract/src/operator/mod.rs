//! The controllers of a contract as registered parts of an operator.

mod component;
mod owner;

use kubewright_runtime::operator::Operator;

pub use self::component::OperatorComponentController;
pub use self::owner::OperatorContractOwner;
use crate::controller::{ComponentController, ControllerConstructor};
use crate::declaration::Contract;

/// Extension of an operator by the controllers of a contract.
pub trait ContractExt: Into<Operator> + Sized {
    /// Adds the controller of a component, which this constructor creates. The returned builder changes its options.
    fn component_controller<C: ComponentController, M>(
        self,
        constructor: impl ControllerConstructor<C, M>,
    ) -> OperatorComponentController<C> {
        OperatorComponentController::new(self.into(), constructor.boxed())
    }

    /// Adds the controller of a contract's owner, which generates the components. The returned builder changes its options.
    fn contract_owner<C: Contract>(self) -> OperatorContractOwner<C> {
        OperatorContractOwner::new(self.into())
    }
}

impl<T: Into<Operator>> ContractExt for T {}
