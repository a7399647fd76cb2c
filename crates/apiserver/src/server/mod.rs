//! The assembly of a server: its builder, its handle, and the scheduling of its controllers.

mod bootstrap;
mod builder;
#[cfg(feature = "kube")]
mod client;
mod disturbances;
mod gate;
mod handle;
mod manifests;
mod mode;
mod schedule;
mod settle;
mod state;
#[cfg(test)]
mod tests;
mod timer;

pub use builder::{ApiServerBuilder, BuildError};
pub use handle::{ApiServer, Front, OwnedField, SeedError};
pub use manifests::{Dump, LoadError};
pub use mode::Controllers;
pub(crate) use settle::IdleChecks;
pub use settle::{IdleCheck, Unsettled};
pub(crate) use state::ApiServerState;
pub use state::Checkpoint;
