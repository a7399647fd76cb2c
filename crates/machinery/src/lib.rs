//! What a Kubernetes object is, for both sides of the wire: identity, YAML, field sets, selectors, quantities, patches.
//!
//! Objects are raw [`serde_json::Value`]s. Nothing here decides, sleeps, or does I/O.

pub mod fieldset;
pub mod object;
pub mod patch;
pub mod quantity;
pub mod selector;
pub mod yaml;
