use std::borrow::Cow;
use std::collections::BTreeSet;

use kubewright_core::contract::OwnerCondition;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::part::properties;
use super::{NoPart, StandardForm, StatusForm, StatusPart, StatusPhase};

/// The status of an owner: the common part, and the part that its components publish, flattened into one object (OL-3).
///
/// ```
/// use kubewright_contract::{NoPart, OwnerStatus};
///
/// type PlatformStatus = OwnerStatus<NoPart>;
/// assert_eq!(serde_json::to_string(&PlatformStatus::default()).unwrap(), "{}");
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", bound = "")]
#[non_exhaustive]
pub struct OwnerStatus<P: StatusPart = NoPart, F: StatusForm = StandardForm> {
    /// The generation that the last pass ran on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// The generation of the last pass that succeeded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_generation: Option<i64>,
    /// The phase.
    #[serde(flatten)]
    pub phase: StatusPhase<F>,
    /// The reason why the owner is not ready, as a text for users.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The conditions of the components, those of the owner itself, and the summary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<OwnerCondition>,
    /// The last token of a requested pass that was processed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handled_request: Option<String>,
    /// The part that components publish.
    #[serde(flatten)]
    pub published: P,
}

impl<P: StatusPart, F: StatusForm> OwnerStatus<P, F> {
    /// Returns the properties that the published part shares with the common part.
    pub(crate) fn shared_properties() -> BTreeSet<String> {
        let common = ["observedGeneration", "appliedGeneration", F::PHASE, "message", "conditions", "handledRequest"];
        properties::<P>().into_iter().filter(|property| common.contains(&property.as_str())).collect()
    }
}

impl<P: StatusPart, F: StatusForm> Default for OwnerStatus<P, F> {
    fn default() -> Self {
        Self {
            observed_generation: None,
            applied_generation: None,
            phase: StatusPhase::default(),
            message: None,
            conditions: Vec::new(),
            handled_request: None,
            published: P::default(),
        }
    }
}

impl<P: StatusPart, F: StatusForm> JsonSchema for OwnerStatus<P, F> {
    fn schema_name() -> Cow<'static, str> {
        format!("OwnerStatusOf{}", P::schema_name()).into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let number = || json_schema!({ "type": "integer", "format": "int64" }).to_value();
        let text = || json_schema!({ "type": "string" }).to_value();
        let conditions = json_schema!({
            "type": "array",
            "items": OwnerCondition::json_schema(generator),
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["managedBy", "type"],
        });
        let mut properties = Map::new();
        properties.insert("observedGeneration".to_owned(), number());
        properties.insert("appliedGeneration".to_owned(), number());
        properties.insert(F::PHASE.to_owned(), text());
        properties.insert("message".to_owned(), text());
        properties.insert("conditions".to_owned(), conditions.to_value());
        properties.insert("handledRequest".to_owned(), text());
        if let Some(Value::Object(part)) = P::json_schema(generator).get("properties") {
            properties.extend(part.clone());
        }
        json_schema!({ "type": "object", "properties": properties })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::OpenmcpForm;
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct Endpoint {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        endpoint: Option<String>,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    struct Shared {
        status: Option<String>,
    }

    // OL-3, AGG-4, 13.13
    #[test]
    fn both_parts_are_one_object_and_the_phase_has_the_name_of_the_form() {
        let condition = json!({
            "type": "ApiServerHealthy", "status": "True", "lastTransitionTime": "2026-01-01T00:00:00Z", "reason": "Up", "message": "",
            "managedBy": "ApiServer",
        });
        let standard = json!({ "observedGeneration": 3, "phase": "Ready", "conditions": [condition], "endpoint": "https://a" });
        let read: OwnerStatus<Endpoint> = serde_json::from_value(standard.clone()).unwrap();
        assert_eq!(read.published.endpoint.as_deref(), Some("https://a"));
        assert_eq!(read.conditions[0].managed_by, "ApiServer");
        assert_eq!(serde_json::to_value(&read).unwrap(), standard);
        let openmcp = json!({ "status": "Not Ready", "endpoint": "https://a" });
        let read: OwnerStatus<Endpoint, OpenmcpForm> = serde_json::from_value(openmcp.clone()).unwrap();
        assert_eq!(read.phase.phase.as_deref(), Some("Not Ready"));
        assert_eq!(serde_json::to_value(&read).unwrap(), openmcp);
    }

    // 13.3
    #[test]
    fn properties_of_the_framework_are_found_in_the_published_part() {
        assert!(OwnerStatus::<Shared>::shared_properties().is_empty());
        assert_eq!(OwnerStatus::<Shared, OpenmcpForm>::shared_properties(), BTreeSet::from(["status".to_owned()]));
    }
}
