//! The functions of templates that the generators of charts and kustomizations share.

mod custom;
mod lookups;

pub(crate) use custom::CustomFunctions;
pub(crate) use lookups::add_lookups;
