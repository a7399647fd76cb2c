//! The model of a kind.

use std::sync::Arc;

use crate::definition::DefinitionModel;
use crate::kinds::KindSpec;
use crate::model::{Anything, Model};
use crate::types::Builtin;

/// Returns the model of a kind.
pub(crate) fn model_of(kind: &KindSpec) -> Arc<dyn Model> {
    if let Some(custom) = &kind.custom {
        return custom.model.clone();
    }
    kind.derived.model.get_or_init(|| builtin(kind)).clone()
}

fn builtin(kind: &KindSpec) -> Arc<dyn Model> {
    if kind.kind == "CustomResourceDefinition" {
        return Arc::new(DefinitionModel::new(Builtin::of(kind)));
    }
    match Builtin::of(kind) {
        Some(builtin) => Arc::new(builtin),
        None => Arc::new(Anything),
    }
}
