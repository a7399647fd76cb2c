//! Discovery documents: what a client can learn about the kinds of a server.
//!
//! All of them follow from the [`Registry`](crate::kinds::Registry) alone. The aggregated ones, which clients ask for first and which name every
//! resource, are made once for each state of the registry and kept with their ETag in a [`Discovery`].

mod aggregated;
mod document;
mod legacy;

#[cfg(test)]
mod tests;

pub use aggregated::{aggregated_core, aggregated_groups};
pub use document::{AGGREGATED, Discovery, Document, Documents};
pub use legacy::{api_group, api_group_list, api_resource_list, api_versions};
