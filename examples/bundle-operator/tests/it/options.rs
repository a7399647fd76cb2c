//! The options that a Bundle has besides its sources.

use bundle_operator::{Bundle, NAME};
use k8s_openapi::api::core::v1::{ConfigMap, Namespace};
use kube::api::{Api, Patch, PatchParams};
use kube::core::GroupVersionKind;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use crate::world::{bundle, config_map, message, text};

/// Returns the spec of a bundle of ConfigMap `one`.
fn one(value: &str) -> Value {
    json!({ "manifests": text(&[config_map("one", "value", value)]) })
}

/// Returns a spec with another option.
fn with(mut spec: Value, option: &str, value: impl Into<Value>) -> Value {
    spec[option] = value.into();
    spec
}

async fn value_of_one(cluster: &TestCluster) -> Value {
    cluster.get::<ConfigMap>("one").await.map(|mut map| map["data"]["value"].take()).unwrap_or_default()
}

/// A kind whose objects are ready when a test says so.
struct Thing {
    kind: GroupVersionKind,
}

impl Thing {
    async fn install(cluster: &TestCluster) -> Self {
        let group = format!("{}.testing.kubewright.dev", cluster.namespace());
        let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
        let definition = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("things.{group}") },
            "spec": {
                "group": group, "scope": "Namespaced",
                "names": { "plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList" },
                "versions": [{
                    "name": "v1", "served": true, "storage": true,
                    "schema": { "openAPIV3Schema": schema }, "subresources": { "status": {} },
                }],
            },
        });
        cluster.install_crd(&definition).await;
        Self { kind: GroupVersionKind::gvk(&group, "v1", "Thing") }
    }

    /// Returns an object of the kind, of which readiness is a condition.
    fn object(&self, name: &str) -> Value {
        let annotations = json!({ format!("{NAME}/status-hint"): "has-ready-condition" });
        json!({
            "apiVersion": format!("{}/v1", self.kind.group), "kind": "Thing", "metadata": { "name": name, "annotations": annotations },
        })
    }

    async fn uninstall(self, cluster: &TestCluster) {
        let definitions = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        cluster.delete_object(&definitions, &format!("things.{}", self.kind.group)).await;
    }
}

#[tokio::test]
async fn dependents_go_to_the_namespace_of_the_spec_and_releases_have_its_name() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let template = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: \"{{ .Release.Name }}-in-{{ .Release.Namespace }}\"}\n";
    let chart = json!({ "Chart.yaml": "apiVersion: v2\nname: hello\nversion: 1.0.0\n", "map": template });
    cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "chart" }, "data": chart })).await;
    let far = format!("{}-far", cluster.namespace());
    let items = json!([{ "key": "map", "path": "templates/map.yaml" }]);
    let spec = with(one("a"), "charts", json!([{ "files": { "name": "chart", "items": items } }]));
    let spec = with(with(spec, "namespace", far.as_str()), "name", "web");
    cluster.apply(bundle("demo", spec)).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.expect::<ConfigMap>("one").in_namespace(&far).to_exist().await;
    cluster.expect::<ConfigMap>(&format!("web-in-{far}")).in_namespace(&far).to_exist().await;
    assert!(cluster.get::<ConfigMap>("one").await.is_none());
    cluster.delete::<Bundle>("demo").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    cluster.expect::<ConfigMap>("one").in_namespace(&far).to_be_gone().await;
    let namespaces: Api<Namespace> = Api::all(cluster.client().clone());
    namespaces.delete(&far, &kube::api::DeleteParams::background()).await.unwrap();
    operator.stop().await;
    cluster.stop().await;
}

// NS-1
#[tokio::test]
async fn a_missing_namespace_is_not_created_if_the_spec_says_so() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let far = format!("{}-far", cluster.namespace());
    let spec = with(with(one("a"), "namespace", far.as_str()), "missingNamespacesPolicy", "DoNotCreate");
    cluster.apply(bundle("demo", spec)).await;
    let waiting = cluster.expect::<Bundle>("demo").condition("Ready", "Unknown", "Retrying").await;
    assert!(message(&waiting).contains(&far), "{}", message(&waiting));
    let namespaces: Api<Namespace> = Api::all(cluster.client().clone());
    assert!(namespaces.get_opt(&far).await.unwrap().is_none());
    operator.stop().await;
    cluster.stop().await;
}

// OWN-1
#[tokio::test]
async fn an_object_without_owner_is_adopted_if_the_spec_says_so() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(config_map("one", "value", "foreign")).await;
    cluster.apply(bundle("demo", with(one("a"), "adoptionPolicy", "Never"))).await;
    let says = |bundle: &Value| message(bundle).contains("without owner") && bundle["status"]["state"] == "Error";
    cluster.expect::<Bundle>("demo").matching("its message is about the owner", says).await;
    assert_eq!(value_of_one(&cluster).await, "foreign");
    cluster.patch::<Bundle>("demo", json!({ "spec": { "adoptionPolicy": "Always" } })).await;
    cluster.expect::<Bundle>("demo").ready().await;
    assert_eq!(value_of_one(&cluster).await, "a");
    operator.stop().await;
    cluster.stop().await;
}

