//! A running server: its state, how it is built, and the handle that users hold.

mod bootstrap;
mod builder;
#[cfg(feature = "kube")]
mod client;
mod handle;
mod options;
mod state;
mod timer;
mod writer;

pub use builder::{ApiServerBuilder, BuildError};
pub use handle::{ApiServer, AsUser, Front, SeedError};
pub use options::Controllers;
pub use writer::Writer;

pub(crate) use options::Options;
pub(crate) use state::State;
