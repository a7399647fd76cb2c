//! The parts of a kind that only custom resources have.

use std::sync::Arc;

use super::path::FieldPath;
use crate::model::Model;
use crate::smd::Type;

/// The part of a kind that comes from its CustomResourceDefinition.
#[derive(Clone, Debug)]
pub struct CustomKind {
    /// The name of the definition, `plural.group`.
    pub definition: String,
    /// True if the definition is being deleted; objects can then no longer be created, updated or patched.
    pub terminating: bool,
    /// The fields of `selectableFields`, which field selectors accept besides name and namespace.
    pub selectable_fields: Vec<FieldPath>,
    /// A crate feature that is needed to check the objects but not compiled in; writes are then refused.
    pub missing_feature: Option<&'static str>,
    /// The schema of its objects as published: `openAPIV3Schema`.
    pub schema: serde_json::Value,
    /// The composition of the objects, for field ownership.
    pub composition: Arc<Type>,
    /// The schema of the storage version, if it is not this version; it decides which fields are kept.
    pub storage_model: Option<Arc<dyn Model>>,
    /// The schema of its objects, compiled.
    pub model: Arc<dyn Model>,
}

/// One of a definition's `additionalPrinterColumns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The heading.
    pub name: String,
    /// OpenAPI type: string, integer, number, boolean or date.
    pub type_: String,
    /// OpenAPI format, possibly empty.
    pub format: String,
    /// The description of the column, possibly empty.
    pub description: String,
    /// 0: always shown; above 0: only with `-o wide`.
    pub priority: i64,
    /// A JSONPath into the object, such as `.spec.replicas`.
    pub json_path: String,
}