// A6
#[tokio::test]
async fn a_changed_object_is_another_one_under_update_policy_recreate() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(bundle("demo", with(one("a"), "updatePolicy", "Recreate"))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    let first = cluster.get::<ConfigMap>("one").await.unwrap();
    cluster.patch::<Bundle>("demo", json!({ "spec": one("b") })).await;
    let has_changed = |map: &Value| map["data"]["value"] == "b";
    let second = cluster.expect::<ConfigMap>("one").matching("it has the new value", has_changed).await;
    assert_ne!(first["metadata"]["uid"], second["metadata"]["uid"]);
    operator.stop().await;
    cluster.stop().await;
}

// DEL-1
#[tokio::test]
async fn objects_stay_after_the_bundle_under_delete_policy_orphan() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(bundle("demo", with(one("a"), "deletePolicy", "Orphan"))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.delete::<Bundle>("demo").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    assert_eq!(value_of_one(&cluster).await, "a");
    operator.stop().await;
    cluster.stop().await;
}

// GATE-1
#[tokio::test]
async fn a_foreign_object_of_an_additional_managed_type_blocks_the_deletion() {
    let cluster = TestCluster::start().await;
    let thing = Thing::install(&cluster).await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let types = json!([{ "group": thing.kind.group, "kind": "Thing" }]);
    cluster.apply(bundle("demo", with(one("a"), "additionalManagedTypes", types))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.apply(thing.object("foreign")).await;
    cluster.delete::<Bundle>("demo").await;
    let is_blocked = |bundle: &Value| message(bundle).contains("is still in use (instances exist)");
    let blocked = cluster.expect::<Bundle>("demo").matching("its deletion is blocked", is_blocked).await;
    assert!(message(&blocked).ends_with(&format!("{}/foreign", cluster.namespace())), "{}", message(&blocked));
    assert_eq!(value_of_one(&cluster).await, "a");
    cluster.delete_object(&thing.kind, "foreign").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    operator.stop().await;
    thing.uninstall(&cluster).await;
    cluster.stop().await;
}

// TRG-4, WRITE-5
#[tokio::test]
async fn a_bundle_that_is_ready_is_reconciled_after_its_requeue_interval() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let mut map = config_map("one", "value", "a");
    map["metadata"]["annotations"] = json!({ format!("{NAME}/reapply-interval"): "5s" });
    let spec = json!({ "manifests": text(&[map]), "updatePolicy": "SsaOverride", "requeueInterval": "1s" });
    cluster.apply(bundle("demo", spec)).await;
    cluster.expect::<Bundle>("demo").ready().await;
    // An additional field is no drift, so that only a pass after the reapply interval removes it.
    let maps: Api<ConfigMap> = Api::namespaced(cluster.client().clone(), cluster.namespace());
    let more = json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "one" }, "data": { "more": "x" } });
    maps.patch("one", &PatchParams::apply("kubectl-edit"), &Patch::Apply(more)).await.unwrap();
    let is_reclaimed = |map: &Value| map["data"] == json!({ "value": "a" });
    cluster.expect::<ConfigMap>("one").matching("the field is removed", is_reclaimed).await;
    operator.stop().await;
    cluster.stop().await;
}

// TIME-1
#[tokio::test]
async fn a_bundle_that_is_not_ready_after_its_timeout_is_in_error() {
    let cluster = TestCluster::start().await;
    let thing = Thing::install(&cluster).await;
    let operator = cluster.run(bundle_operator::operator()).await;
    let spec = json!({ "manifests": text(&[thing.object("slow")]), "timeout": "5s" });
    cluster.apply(bundle("demo", spec)).await;
    let late = cluster.expect::<Bundle>("demo").state("Error").await;
    assert!(message(&late).contains("timed out") && message(&late).contains("slow"), "{}", message(&late));
    cluster.observe(&thing.kind, "slow", true).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.delete::<Bundle>("demo").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    operator.stop().await;
    thing.uninstall(&cluster).await;
    cluster.stop().await;
}

// PASS-3
#[tokio::test]
async fn a_suspended_bundle_changes_nothing_until_it_is_resumed_and_can_be_deleted() {
    let cluster = TestCluster::start().await;
    let operator = cluster.run(bundle_operator::operator()).await;
    cluster.apply(bundle("demo", one("a"))).await;
    cluster.expect::<Bundle>("demo").ready().await;
    cluster.patch::<Bundle>("demo", json!({ "spec": with(one("b"), "suspend", true) })).await;
    cluster.expect::<Bundle>("demo").condition("Ready", "Unknown", "Suspended").await;
    assert_eq!(value_of_one(&cluster).await, "a");
    cluster.patch::<Bundle>("demo", json!({ "spec": { "suspend": false } })).await;
    let has_changed = |map: &Value| map["data"]["value"] == "b";
    cluster.expect::<ConfigMap>("one").matching("it has the new value", has_changed).await;
    cluster.patch::<Bundle>("demo", json!({ "spec": { "suspend": true } })).await;
    cluster.expect::<Bundle>("demo").condition("Ready", "Unknown", "Suspended").await;
    cluster.delete::<Bundle>("demo").await;
    cluster.expect::<Bundle>("demo").to_be_gone().await;
    assert!(cluster.get::<ConfigMap>("one").await.is_none());
    operator.stop().await;
    cluster.stop().await;
}
