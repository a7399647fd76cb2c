//! The objects that templates see: `.Chart`, `.Files`, `.Capabilities` and the methods of `.Values`.

mod capabilities;
mod capability_objects;
mod chart_object;
mod files;
mod glob;
mod values_methods;

pub use capabilities::{ChartCapabilities, KubernetesVersion};
pub(crate) use capability_objects::CapabilitiesObject;
pub(crate) use chart_object::chart_object;
pub(crate) use files::FilesObject;
pub(crate) use values_methods::add_values_methods;
