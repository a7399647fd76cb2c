use std::time::Duration;

use kubewright_core::manifest::{AdoptionPolicy, DeletePolicy, PolicySettings, UpdatePolicy};
use schemars::{JsonSchema, schema_for};
use serde::{Deserialize, Serialize};
use serde_json::{Map, json};

use super::*;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Spec {
    #[serde(flatten)]
    placement: Placement,
    #[serde(flatten)]
    policies: Policies,
    #[serde(flatten)]
    requeue: Requeue,
    #[serde(flatten)]
    reapply: Reapply,
    #[serde(default)]
    suspend: Suspend,
    #[serde(flatten)]
    values: Values,
}

fn settings_of(spec: &Spec) -> Settings {
    let mut settings = Settings::default();
    spec.placement.contribute(&mut settings);
    spec.policies.contribute(&mut settings);
    spec.requeue.contribute(&mut settings);
    spec.reapply.contribute(&mut settings);
    spec.suspend.contribute(&mut settings);
    settings
}

#[test]
fn settings_are_read_from_the_spec_and_the_rest_is_values() {
    let spec: Spec = serde_json::from_value(json!({
        "namespace": "prod", "adoptionPolicy": "Never", "deletePolicy": "Orphan", "requeueInterval": "1m30s",
        "suspend": true, "replicas": 3,
    }))
    .unwrap();
    let settings = settings_of(&spec);
    assert_eq!(settings.namespace.as_deref(), Some("prod"));
    assert_eq!(settings.policies.delete_policy, Some(DeletePolicy::Orphan));
    assert_eq!(settings.requeue_interval, Some(Duration::from_secs(90).into()));
    assert!(settings.suspend);
    assert_eq!(spec.values.0, Map::from_iter([("replicas".to_owned(), json!(3))]));
}

#[test]
fn a_spec_survives_the_round_trip() {
    let json = json!({"name": "x", "updatePolicy": "SsaMerge", "reapplyInterval": "2h0m0s", "suspend": false, "a": {"b": 1}});
    let spec: Spec = serde_json::from_value(json.clone()).unwrap();
    assert_eq!(serde_json::to_value(&spec).unwrap(), json);
}

// COM-5, COM-6
#[test]
fn the_schema_holds_patterns_rules_and_room_for_values() {
    let schema = serde_json::to_value(schema_for!(Spec)).unwrap();
    let properties = &schema["properties"];
    assert_eq!(properties["requeueInterval"]["pattern"], r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$");
    assert_eq!(properties["reapplyInterval"]["x-kubernetes-validations"][0]["rule"], "duration(self) > duration('0s')");
    assert_eq!(schema["x-kubernetes-preserve-unknown-fields"], true);
    assert!(properties.get("namespace").is_some());
}

// COM-7
#[test]
fn the_component_wins_over_the_operator_and_that_over_the_default() {
    let defaults = OperatorDefaults {
        service_account: None,
        policies: PolicySettings {
            adoption_policy: Some(AdoptionPolicy::Always),
            update_policy: Some(UpdatePolicy::Recreate),
            ..PolicySettings::default()
        },
        reapply_interval: Some(Duration::from_mins(5).into()),
    };
    let settings = Settings {
        policies: PolicySettings { adoption_policy: Some(AdoptionPolicy::Never), ..PolicySettings::default() },
        ..Settings::default()
    };
    let effective = Effective::of(&settings, &defaults, ("ns", "demo")).unwrap();
    assert_eq!(effective.policies.adoption, AdoptionPolicy::Never);
    assert_eq!(effective.policies.update, UpdatePolicy::Recreate);
    assert_eq!(effective.policies.delete, DeletePolicy::Delete);
    assert_eq!(effective.policies.reapply_interval, Duration::from_mins(5));
    assert_eq!((effective.namespace.as_str(), effective.name.as_str()), ("ns", "demo"));
}

// COM-5
#[test]
fn zero_intervals_mean_the_default() {
    let settings = Settings {
        requeue_interval: Some(Duration::ZERO.into()),
        timeout: Some(Duration::from_mins(3).into()),
        ..Settings::default()
    };
    let effective = Effective::of(&settings, &OperatorDefaults::default(), ("ns", "demo")).unwrap();
    assert_eq!(effective.requeue_interval, Duration::from_mins(10));
    assert_eq!(effective.retry_interval, Duration::from_mins(10));
    assert_eq!(effective.timeout, Duration::from_mins(3));
}

// COM-4, COM-6
#[test]
fn a_reapply_interval_of_zero_is_refused() {
    let settings = Settings { reapply_interval: Some(Duration::ZERO.into()), ..Settings::default() };
    let error = Effective::of(&settings, &OperatorDefaults::default(), ("ns", "demo")).unwrap_err();
    assert_eq!(error.to_string(), "invalid value for spec.reapplyInterval: \"0s\" (allowed: a duration greater than zero)");
}

#[test]
fn an_invalid_duration_is_refused_with_the_allowed_form() {
    let error = serde_json::from_value::<Requeue>(json!({"requeueInterval": "10"})).unwrap_err().to_string();
    assert!(error.contains("\"10\" is not a duration (allowed: "), "{error}");
}

// VALUES-3
#[test]
fn absent_values_are_no_parameters() {
    assert_eq!(Setting::values(&None::<Values>), Some(Map::new()));
    assert_eq!(Setting::values(&None::<Timeout>), None);
}
