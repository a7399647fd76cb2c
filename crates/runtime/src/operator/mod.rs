//! The operator process: builder, start phases, shutdown, and the standard command line.
//!
//! An operator is put together from [`Registration`]s. Each declares what it needs before anything is started (CRDs,
//! permissions, kinds that must be served), and is started with an [`OperatorContext`] when the cluster has passed the checks.

mod context;
mod declarations;
mod phase;
mod registration;

pub use context::OperatorContext;
pub use declarations::{Declarations, Rule};
pub use phase::Phase;
pub use registration::Registration;
