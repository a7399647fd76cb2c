//! Resources: objects with the identities that they have had during a build.

mod identity;
mod list;
mod object;
mod read;
#[cfg(test)]
mod tests;

pub(crate) use identity::{EffectiveNamespace, ResourceId};
pub(crate) use list::ResourceList;
pub(crate) use object::{BuildOrigin, BuildResource, Configuration, GeneratorBehavior, scalar_text};
pub(crate) use read::read_resources;
