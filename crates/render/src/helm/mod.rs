//! Helm charts as generators (13.3).

mod capabilities;
mod error;
mod generator;
mod hooks;
mod manifests;
mod policies;
mod source;

pub use generator::HelmChart;
