//! Constructors whose arguments are their dependencies.
//!
//! A constructor of a reconciler or of a background task is a function of up to 12 arguments that implement [`FromOperator`]. Its arguments are declared
//! before anything starts, without a cluster: kinds that must be served, permissions, values. Requesting a [`Store`](crate::store::Store) starts its watch,
//! and equal requests share it.

mod constructor;
mod enqueue;
mod extract;
mod process;
mod values;

pub use constructor::{Construct, Constructed, Constructible, Constructor};
pub use enqueue::Enqueue;
pub use extract::{FromOperator, Missing};
pub use values::{OperatorInfo, State};
