//! The owners of an object's replicas, as owners of its Scale.

use std::sync::Arc;

use kubewright_machinery::fieldset::{FieldSet, Path};
use kubewright_machinery::object::GroupVersionKind;
use serde_json::{Value, json};

use super::view::{API_VERSION, KIND};
use crate::api::ObjectApi;
use crate::api::ownership::Served;
use crate::kinds::KindSpec;
use crate::model::Model as _;
use crate::smd::{FieldOwnership, Managers, Shown, Type, Versions};
use crate::types::Builtin;

/// The inputs of ownership for a write to a Scale.
#[derive(Debug)]
pub(super) struct ScaleOwnership {
    parent: Served,
    parent_version: String,
    scale: ScaleType,
    nothing: FieldSet,
    blank: Value,
}

/// The type of Scales, which have one version.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScaleType(Option<Builtin>);

impl ScaleType {
    pub(super) fn new() -> Self {
        Self(Builtin::of_gvk(&GroupVersionKind::new("autoscaling", "v1", KIND)))
    }

    /// Normalises a Scale, as the pipeline does with objects.
    pub(super) fn normalise(self, scale: &mut Value, unknown: &mut Vec<String>) -> Result<(), String> {
        let Some(builtin) = self.0 else { return Ok(()) };
        builtin.normalise(scale, unknown).map_err(|wrong| wrong.0)?;
        builtin.default(scale);
        Ok(())
    }

    /// Returns the name of the published definition.
    pub(super) fn definition(self) -> &'static str {
        self.0.map_or("", Builtin::definition)
    }
}

impl Versions for ScaleType {
    fn type_at(&self, api_version: &str) -> Option<&Type> {
        if api_version == API_VERSION { self.0.and_then(|builtin| Type::builtin(builtin.definition())) } else { None }
    }

    fn convert(&self, object: &Value, _: &str) -> Value {
        object.clone()
    }
}

impl ScaleOwnership {
    pub(super) fn new(api: &ObjectApi, kind: &Arc<KindSpec>) -> Self {
        let scale = ScaleType::new();
        let mut blank = json!({"apiVersion": API_VERSION, "kind": KIND, "metadata": {}});
        // The empty object has no value of a wrong type.
        let _ = scale.normalise(&mut blank, &mut Vec::new());
        Self { parent: Served::new(api, kind), parent_version: kind.api_version(), scale, nothing: FieldSet::new(), blank }
    }

    /// Returns the ownership rules for the fields of the Scale.
    pub(super) fn ownership(&self) -> FieldOwnership<'_> {
        FieldOwnership {
            versions: &self.scale,
            api_version: API_VERSION,
            subresource: "scale",
            reset: &self.nothing,
            blank: &self.blank,
        }
    }

    /// Returns the managers of the replicas, as managers of the Scale.
    pub(super) fn of_scale(&self, parent: &Managers) -> Managers {
        self.shown(|shown| parent.shown(shown))
    }

    /// Returns the managers of the object, given the new managers of its Scale.
    pub(super) fn of_parent(&self, parent: Managers, scale: Managers) -> Managers {
        self.shown(|shown| parent.take_back(scale, shown))
    }

    fn shown<T>(&self, with: impl FnOnce(&Shown<'_>) -> T) -> T {
        let at = |api_version: &str| {
            let kind = self.parent.kind_at(api_version)?;
            Some(kind.scale.as_ref().map(|scale| Path::fields(scale.spec_replicas.members().iter().map(String::as_str))))
        };
        with(&Shown {
            at: &at,
            api_version: &self.parent_version,
            view_version: API_VERSION,
            view_path: Path::fields(["spec", "replicas"]),
        })
    }
}
