//! Structural schemas of Kubernetes: the declared types of custom resources, compiled once and used for every object.
//!
//! A [`Schema`] does four things to an object that is written, in this order: it drops unknown fields ([`Schema::prune`]), fills in defaults
//! ([`Schema::default`]), checks types, ranges and lists, and evaluates the rules of `x-kubernetes-validations` ([`Schema::validate`]; rules need
//! the feature `cel`). Reads prune and default too ([`Schema::read`]), so that a changed schema applies to objects that were stored before.
//! [`check`] decides whether a schema is structural and its rules compile at bounded cost; it runs when a definition is written.
//!
//! Objects are raw [`serde_json::Value`]s, and errors are [`FieldError`]s with the paths, reasons and texts of the real API server. The crate does
//! no I/O, reads no clock, and knows nothing of HTTP, of storage, and of served kinds.
//!
//! ```
//! use kubewright_schema::{FieldReason, Schema, SchemaContext, check};
//! use serde_json::json;
//!
//! let declared = json!({"type": "object", "properties": {"spec": {"type": "object", "required": ["size"], "properties": {
//!     "size": {"type": "integer", "maximum": 10},
//!     "color": {"type": "string", "default": "red"},
//! }}}});
//! assert_eq!(check(&declared, "openAPIV3Schema", SchemaContext::default()), []);
//! let schema = Schema::compile(&declared);
//!
//! let mut object = json!({"apiVersion": "ex.io/v1", "kind": "Widget", "metadata": {"name": "w"}, "spec": {"size": 12, "sice": 1}});
//! assert_eq!(schema.prune(&mut object)?, ["spec.sice"]);
//! schema.default(&mut object);
//! assert_eq!(object["spec"], json!({"size": 12, "color": "red"}));
//!
//! let mut warnings = Vec::new();
//! let errors = schema.validate(&object, None, &mut warnings);
//! assert_eq!((errors[0].field.as_str(), errors[0].reason), ("spec.size", FieldReason::Invalid));
//! assert_eq!(errors[0].message, "Invalid value: 12: spec.size in body should be less than or equal to 10");
//! # Ok::<(), kubewright_schema::MetadataError>(())
//! ```
//!
//! See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definitions/#specifying-a-structural-schema>.
//!
//! Modules, from low to high: `go`, `field_error`, `path`, `limit`, `field_path`, `number`, `stack`, `format`, `cel`, `rules`, `node`,
//! `parse`, `default`, `prune`, `lists`, `metadata`, `object_meta`, `embedded`, `validate`, `evaluate`, `check`, `schema`.

#[cfg(feature = "cel")]
mod cel;
mod check;
mod default;
mod embedded;
#[cfg(feature = "cel")]
mod evaluate;
mod field_error;
pub mod field_path;
mod format;
pub mod go;
pub mod limit;
mod lists;
mod metadata;
mod node;
mod number;
mod object_meta;
mod parse;
mod path;
mod prune;
mod rules;
mod schema;
#[cfg(feature = "cel")]
mod stack;
mod validate;

#[cfg(test)]
mod tests;

pub use check::{SchemaContext, check};
pub use field_error::{FieldError, FieldReason};
pub use format::is_known as is_known_format;
pub use metadata::{MetadataError, coerce_managers, coerce_object_meta};
pub use object_meta::{MAX_ANNOTATION_BYTES, metadata_errors};
pub use path::ValuePath;
pub use schema::{Schema, is_about_rules};
