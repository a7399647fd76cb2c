//! Kustomizations, with templates in them, as generators (13.4).

mod compiled;
mod default_file;
mod generator;
mod included;

pub use generator::Kustomization;
