//! Definitions of custom resources, from the types that `CustomResource` makes.

mod formats;
mod generated;

pub use generated::custom_resource_definition;
