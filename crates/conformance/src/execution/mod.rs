//! The execution of scripts against a server: the embedded one, in virtual time, or any other one by its kubeconfig.

mod connection;
mod fresh;
mod real;
mod run;
mod target;

pub use fresh::{run_all_remote, run_embedded};
pub use real::RealServer;
pub use run::{Run, RunError, run};
pub use target::{ScriptTarget, ScriptTargetError};
