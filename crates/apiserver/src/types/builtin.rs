//! The model of a built-in type for the request pipeline.

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use kubewright_schema::FieldError;
use serde_json::Value;

use super::{defaults, normal, prepare, validate, warnings};
use crate::forms::Definitions;
use crate::kinds::KindSpec;
use crate::model::{Collision, Endpoint, Model, Preparation, WrongType};

/// The form and the rules of one built-in kind.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    definition: &'static str,
}

impl Builtin {
    /// Returns the model of a kind, if the kind is built in.
    pub fn of(kind: &KindSpec) -> Option<Self> {
        if kind.is_custom() {
            return None;
        }
        let definition = Definitions::embedded().named(&kind.group, &kind.version, &kind.kind)?;
        Some(Self { definition })
    }

    /// Returns the model of a built-in kind at a version.
    pub fn of_gvk(gvk: &GroupVersionKind) -> Option<Self> {
        Definitions::embedded().name_of(gvk).map(|definition| Self { definition })
    }

    /// Returns the name of the published definition, such as `io.k8s.api.core.v1.Pod`.
    pub fn definition(self) -> &'static str {
        self.definition
    }

    /// Returns the definition of the form in which an object is stored, which two versions of a resource share.
    fn stored_definition(self, object: &Value) -> &'static str {
        let api_version = object.api_version();
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Definitions::embedded().named(group, version, object.kind()).unwrap_or(self.definition)
    }
}

impl Model for Builtin {
    fn normalise(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType> {
        normal::normalise(self.definition, object, unknown)
    }

    fn default(&self, object: &mut Value) {
        defaults::default(self.definition, object);
    }

    fn prepare(&self, object: &mut Value, stored: Option<&Value>, context: &Preparation<'_>) {
        prepare::prepare(self.stored_definition(object), object, stored, context);
    }

    fn allocates(&self) -> bool {
        prepare::allocates(self.definition)
    }

    fn collision(
        &self,
        object: &Value,
        stored: Option<&Value>,
        errors: &[FieldError],
        context: &Preparation<'_>,
    ) -> Option<Collision> {
        prepare::collision(self.stored_definition(object), object, stored, errors, context)
    }

    fn validate(
        &self,
        object: &Value,
        stored: Option<&Value>,
        endpoint: Endpoint<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        // The definition is that of the requested version, which may be stricter than the stored version.
        let errors = validate::validate(self.definition, object, stored, endpoint);
        if errors.is_empty() && endpoint == Endpoint::Main {
            warnings.extend(warnings::warnings(self.definition, object, stored));
        }
        errors
    }
}
