use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use kubewright_core::contract::{Generations, Provenance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::StatusForm;

/// Generations in a status, under the names of a form.
pub struct StatusGenerations<F> {
    /// The generations.
    pub generations: Generations,
    form: PhantomData<fn() -> F>,
}

impl<F> From<Generations> for StatusGenerations<F> {
    fn from(generations: Generations) -> Self {
        Self { generations, form: PhantomData }
    }
}

impl<F> Clone for StatusGenerations<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for StatusGenerations<F> {}

impl<F> fmt::Debug for StatusGenerations<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.generations.fmt(f)
    }
}

impl<F: StatusForm> Serialize for StatusGenerations<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (fields, Generations { resource, provenance }) = (F::GENERATIONS, self.generations);
        let numbers = [(fields.resource, resource), (fields.owner, provenance.owner), (fields.internal, provenance.internal)];
        serializer.collect_map(numbers)
    }
}

impl<'de, F: StatusForm> Deserialize<'de> for StatusGenerations<F> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = Map::deserialize(deserializer)?;
        let number = |field: &str| {
            let number = numbers.get(field).and_then(Value::as_i64);
            number.ok_or_else(|| D::Error::custom(format!("generation {field:?} is missing or no integer")))
        };
        let fields = F::GENERATIONS;
        let provenance = Provenance { owner: number(fields.owner)?, internal: number(fields.internal)? };
        Ok(Generations { resource: number(fields.resource)?, provenance }.into())
    }
}

impl<F: StatusForm> JsonSchema for StatusGenerations<F> {
    fn schema_name() -> Cow<'static, str> {
        "Generations".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let fields = F::GENERATIONS;
        let number = || json_schema!({ "type": "integer", "format": "int64" }).to_value();
        let properties: Map<String, Value> =
            [fields.resource, fields.owner, fields.internal].map(|field| (field.to_owned(), number())).into_iter().collect();
        json_schema!({ "type": "object", "properties": properties })
    }
}
