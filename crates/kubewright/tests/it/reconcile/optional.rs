//! Stores of kinds that may not be served.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::core::GroupVersionKind;
use kubewright::machinery::object::Key;
use kubewright::prelude::*;
use kubewright_testing::TestCluster;

use super::world::until;

/// A kind whose definition comes after the operator.
#[derive(CustomResource, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "optional.test.kubewright.dev", version = "v1", kind = "Gizmo", namespaced)]
struct GizmoSpec {
    turns: u32,
}

/// The place where the reconciler stores its arguments.
type Given = Arc<OnceLock<(Optional<Store<Gizmo>>, Optional<MetaStore<Gizmo>>)>>;

struct Maps;

impl Maps {
    fn new(gizmos: Optional<Store<Gizmo>>, names: Optional<MetaStore<Gizmo>>, State(given): State<Given>) -> Self {
        assert!(given.set((gizmos, names)).is_ok());
        Self
    }
}

impl Reconcile for Maps {
    type Kind = ConfigMap;
    type Status = NoStatus;

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap, _: &mut NoStatus) -> Flow {
        Ok(())
    }
}

// PHA-5
#[tokio::test]
async fn a_store_of_a_kind_that_is_served_later_fills_then_and_empties_with_the_kind() {
    let cluster = TestCluster::start().await;
    let given = Given::default();
    let operator = Operator::new("optional.test.kubewright.dev").state(given.clone()).add_controller(Controller::new(Maps::new));
    let rules = operator.declarations().rules();
    assert!(rules.iter().any(|rule| rule.resource == "gizmos"), "its watch is permitted: {rules:?}");
    let operator = cluster.run(operator).await;
    let (gizmos, names) = given.get().expect("the start does not wait for the kind");
    let turns = |name: &str| gizmos.get()?.get(&Key::new(cluster.namespace(), name)).map(|gizmo| gizmo.spec.turns);
    assert!(gizmos.get().is_none() && names.get().is_none());
    let crd = serde_json::to_value(<Gizmo as kube::CustomResourceExt>::crd()).unwrap();
    for round in 1..3_u32 {
        cluster.install_crd(&crd).await;
        until(&cluster, || "the kind is served".to_owned(), || gizmos.get().is_some() && names.get().is_some()).await;
        let gizmo = json!({
            "apiVersion": "optional.test.kubewright.dev/v1", "kind": "Gizmo", "metadata": {"name": "a"}, "spec": {"turns": round},
        });
        cluster.create(gizmo).await.unwrap();
        until(&cluster, || "the store fills".to_owned(), || turns("a") == Some(round)).await;
        until(&cluster, || "the other one fills".to_owned(), || names.get().is_some_and(|names| names.list().len() == 1)).await;
        let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
        cluster.delete_object(&kind, "gizmos.optional.test.kubewright.dev").await;
        until(&cluster, || "the kind is gone".to_owned(), || gizmos.get().is_none() && names.get().is_none()).await;
        cluster.expect_object(&kind, "gizmos.optional.test.kubewright.dev").within(Duration::from_secs(150)).to_be_gone().await;
    }
    let checks = operator.running().checks().results(kubewright::runtime::admin::CheckKind::Ready);
    assert!(checks.iter().all(|(_, result)| result.is_ok()), "the operator stays ready: {checks:?}");
    operator.stop().await;
    cluster.stop().await;
}
