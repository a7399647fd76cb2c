//! An operator to measure: each Bench keeps as many ConfigMaps or Deployments as it asks for.

mod api;
pub mod floor;
mod render;

pub use api::{Bench, BenchSpec, DeploymentKind};
pub use render::render;

use kubewright::component::ComponentBuilder;
use kubewright::prelude::*;

/// The name of the operator, which stands in labels, annotations and the finalizer.
pub const NAME: &str = "bench-operator.bench.kubewright.dev";

/// The operator. One process of it is measured, so that it needs no lease.
pub fn operator() -> ComponentBuilder<Bench> {
    Operator::new(NAME).leadership(Leadership::off()).version(env!("CARGO_PKG_VERSION")).component::<Bench>(render)
}
