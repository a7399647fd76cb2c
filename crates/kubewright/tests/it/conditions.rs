//! Statuses that declare their conditions.

use k8s_openapi::api::apps::v1::DeploymentCondition;
use k8s_openapi::apimachinery::pkg::apis::meta::v1 as metav1;
use kubewright::core::condition::{ConditionManager, ConditionPolicy, Severity};
use kubewright::core::time::Timestamp;
use kubewright::prelude::*;

const SERVICE_AVAILABLE: &str = "ServiceAvailable";

/// A status with the framework's own field.
#[derive(ConditionSet, Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[conditions(ready = "Ready", dependents("ServiceAvailable", "Ready"), retired("Old"), severity(ServiceAvailable = "Warning"))]
#[serde(rename_all = "camelCase", default)]
struct WebStatus {
    observed_generation: Option<i64>,
    conditions: Conditions,
    address: String,
}

/// A status with the standard type of conditions, under another name.
#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize)]
#[conditions(succeeded = "Succeeded", dependents("Loaded"))]
struct JobStatus {
    #[conditions(list)]
    states: Vec<metav1::Condition>,
    #[conditions(observed_generation)]
    seen: Option<i64>,
}

/// A status with the conditions of a built-in kind, and no generation.
#[derive(ConditionSet, Clone, Debug, Default)]
struct BuiltInStatus {
    conditions: Option<Vec<DeploymentCondition>>,
}

fn manager<S: Conditioned>(status: &S) -> ConditionManager {
    let now = Timestamp::from_second(99).unwrap();
    let mut manager = ConditionManager::begin(S::condition_set(), ConditionPolicy::default(), &status.conditions(), now, Some(3));
    manager.initialize();
    manager
}

// CSET-1
#[test]
fn the_derive_declares_the_set() {
    let web = ConditionSet::living(["ServiceAvailable"]).retired(["Old"]).severity("ServiceAvailable", Severity::Warning);
    assert_eq!(WebStatus::condition_set(), web);
    assert_eq!(JobStatus::condition_set(), ConditionSet::batch(["Loaded"]));
    assert_eq!(BuiltInStatus::condition_set(), ConditionSet::living([]));
}

#[test]
fn a_reconciler_marks_conditions_in_its_status() {
    let mut status = WebStatus::default();
    let manager = manager(&status);
    assert!(status.begin_pass(manager).is_none());
    status.conditions.mark_false(SERVICE_AVAILABLE, "ServiceUnavailable", format!("service {:?} was not found", "web"));
    assert!(!status.conditions.is_happy());
    status.conditions.mark_true(SERVICE_AVAILABLE);
    assert!(status.conditions.is_happy());
    let list = status.take_manager().unwrap().finish();
    status.set_conditions(list.clone()).unwrap();
    assert_eq!(Conditioned::conditions(&status), list);
    status.set_observed_generation(Some(3));
    assert_eq!((status.observed_generation, Conditioned::observed_generation(&status)), (Some(3), Some(3)));
}

#[test]
fn statuses_with_other_types_of_conditions_work() {
    let mut status = JobStatus::default();
    let mut manager = status.begin_pass(manager(&status)).unwrap();
    manager.mark_true("Loaded");
    status.set_conditions(manager.finish()).unwrap();
    let written: Vec<_> = status.states.iter().map(|found| (found.type_.as_str(), found.status.as_str())).collect();
    assert_eq!(written, [("Loaded", "True"), ("Succeeded", "True")]);
    status.set_observed_generation(Some(3));
    assert_eq!((status.seen, status.take_manager().is_none()), (Some(3), true));

    let mut status = BuiltInStatus::default();
    assert!(status.conditions().is_empty());
    status.set_conditions(vec![Condition::new("Ready", true, "Reconciled", "")]).unwrap();
    assert_eq!(status.conditions.as_ref().unwrap()[0].reason.as_deref(), Some("Reconciled"));
    status.set_observed_generation(Some(3));
    assert_eq!(status.observed_generation(), None);
}
