//! An operator for measurements: each Bench keeps as many ConfigMaps or Deployments as it requests.

mod api;
pub mod floor;
mod render;

use std::time::Duration;

pub use api::{Bench, BenchSpec, DeploymentKind};
use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;
pub use render::render;

/// The name of the operator, which is used in labels, annotations and the finalizer.
pub const NAME: &str = "bench-operator.bench.kubewright.dev";

/// The number of buckets when several replicas are measured.
pub const BUCKETS: u32 = 4;
/// The environment variable with the number of replicas.
pub const REPLICAS: &str = "BENCH_REPLICAS";

/// Returns the operator. Only one process of it is measured, so it needs no lease.
pub fn operator() -> ComponentBuilder<Bench> {
    led(Leadership::off())
}

/// Returns one of several replicas of the operator, which share [`BUCKETS`] buckets evenly.
pub fn replica(replicas: usize) -> ComponentBuilder<Bench> {
    let timing = [15, 10, 2].map(Duration::from_secs);
    led(Leadership::leases().buckets(BUCKETS).timing(timing[0], timing[1], timing[2]).replicas(replicas))
}

fn led(leadership: Leadership) -> ComponentBuilder<Bench> {
    Operator::new(NAME).leadership(leadership).version(env!("CARGO_PKG_VERSION")).component::<Bench>(render)
}
