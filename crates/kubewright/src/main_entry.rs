use std::future::Future;
use std::process::ExitCode;

use kubewright_runtime::operator::Operator;
use kubewright_runtime::operator::cli::{self, DevEnvironment, OperatorSource};

/// The entry point of an operator's binary, implemented for an operator and for a function that creates one.
///
/// `operator().main()` and `operator.main()` do the same, except that only the second can run several replicas with `dev --replicas`.
///
/// ```no_run
/// use kubewright::prelude::*;
///
/// fn operator() -> Operator {
///     Operator::new("greeting-operator.demo.kubewright.dev")
/// }
///
/// #[tokio::main]
/// async fn main() -> ExitCode {
///     operator.main().await
/// }
/// ```
pub trait Main<M = MadeOnce>: Sized {
    /// Parses the standard command line, sets up logging, runs the operator, and reports errors. `main` returns the result.
    fn main(self) -> impl Future<Output = ExitCode>;
}

/// Marks the entry point of an operator that exists already.
#[derive(Debug)]
pub enum MadeOnce {}

/// Marks the entry point of a function that creates an operator with each call.
#[derive(Debug)]
pub enum MadeOnDemand {}

impl<T: Into<Operator>> Main<MadeOnce> for T {
    fn main(self) -> impl Future<Output = ExitCode> {
        cli::main(self.into(), environment())
    }
}

impl<F, T> Main<MadeOnDemand> for F
where
    F: Fn() -> T + Send + 'static,
    T: Into<Operator>,
{
    fn main(self) -> impl Future<Output = ExitCode> {
        cli::main(OperatorSource::of(move || self().into()), environment())
    }
}

#[cfg(feature = "dev")]
#[allow(clippy::unnecessary_wraps)] // without the feature there is no environment
fn environment() -> Option<Box<dyn DevEnvironment>> {
    Some(Box::new(kubewright_dev::EmbeddedEnvironment::default()))
}

#[cfg(not(feature = "dev"))]
fn environment() -> Option<Box<dyn DevEnvironment>> {
    None
}
