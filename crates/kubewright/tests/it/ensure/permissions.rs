//! The permissions that children need.

use k8s_openapi::api::batch::v1::Job;
use kubewright::runtime::operator::rbac_documents;

use crate::reconcile::widget::{Script, Widgets};

// KID-3: the requests of `ensure` and `delete` are declared
#[test]
fn a_kind_of_children_is_declared_with_the_verbs_of_its_requests() {
    let operator = Widgets::operator_with(&Script::default(), kubewright::prelude::Controller::creates::<Job>);
    let roles = rbac_documents(&operator.declarations(), "test");
    let rules: Vec<_> = roles.iter().flat_map(|role| role["rules"].as_array().cloned().unwrap_or_default()).collect();
    let jobs: Vec<_> = rules.iter().filter(|rule| rule["resources"].to_string().contains("\"jobs\"")).collect();
    assert_eq!(jobs.len(), 1, "{rules:#?}");
    assert_eq!(jobs[0]["verbs"], serde_json::json!(["create", "delete", "get", "patch"]));
}
