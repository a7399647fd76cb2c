use std::future::Future;
use std::process::ExitCode;

use kubewright_runtime::operator::Operator;
use kubewright_runtime::operator::cli::{self, DevEnvironment};

/// The entry point of an operator's binary.
pub trait Main: Into<Operator> + Sized {
    /// Parses the standard command line, sets up logging, runs, reports errors. Its result is for `main` to return.
    fn main(self) -> impl Future<Output = ExitCode> {
        cli::main(self.into(), environment())
    }
}

impl<T: Into<Operator>> Main for T {}

#[cfg(feature = "dev")]
#[allow(clippy::unnecessary_wraps)] // without the feature there is none
fn environment() -> Option<Box<dyn DevEnvironment>> {
    Some(Box::new(kubewright_dev::Environment::default()))
}

#[cfg(not(feature = "dev"))]
fn environment() -> Option<Box<dyn DevEnvironment>> {
    None
}
