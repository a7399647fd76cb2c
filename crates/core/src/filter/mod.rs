//! Changes between the old and the new version of an object, and filters that decide whether a change needs a pass.
//!
//! Filters are placed between a watch and the queue, never before a store. The common ones read every object that implements
//! [`HasMetadata`](kubewright_machinery::object::HasMetadata).

mod blocks;
mod change;
mod combine;
mod primary;

#[cfg(test)]
mod tests;

pub use blocks::{
    annotation, annotations, changed, controlled_by, deleting, finalizers, gained, gained_label, generation, has, has_label,
    label, labels, lost, lost_label, metadata_changed, name, named, namespace, owners, resource_version, selected, status,
};
pub use change::{Cause, Change, Filter, differs, matches};
pub use combine::{And, FilterExt, Not, Or};
pub use primary::primary_default;
