//! References of a component to ConfigMaps and Secrets: their paths in a spec, their contents, and the problems of those that do not resolve.
//!
//! A spec may contain [`ConfigMapRef`], [`ConfigMapKeyRef`], [`ConfigMapBytesRef`], [`ConfigMapBytesKeyRef`], [`SecretRef`] and [`SecretKeyRef`] at
//! any depth, also in options, lists, maps and structs with `#[derive(HoldsReferences)]`. They name objects in the namespace of the component, on its
//! own cluster. [`References`] lists them with their paths; [`resolve`] turns the list and the data of the objects into [`Resolved`] contents and the
//! digests that are a part of the component's digest.
//!
//! Every user who may create components can have any ConfigMap and Secret of that namespace rendered into manifests.

mod data;
mod holds;
mod list;
mod loads;
mod resolve;
mod resolved;
#[cfg(test)]
mod tests;
mod types;

pub use data::ReferencedData;
pub use holds::HoldsReferences;
pub use list::{ListedReference, Loadable, Part, ReferenceRules, References};
pub use loads::{LoadedKey, LoadedReference, Loads};
pub use resolve::{Found, Problem, Resolution, path_text, resolve};
pub use resolved::{ConfigMapReference, Resolved, SecretReference};
pub use types::{
    ConfigMapBytesKeyRef, ConfigMapBytesRef, ConfigMapKeyRef, ConfigMapRef, ReferenceKind, ReferencedObject, SecretKeyRef,
    SecretRef,
};
