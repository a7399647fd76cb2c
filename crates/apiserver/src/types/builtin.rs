//! A built-in type as the request pipeline sees it.

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use serde_json::Value;

use super::{data::Definitions, defaults, normal, prepare, validate, warnings};
use crate::{
    kinds::{Endpoint, KindSpec},
    model::{Collision, Model, Preparation, WrongType},
    status::FieldError,
};

/// The form and the rules of one built-in kind.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    definition: &'static str,
}

impl Builtin {
    /// The model of a kind, if it is a built-in one.
    pub fn of(kind: &KindSpec) -> Option<Self> {
        if kind.is_custom() {
            return None;
        }
        let definition = Definitions::embedded().named(&kind.group, &kind.version, &kind.kind)?;
        Some(Self { definition })
    }

    /// The model of a built-in kind at a version.
    pub fn of_gvk(gvk: &GroupVersionKind) -> Option<Self> {
        Definitions::embedded().name_of(gvk).map(|definition| Self { definition })
    }

    /// The name of the published definition, such as `io.k8s.api.core.v1.Pod`.
    pub fn definition(self) -> &'static str {
        self.definition
    }

    /// The definition of the form in which an object is stored; two versions of a resource share one.
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
        // Another version of a stored kind may demand more than the stored form does.
        let errors = validate::validate(self.definition, object, stored, endpoint);
        if errors.is_empty() && endpoint == Endpoint::Main {
            warnings.extend(warnings::warnings(self.definition, object, stored));
        }
        errors
    }
}
