//! A running server: its state, its builder, and its handle.

mod bootstrap;
mod builder;
#[cfg(feature = "kube")]
mod client;
mod disturbances;
mod handle;
mod manifests;
mod options;
mod settle;
mod state;
#[cfg(test)]
mod tests;
mod timer;
mod writer;

pub use builder::{ApiServerBuilder, BuildError};
pub use handle::{ApiServer, AsUser, Front, OwnedField, SeedError};
pub use manifests::{Dump, LoadError};
pub use options::{Controllers, Names};
pub use settle::{IdleCheck, Unsettled};
pub use state::Checkpoint;
pub use writer::Writer;

pub(crate) use disturbances::Disturbances;
pub(crate) use options::ServerOptions;
pub(crate) use settle::IdleChecks;
pub(crate) use state::ApiServerState;
