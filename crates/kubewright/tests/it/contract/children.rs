//! Children of components.

use std::sync::Arc;

use futures::future::BoxFuture;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, ContractExt as _, Maybe, Ready};
use kubewright::machinery::object::ObjectExt as _;
use kubewright::prelude::*;
use kubewright_testing::{TestCluster, TestOperator};

use super::platform::{ApiServer, DOMAIN, Landscaper, Platform};
use crate::ensure::world::{Log, child_of};

type Apply = Arc<dyn for<'a> Fn(&'a ApplyContext<ApiServer>) -> BoxFuture<'a, Flow> + Send + Sync>;
type Cleanup = Arc<dyn for<'a> Fn(&'a CleanupContext<ApiServer>) -> BoxFuture<'a, Flow> + Send + Sync>;

/// The actions of the controller of the API server.
#[derive(Clone)]
struct Parts {
    apply: Apply,
    cleanup: Cleanup,
}

impl Parts {
    fn new(apply: impl for<'a> Fn(&'a ApplyContext<ApiServer>) -> BoxFuture<'a, Flow> + Send + Sync + 'static) -> Self {
        Self { apply: Arc::new(apply), cleanup: Arc::new(|_| Box::pin(async { Ok(()) })) }
    }

    fn cleanup(
        mut self,
        cleanup: impl for<'a> Fn(&'a CleanupContext<ApiServer>) -> BoxFuture<'a, Flow> + Send + Sync + 'static,
    ) -> Self {
        self.cleanup = Arc::new(cleanup);
        self
    }
}

struct Controller(Parts);

impl Controller {
    fn new(State(parts): State<Parts>) -> Self {
        Self(parts)
    }
}

impl ComponentController for Controller {
    type Component = ApiServer;

    async fn apply(&self, cx: &ApplyContext<ApiServer>, _: Ready<ApiServer>) -> Flow {
        cx.healthy();
        (self.0.apply)(cx).await
    }

    async fn cleanup(&self, cx: &CleanupContext<ApiServer>, _: Maybe<ApiServer>) -> Flow {
        (self.0.cleanup)(cx).await
    }
}

struct World {
    cluster: TestCluster,
    operator: TestOperator,
}

impl World {
    async fn start(parts: Parts) -> Self {
        let cluster = TestCluster::start().await;
        let operator = Operator::new("platform-operator.platform.kubewright.dev").state(parts);
        let operator: Operator = operator.component_controller(Controller::new).owns::<ConfigMap>().creates::<ConfigMap>().into();
        // The kinds of the other components need no controllers.
        cluster.install_crd(&serde_json::to_value(<Landscaper as kube::CustomResourceExt>::crd()).unwrap()).await;
        let operator = cluster.run(operator).await;
        Self { cluster, operator }
    }

    async fn create(&self, finalizers: Value) -> Value {
        let labels = json!({ format!("{DOMAIN}/owner-generation"): "1" });
        let object = json!({
            "apiVersion": format!("{DOMAIN}/v1"), "kind": "ApiServer", "spec": { "size": 1 },
            "metadata": { "name": "demo", "namespace": self.cluster.namespace(), "labels": labels, "finalizers": finalizers },
        });
        self.cluster.create(object).await.unwrap()
    }

    async fn condition(&self, type_: &str, status: &str, reason: &str) -> Value {
        self.cluster.expect::<ApiServer>("demo").condition(type_, status, reason).await
    }
}

// KID-2, 8.2: the domain of the marks is that of the contract
#[tokio::test]
async fn a_child_of_a_component_has_the_marks_of_the_contract() {
    let world = World::start(Parts::new(|cx| {
        Box::pin(async move {
            cx.ensure(child_of("part", cx.component().spec.size)).await?;
            Ok(())
        })
    }))
    .await;
    let component = world.create(Value::Null).await;
    world.condition("Ready", "True", "Reconciled").await;
    let child = world.cluster.get::<ConfigMap>("part").await.unwrap();
    assert_eq!(child.controller().map(|controller| controller.uid.to_owned()), Some(component.uid().to_owned()));
    assert_eq!(child.label(&format!("{DOMAIN}/owner-kind")), Some("ApiServer"));
    let managers = child["metadata"]["managedFields"].to_string();
    assert!(managers.contains(&format!("\"manager\":\"{DOMAIN}/apiserver\"")), "{managers}");
    world.operator.stop().await;
}

// CT-3, CT-4
#[tokio::test]
async fn a_component_cannot_write_its_owner_or_other_components() {
    let world = World::start(Parts::new(|cx| {
        Box::pin(async move {
            if cx.component().spec.size == 1 {
                cx.ensure(Platform::new("demo", super::platform::PlatformSpec::default())).await?;
            } else {
                cx.delete(&Landscaper::new("demo", super::platform::LandscaperSpec::default())).await?;
            }
            Ok(())
        })
    }))
    .await;
    world.create(Value::Null).await;
    for (size, kind) in [(1, "Platform"), (2, "Landscaper")] {
        world.cluster.patch::<ApiServer>("demo", json!({ "spec": { "size": size } })).await;
        let expected =
            format!("write a {kind} as a child: the owner and its components are written by the controller of the owner");
        let tells = |object: &Value| object["status"]["conditions"].to_string().contains(&expected);
        world.cluster.expect::<ApiServer>("demo").matching("the refusal", tells).await;
        world.condition("ApiServerReconciliation", "False", "InternalError").await;
    }
    world.operator.stop().await;
}

