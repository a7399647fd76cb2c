//! Components whose dependents a generator renders: the engine of components under a contract (flow-and-contract.md, 13.14).
//!
//! The bridge is in this crate, which therefore depends on `kubewright-component`, and not the other way round: a contract is one more caller of
//! the engine, and the engine does not depend on contracts.

mod controller;
mod operator;
mod part;
mod subject;

pub use self::controller::RenderedComponent;
pub use self::operator::{OperatorRenderedComponent, RenderedComponentExt};
pub use self::part::RenderedPart;
pub use self::subject::WithDependencies;
