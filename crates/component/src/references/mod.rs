//! The ConfigMaps and Secrets that components refer to: their discovery by the derive, and how they are watched and read (component.md, 7).

mod content;
mod group;
pub(crate) mod loading;
pub(crate) mod probe;
mod watches;

pub(crate) use loading::{ErasedContent, Loader};
pub use loading::{LoadContext, Loaded, Reference};
pub(crate) use watches::ReferenceWatches;
