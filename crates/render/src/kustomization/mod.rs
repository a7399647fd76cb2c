//! Kustomizations, with templates in them, as generators (component.md, 13.4).

mod compiled;
mod default_file;
mod generator;
mod included;

pub use generator::Kustomization;
