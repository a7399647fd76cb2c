//! The command `deploy`: the manifests that run the operator in a cluster, as documents in the order in which they can be applied.

mod args;
mod container;
mod error;
mod workload;

#[cfg(test)]
mod tests;

pub(super) use args::DeployArgs;
