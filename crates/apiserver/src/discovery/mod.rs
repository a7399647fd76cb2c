//! Discovery documents: the groups, versions and resources that a server offers to its clients.
//!
//! All of them are derived from the [`Registry`](crate::kinds::Registry) alone. The aggregated documents, which clients request first and which
//! name every resource, are built once for each revision of the registry and cached with their ETag in a [`DiscoveryDocuments`].

mod aggregated;
mod document;
mod legacy;

#[cfg(test)]
mod tests;

pub use aggregated::{aggregated_core, aggregated_groups};
pub use document::{AGGREGATED, DiscoveryDocuments, Document, Documents};
pub use legacy::{api_group, api_group_list, api_resource_list, api_versions};
