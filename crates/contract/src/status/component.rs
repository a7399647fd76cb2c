use std::borrow::Cow;
use std::collections::BTreeSet;

use kubewright_core::condition::Conditions;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::part::properties;
use super::{NoPart, StandardForm, StatusForm, StatusGenerations, StatusPart};

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
    /// The last token of a requested pass that was processed (OPA-6).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled_request: Option<String>,
    /// The part that is copied to the owner, which shows it to the customer.
    #[serde(flatten)]
    pub external: E,
    /// The part that stays on the component.
    #[serde(flatten)]
    pub private: P,
}

impl<E: StatusPart, P: StatusPart, F: StatusForm> ContractStatus<E, P, F> {
    /// Returns the properties that occur in two parts. Such properties would be lost when all parts are put into one object.
    pub(crate) fn shared_properties() -> BTreeSet<String> {
        let common = ["conditions", "observedGenerations", "appliedGenerations", "handledRequest"].map(str::to_owned);
        let mut seen = BTreeSet::from(common);
        let all = properties::<E>().into_iter().chain(properties::<P>());
        all.filter(|property| !seen.insert(property.clone())).collect()
    }
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

#[cfg(test)]
mod tests {
    use kubewright_core::contract::Provenance;
    use serde_json::json;

    use super::super::OpenmcpForm;
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
