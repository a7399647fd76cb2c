//! Definitions of custom resources, from the types that `CustomResource` derives.

mod formats;
mod generated;

pub use generated::custom_resource_definition;