// KID-6, TEAR-2
#[tokio::test]
async fn a_component_waiting_in_deletion_recreates_children_except_in_foreground_deletion() {
    for is_foreground in [false, true] {
        let log = Log::default();
        let noted = log.clone();
        let world = World::start(Parts::new(move |cx| {
            let log = noted.clone();
            Box::pin(async move {
                let change = cx.ensure(child_of("part", cx.component().spec.size)).await.map(|ensured| ensured.change);
                log.note(&change);
                change.map(drop)
            })
        }))
        .await;
        let depending = "dependency.platform.kubewright.dev/landscaper";
        let component = world.create(json!([depending])).await;
        if is_foreground {
            // The deletion stays in the foreground while garbage collection waits for this child.
            let owner = json!({
                "apiVersion": format!("{DOMAIN}/v1"), "kind": "ApiServer", "name": "demo", "uid": component.uid(),
                "blockOwnerDeletion": true,
            });
            let metadata = json!({ "name": "held", "ownerReferences": [owner], "finalizers": ["test.kubewright.dev/hold"] });
            world.cluster.apply(json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata })).await;
        }
        world.condition("Ready", "True", "Reconciled").await;
        let components: kube::Api<ApiServer> = kube::Api::namespaced(world.cluster.client().clone(), world.cluster.namespace());
        let params = if is_foreground { kube::api::DeleteParams::foreground() } else { kube::api::DeleteParams::background() };
        components.delete("demo", &params).await.unwrap();
        world.condition("Ready", "False", "DeletionWaitingForDependingComponents").await;
        if !is_foreground {
            world.cluster.delete::<ConfigMap>("part").await;
        }
        let (expected, times) = if is_foreground { ("Skipped", 1) } else { ("Created", 2) };
        let what = || format!("{expected}: {:?}", log.all());
        crate::reconcile::world::until(&world.cluster, what, || log.count(expected) >= times).await;
        assert_eq!(world.cluster.get::<ConfigMap>("part").await.is_some(), !is_foreground);
        if is_foreground {
            world.cluster.patch::<ConfigMap>("held", json!({ "metadata": { "finalizers": null } })).await;
        }
        world.operator.stop().await;
    }
}

// FDEL-12, KID-6
#[tokio::test]
async fn a_helper_of_a_component_is_deleted_before_the_component_is_released() {
    let log = Log::default();
    let noted = log.clone();
    let parts = Parts::new(|_| Box::pin(async { Ok(()) })).cleanup(move |cx| {
        let log = noted.clone();
        Box::pin(async move {
            let change = cx.helper(child_of("helper", 1)).await.map(|ensured| ensured.change);
            log.note(&change);
            change.map(drop)
        })
    });
    let world = World::start(parts).await;
    world.create(Value::Null).await;
    world.condition("Ready", "True", "Reconciled").await;
    world.cluster.delete::<ApiServer>("demo").await;
    world.cluster.expect::<ApiServer>("demo").to_be_gone().await;
    world.cluster.expect::<ConfigMap>("helper").to_be_gone().await;
    assert_eq!(log.all(), ["Created"]);
    let writes: Vec<String> = world.cluster.journal().all().writes().iter().map(ToString::to_string).collect();
    let last = |text: &str| writes.iter().rposition(|write| write.contains(text));
    assert!(last(" delete configmaps").is_some() && last(" delete configmaps") < last(" patch apiservers"), "{writes:#?}");
    world.operator.stop().await;
}

// ENS-12, KID-13, 13.6
#[tokio::test]
async fn a_component_reports_the_children_that_its_gate_holds_back() {
    let version = Arc::new(parking_lot::Mutex::new(1));
    let wanted = Arc::clone(&version);
    let world = World::start(Parts::new(move |cx| {
        let version = *wanted.lock();
        Box::pin(async move {
            cx.ensure(child_of("part", version)).gate(cx.update_gate()?).await?;
            Ok(())
        })
    }))
    .await;
    world.create(Value::Null).await;
    world.condition("Ready", "True", "Reconciled").await;
    *version.lock() = 2;
    let patch =
        |token: &str| json!({ "metadata": { "annotations": { format!("{DOMAIN}/operation"): "reconcile", "t": token } } });
    world.cluster.patch::<ApiServer>("demo", patch("1")).await;
    world.condition("RequiresUpdate", "True", "UpdateHeld").await;
    assert_eq!(world.cluster.get::<ConfigMap>("part").await.unwrap()["data"]["size"], "1");
    world.cluster.patch::<ApiServer>("demo", json!({ "spec": { "size": 2 } })).await;
    world.condition("RequiresUpdate", "False", "UpToDate").await;
    assert_eq!(world.cluster.get::<ConfigMap>("part").await.unwrap()["data"]["size"], "2");
    world.operator.stop().await;
}
