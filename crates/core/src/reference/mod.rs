//! References of a component to ConfigMaps and Secrets: where they stand in a spec, what they resolve to, what is missing.
//!
//! A spec holds [`ConfigMapRef`], [`ConfigMapKeyRef`], [`SecretRef`] and [`SecretKeyRef`] anywhere, also in options, lists, maps
//! and own structs with `#[derive(HoldsReferences)]`. They name objects in the namespace of the component, on its own cluster.
//! [`References`] lists them with their paths; [`resolve`] turns the list and the objects' data into [`Resolved`] contents and
//! the digests that are a part of the component's digest.
//!
//! Whoever may create components can have any ConfigMap and Secret of that namespace rendered into manifests.

mod holds;
mod list;
mod loads;
mod resolve;
mod resolved;
#[cfg(test)]
mod tests;
mod types;

pub use holds::HoldsReferences;
pub use list::{Loadable, Part, Reference, ReferenceRules, References};
pub use loads::{LoadedKey, LoadedReference, Loads};
pub use resolve::{Found, Problem, Resolution, path_text, resolve};
pub use resolved::{ConfigMapReference, Resolved, SecretReference};
pub use types::{ConfigMapKeyRef, ConfigMapRef, ReferenceKind, SecretKeyRef, SecretRef, Target};
