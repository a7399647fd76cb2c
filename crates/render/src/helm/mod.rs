//! Helm charts as generators (component.md, 13.3).

mod capabilities;
mod check_values;
mod error;
mod generator;
mod hooks;
mod manifests;
mod policies;
mod source;

pub use check_values::ValuesMismatch;
pub use generator::HelmChart;
