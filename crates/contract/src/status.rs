//! The status of a component: a part of the framework, one for the customer, and one that stays on the component (flow-and-contract.md, 13.3).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::marker::PhantomData;

use kubewright_core::condition::Conditions;
use kubewright_core::contract::{GenerationFields, Generations, Provenance};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// A part of a component's status, all of whose fields are optional. Every type that fits has it.
pub trait StatusPart: Clone + fmt::Debug + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

impl<P> StatusPart for P where P: Clone + fmt::Debug + Default + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static {}

/// A part without fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct NoPart {}

/// The names of the fields in the common part of a status.
pub trait StatusForm: fmt::Debug + Send + Sync + 'static {
    /// The names of the generations.
    const GENERATIONS: GenerationFields;
}

/// The names of the standard format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardForm {}

impl StatusForm for StandardForm {
    const GENERATIONS: GenerationFields = GenerationFields::STANDARD;
}

/// The names of the openmcp mcp-operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenmcpForm {}

impl StatusForm for OpenmcpForm {
    const GENERATIONS: GenerationFields = GenerationFields::OPENMCP;
}

/// The status of a component: the common part, the external part that the owner shows, and the private part, flattened into one object.
///
/// ```
/// use kubewright_contract::{ContractStatus, NoPart};
///
/// type ApiServerStatus = ContractStatus<NoPart, NoPart>;
/// assert_eq!(serde_json::to_string(&ApiServerStatus::default()).unwrap(), "{}");
/// ```
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound = "")]
#[non_exhaustive]
pub struct ContractStatus<E: StatusPart = NoPart, P: StatusPart = NoPart, F: StatusForm = StandardForm> {
    /// The conditions.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
    /// The generations that the last pass ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generations: Option<StatusGenerations<F>>,
    /// The generations of the last pass that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_generations: Option<StatusGenerations<F>>,
    /// The last token of a requested pass that was worked on (OPA-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled_request: Option<String>,
    /// The part that is copied to the owner, where the customer sees it.
    #[serde(flatten)]
    pub external: E,
    /// The part that stays here.
    #[serde(flatten)]
    pub private: P,
}

impl<E: StatusPart, P: StatusPart, F: StatusForm> ContractStatus<E, P, F> {
    /// The properties that two parts have. Without any, nothing is lost by putting all parts into one object.
    pub(crate) fn shared_properties() -> BTreeSet<String> {
        let common = ["conditions", "observedGenerations", "appliedGenerations", "handledRequest"].map(str::to_owned);
        let mut seen = BTreeSet::from(common);
        let all = properties::<E>().into_iter().chain(properties::<P>());
        all.filter(|property| !seen.insert(property.clone())).collect()
    }
}

fn properties<T: JsonSchema>() -> BTreeSet<String> {
    let schema = SchemaGenerator::default().into_root_schema_for::<T>();
    let properties = schema.get("properties").and_then(Value::as_object).map(|properties| properties.keys().cloned().collect());
    properties.unwrap_or_default()
}

impl<E: StatusPart, P: StatusPart, F: StatusForm> Default for ContractStatus<E, P, F> {
    fn default() -> Self {
        Self {
            conditions: Conditions::default(),
            observed_generations: None,
            applied_generations: None,
            handled_request: None,
            external: E::default(),
            private: P::default(),
        }
    }
}

impl<E: StatusPart, P: StatusPart, F: StatusForm> Clone for ContractStatus<E, P, F> {
    fn clone(&self) -> Self {
        Self {
            conditions: self.conditions.clone(),
            observed_generations: self.observed_generations,
            applied_generations: self.applied_generations,
            handled_request: self.handled_request.clone(),
            external: self.external.clone(),
            private: self.private.clone(),
        }
    }
}

impl<E: StatusPart, P: StatusPart, F: StatusForm> JsonSchema for ContractStatus<E, P, F> {
    fn schema_name() -> Cow<'static, str> {
        format!("ContractStatusOf{}And{}", E::schema_name(), P::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let generations = generator.subschema_for::<StatusGenerations<F>>();
        let mut properties = Map::new();
        properties.insert("conditions".to_owned(), generator.subschema_for::<Conditions>().to_value());
        properties.insert("observedGenerations".to_owned(), generations.clone().to_value());
        properties.insert("appliedGenerations".to_owned(), generations.to_value());
        properties.insert("handledRequest".to_owned(), json_schema!({ "type": "string" }).to_value());
        for part in [E::json_schema(generator), P::json_schema(generator)] {
            if let Some(Value::Object(part)) = part.get("properties") {
                properties.extend(part.clone());
            }
        }
        json_schema!({ "type": "object", "properties": properties })
    }
}

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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct Endpoint {
        endpoint: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "camelCase")]
    struct Kubeconfig {
        handled_request: Option<String>,
    }

    // 13.3, PRE-1
    #[test]
    fn all_parts_are_one_object_and_generations_have_the_names_of_the_form() {
        let standard = json!({
            "observedGenerations": {"resource": 3, "owner": 2, "internal": -1}, "handledRequest": "now", "endpoint": "https://a",
        });
        let read: ContractStatus<Endpoint> = serde_json::from_value(standard.clone()).unwrap();
        assert_eq!(read.external.endpoint.as_deref(), Some("https://a"));
        assert_eq!(serde_json::to_value(&read).unwrap(), standard);
        let openmcp = json!({"observedGenerations": {"resource": 3, "managedControlPlane": 2, "internalConfiguration": 1}, "endpoint": null});
        let read: ContractStatus<Endpoint, NoPart, OpenmcpForm> = serde_json::from_value(openmcp.clone()).unwrap();
        assert_eq!(read.observed_generations.unwrap().generations.provenance, Provenance::new(2, Some(1)));
        assert_eq!(serde_json::to_value(&read).unwrap(), openmcp);
    }

    // 13.3
    #[test]
    fn the_schema_has_the_properties_of_all_parts() {
        let schema = SchemaGenerator::default().into_root_schema_for::<ContractStatus<Endpoint>>();
        let properties: Vec<&String> = schema.get("properties").and_then(Value::as_object).unwrap().keys().collect();
        assert_eq!(properties, ["appliedGenerations", "conditions", "endpoint", "handledRequest", "observedGenerations"]);
    }

    // 13.3
    #[test]
    fn properties_that_two_parts_have_are_found() {
        assert!(ContractStatus::<Endpoint, NoPart>::shared_properties().is_empty());
        assert_eq!(ContractStatus::<Endpoint, Endpoint>::shared_properties(), BTreeSet::from(["endpoint".to_owned()]));
        assert_eq!(ContractStatus::<Endpoint, Kubeconfig>::shared_properties(), BTreeSet::from(["handledRequest".to_owned()]));
    }
}
