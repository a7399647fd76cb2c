//! Benchmarks of operators: the embedded server runs in the process of the benchmark, and each operator runs in a process of its own, so that its
//! memory and its CPU seconds are measured separately.
//!
//! [`BenchCluster`] starts both. A benchmark runs in phases: [`MeasuredOperator::begin`], requests of the benchmark, [`BenchCluster::until`] for
//! their effect, [`MeasuredOperator::cost`].

mod cluster;
mod command_line;
mod operator;
mod requests;

pub use cluster::BenchCluster;
pub use command_line::{arguments, exit_code};
pub use operator::{MeasuredOperator, PhaseCost};
pub use requests::{RequestCounter, RequestTotals};
