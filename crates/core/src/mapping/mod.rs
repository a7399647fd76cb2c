//! Mappers from an object to the key of the object that it concerns.
//!
//! A mapper reads one state of one object. For a change the old and the new state are mapped and both keys are queued, so that the former owner is
//! also reconciled when an object moves from one owner to another (MAP-10).

mod label;
mod owner;

#[cfg(test)]
mod tests;

pub use label::{UnsetLabel, by_annotation, by_label, by_label_cluster};
pub use owner::{controller_owner_key, namespace_of, sentinel};
