use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Interval, ManagedType, Settings};

/// The parameters of a component for generators: a JSON map.
pub type Parameters = Map<String, Value>;

/// Returns the parameters of a spec without a [`Values`] field: the whole spec.
pub fn parameters_of<S: Serialize + ?Sized>(spec: &S) -> Parameters {
    match serde_json::to_value(spec) {
        Ok(Value::Object(parameters)) => parameters,
        _ => Parameters::new(),
    }
}

/// A part of a spec that contains settings for the framework.
///
/// Fields of such a type are recognised by `#[derive(Component)]`, whatever their name. Custom types that bundle several settings implement it,
/// too.
pub trait Setting {
    /// Adds the settings of this part.
    fn contribute(&self, settings: &mut Settings);

    /// Returns the values of this part, if it holds values.
    fn values(&self) -> Option<Parameters> {
        None
    }

    /// Returns true for a type of values. An absent part of such a type has no values, instead of those of the whole spec.
    fn holds_values() -> bool
    where
        Self: Sized,
    {
        false
    }
}

impl<T: Setting> Setting for Option<T> {
    fn contribute(&self, settings: &mut Settings) {
        if let Some(setting) = self {
            setting.contribute(settings);
        }
    }

    fn values(&self) -> Option<Parameters> {
        match self {
            Some(setting) => setting.values(),
            None => T::holds_values().then(Parameters::new),
        }
    }

    fn holds_values() -> bool {
        T::holds_values()
    }
}

/// Where the dependents go. Flattened into the spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Placement {
    /// The namespace for dependents that name none. Default: that of the component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    /// The name under which the component is deployed. Default: that of the component.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl Setting for Placement {
    fn contribute(&self, settings: &mut Settings) {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        settings.namespace = given(&self.namespace);
        settings.name = given(&self.name);
    }
}

/// Stops applying while true; deletion goes on. A field of its own: `#[serde(default)] suspend: Suspend`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
#[allow(clippy::exhaustive_structs)]
pub struct Suspend(pub bool);

impl Setting for Suspend {
    fn contribute(&self, settings: &mut Settings) {
        settings.suspend = self.0;
    }
}

/// When a component that is Ready is looked at again without an event. Flattened into the spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Requeue {
    /// How often the component is looked at again when nothing happens. Default: 10m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requeue_interval: Option<Interval>,
}

impl Setting for Requeue {
    fn contribute(&self, settings: &mut Settings) {
        settings.requeue_interval = self.requeue_interval;
    }
}

/// When a component that waits is looked at again without an event. Flattened into the spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Retry {
    /// The delay after a wait that names none. Default: the requeue interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_interval: Option<Interval>,
}

impl Setting for Retry {
    fn contribute(&self, settings: &mut Settings) {
        settings.retry_interval = self.retry_interval;
    }
}

/// How long processing may take before it is reported as an error. Flattened into the spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Timeout {
    /// How long processing may take before it is reported as an error. Default: the requeue interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<Interval>,
}

impl Setting for Timeout {
    fn contribute(&self, settings: &mut Settings) {
        settings.timeout = self.timeout;
    }
}

/// The setting of the interval after which dependents are applied again although no change is known. Flattened into the spec.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Reapply {
    /// The interval after which dependents are applied again. Must be greater than zero. Default: that of the operator, 60m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reapply_interval: Option<Interval>,
}

impl JsonSchema for Reapply {
    fn schema_name() -> Cow<'static, str> {
        "Reapply".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut interval = Interval::json_schema(generator);
        interval.insert("nullable".to_owned(), Value::Bool(true));
        interval.insert(
            "description".to_owned(),
            "After how long dependents are applied again. Must be greater than zero. Default: that of the operator, 60m.".into(),
        );
        interval.insert(
            "x-kubernetes-validations".to_owned(),
            serde_json::json!([{
                "rule": "duration(self) > duration('0s')",
                "message": "must be greater than zero",
            }]),
        );
        json_schema!({ "type": "object", "properties": { "reapplyInterval": interval } })
    }
}

impl Setting for Reapply {
    fn contribute(&self, settings: &mut Settings) {
        settings.reapply_interval = self.reapply_interval;
    }
}

/// Types whose instances the component manages although no dependent declares them. Flattened into the spec.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ManagedTypes {
    /// Further types whose instances come last when applying and hold back deletion.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub additional_managed_types: Vec<ManagedType>,
}

impl Setting for ManagedTypes {
    fn contribute(&self, settings: &mut Settings) {
        settings.additional_managed_types.clone_from(&self.additional_managed_types);
    }
}

/// The parameters of the generator: all fields of the spec that no other field takes. Flattened, as the last field.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
#[allow(clippy::exhaustive_structs)]
pub struct Values(pub Map<String, Value>);

impl JsonSchema for Values {
    fn schema_name() -> Cow<'static, str> {
        "Values".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true })
    }
}

impl Setting for Values {
    fn contribute(&self, _: &mut Settings) {}

    fn values(&self) -> Option<Parameters> {
        Some(self.0.clone())
    }

    fn holds_values() -> bool {
        true
    }
}

macro_rules! interval_setting {
    ($($type:ident { $field:ident }),*) => {$(
        impl $type {
            /// Creates the setting with this interval.
            pub fn every(interval: std::time::Duration) -> Self {
                Self { $field: Some(interval.into()) }
            }
        }
    )*};
}

interval_setting!(Requeue { requeue_interval }, Retry { retry_interval }, Reapply { reapply_interval });

impl Timeout {
    /// Creates the setting with this time.
    pub fn after(timeout: std::time::Duration) -> Self {
        Self { timeout: Some(timeout.into()) }
    }
}
