//! What only custom resources have.

use std::sync::Arc;

use crate::model::Model;
use crate::smd::Type;

use super::path::FieldPath;

/// The part of a kind that comes from its CustomResourceDefinition.
#[derive(Clone, Debug)]
pub struct CustomKind {
    /// The name of the definition, `plural.group`.
    pub definition: String,
    /// Whether the definition is being deleted: nothing can be created, updated or patched any more.
    pub terminating: bool,
    /// Fields that `selectableFields` names, usable in field selectors besides name and namespace.
    pub selectable_fields: Vec<FieldPath>,
    /// A feature of this crate without which its objects cannot be checked, and so not be written.
    pub missing_feature: Option<&'static str>,
    /// The schema of its objects as published: `openAPIV3Schema`.
    pub schema: serde_json::Value,
    /// How its objects are put together, for the ownership of their fields.
    pub composition: Arc<Type>,
    /// The schema of the version that its objects are stored in, where that is another one: it has the last word on what is kept.
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
    /// What the column shows, possibly empty.
    pub description: String,
    /// 0: always shown; above: only with `-o wide`.
    pub priority: i64,
    /// A JSONPath into the object, such as `.spec.replicas`.
    pub json_path: String,
}
