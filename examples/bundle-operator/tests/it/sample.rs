use kubewright::machinery::yaml;
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOptions};

// MAN-1, WAVE-2
#[tokio::test]
async fn the_sample_becomes_ready_and_its_deletion_removes_its_custom_resource_definition() {
    let cluster = TestCluster::start_with(TestOptions::default().exclusive()).await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let mut sample = yaml::document(include_str!("../../sample.yaml")).unwrap();
    sample["metadata"]["namespace"] = json!(cluster.namespace());
    cluster.apply(&sample).await;
    let ready = cluster.expect::<bundle_operator::Bundle>("demo").ready().await;
    assert_eq!(ready["status"]["inventory"].as_array().unwrap().len(), 4);
    cluster.delete::<bundle_operator::Bundle>("demo").await;
    cluster.expect::<bundle_operator::Bundle>("demo").to_be_gone().await;
    let definition = kube::core::GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    assert_eq!(cluster.get_object(&definition, "greetings.sample.kubewright.dev").await, None);
    operator.stop().await;
    cluster.stop().await;
}

// COM-2
#[tokio::test]
async fn a_server_has_nothing_to_warn_about_in_the_definition() {
    let cluster = TestCluster::start().await;
    assert_eq!(cluster.crd_warnings(&bundle_operator::operator().into()).await, [""; 0]);
    cluster.stop().await;
}
