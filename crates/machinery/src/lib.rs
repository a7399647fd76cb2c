//! Kubernetes objects, for clients and servers: identity, YAML, field sets, selectors, quantities, patches; and Go's regular
//! expressions, which both sides read.
//!
//! Objects are raw [`serde_json::Value`]s. The crate makes no decisions, never sleeps, and does no I/O.
//!
//! Modules, from low to high: `object`, `fieldset`, `patch`, `quantity`, `selector`, `stack`, `pattern`, `yaml`.

pub mod fieldset;
pub mod object;
pub mod patch;
pub mod pattern;
pub mod quantity;
pub mod selector;
pub mod stack;
pub mod yaml;
