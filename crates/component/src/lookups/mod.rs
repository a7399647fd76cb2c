//! Lookups: questions of renderings about the capabilities and objects of clusters, answered from discovery and from shared watches
//! (GEN-2, GEN-5). The cluster of a kubeconfig that a rendering gives is a target, which other components may share (TGT-4).

mod environment;
mod object;
mod registry;
mod types;

pub(crate) use environment::PassEnvironment;
pub(crate) use registry::Lookups;
