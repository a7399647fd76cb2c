//! The arguments of constructors last as long as the operator.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::api::events::v1::Event as StoredEvent;
use kube::core::DynamicObject;
use kubewright::machinery::object::{Key, ObjectReference};
use kubewright::prelude::*;
use kubewright::runtime::events::Event;
use kubewright::runtime::inject::OperatorInfo;
use kubewright::runtime::watch::{ScopeType, StoreScope};
use kubewright_middleware::Verb;
use kubewright_testing::TestCluster;

use super::world::until;

/// The scope of secrets with a label.
struct Labelled;

impl ScopeType for Labelled {
    fn scope() -> StoreScope {
        StoreScope::default().labels("watched=yes")
    }
}

struct Things {
    secrets: Store<Secret>,
    labelled: Store<Secret, Labelled>,
    recorder: Recorder,
    client: kube::Client,
    info: OperatorInfo,
}

type Given = Arc<OnceLock<Things>>;

struct Maps;

impl Maps {
    fn new(
        secrets: Store<Secret>,
        labelled: Store<Secret, Labelled>,
        recorder: Recorder,
        client: kube::Client,
        info: OperatorInfo,
        State(given): State<Given>,
    ) -> Self {
        assert!(given.set(Things { secrets, labelled, recorder, client, info }).is_ok());
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

async fn start(cluster: &TestCluster) -> (kubewright_testing::TestOperator, Given) {
    let given = Given::default();
    let operator = Operator::new("maps.test.kubewright.dev").state(given.clone()).add_controller(Controller::new(Maps::new));
    (cluster.run(operator).await, given)
}

fn secret(name: &str, labels: Value, value: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name, "labels": labels}, "stringData": {"k": value}})
}

// INJ-7
#[tokio::test]
async fn stores_and_recorders_outlive_the_passes_that_use_them() {
    let cluster = TestCluster::start().await;
    cluster.apply(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "mine"}})).await;
    cluster.apply(secret("mine", json!({}), "1")).await;
    let (operator, given) = start(&cluster).await;
    let things = given.get().unwrap();
    let value = || {
        let secret = things.secrets.get(&Key::new(cluster.namespace(), "mine"))?;
        String::from_utf8(secret.data.as_ref()?.get("k")?.0.clone()).ok()
    };
    until(&cluster, || "the store has the secret".to_owned(), || value().as_deref() == Some("1")).await;
    // A watch without users ends after a minute (STORE-10).
    cluster.pass(if cluster.is_embedded() { Duration::from_mins(4) } else { Duration::from_secs(2) }).await;
    cluster.patch::<Secret>("mine", json!({"stringData": {"k": "2"}})).await;
    until(&cluster, || "the store follows".to_owned(), || value().as_deref() == Some("2")).await;
    let all = cluster.journal().all().of("", "secrets");
    let lists: Vec<String> = all.filter(|call| call.target.verb() == Some(Verb::List)).iter().map(ToString::to_string).collect();
    assert!(lists.len() <= 2, "one for each of the two stores at most: {lists:?}");
    let map = cluster.get::<ConfigMap>("mine").await.unwrap();
    things.recorder.record(&ObjectReference::of(&map), Event::normal("Later", "long after the last pass"));
    loop {
        let events = cluster.list::<StoredEvent>().await;
        if events.iter().any(|event| event["reason"] == "Later" && event["reportingController"] == "configmap-controller") {
            break;
        }
        cluster.pass(Duration::from_millis(100)).await;
    }
    operator.stop().await;
    cluster.stop().await;
}

// STORE-3
#[tokio::test]
async fn a_store_with_a_selector_contains_only_selected_objects() {
    let cluster = TestCluster::start().await;
    cluster.apply(secret("a", json!({"watched": "yes"}), "1")).await;
    cluster.apply(secret("b", json!({"watched": "no"}), "1")).await;
    let (operator, given) = start(&cluster).await;
    let things = given.get().unwrap();
    let names = || {
        let mut names: Vec<String> =
            things.labelled.list_in(cluster.namespace()).iter().map(|secret| secret.name_any()).collect();
        names.sort();
        names
    };
    assert_eq!(names(), ["a"], "it is filled when the operator works");
    cluster.apply(secret("c", json!({"watched": "yes"}), "1")).await;
    until(&cluster, || format!("c comes: {:?}", names()), || names() == ["a", "c"]).await;
    cluster.patch::<Secret>("a", json!({"metadata": {"labels": {"watched": "no"}}})).await;
    until(&cluster, || format!("a goes: {:?}", names()), || names() == ["c"]).await;
    assert!(things.secrets.get(&Key::new(cluster.namespace(), "a")).is_some(), "the store without selector still has it");
    operator.stop().await;
    cluster.stop().await;
}

// INJ-2
#[tokio::test]
async fn the_client_takes_kinds_that_are_known_at_run_time() {
    let cluster = TestCluster::start().await;
    let (operator, given) = start(&cluster).await;
    let client = given.get().unwrap().client.clone();
    let kind = kube::core::GroupVersionKind::gvk("", "v1", "ConfigMap");
    let (resource, _) = kube::discovery::pinned_kind(&client, &kind).await.unwrap();
    let maps = kube::Api::<DynamicObject>::namespaced_with(client, cluster.namespace(), &resource);
    let map = DynamicObject::new("dynamic", &resource).data(json!({"data": {"k": "v"}}));
    maps.create(&kube::api::PostParams::default(), &map).await.unwrap();
    assert_eq!(cluster.get::<ConfigMap>("dynamic").await.unwrap()["data"]["k"], "v");
    assert_eq!(maps.get("dynamic").await.unwrap().data["data"]["k"], "v");
    operator.stop().await;
    cluster.stop().await;
}

// 3.1
#[tokio::test]
async fn the_operator_knows_its_name_its_namespace_and_its_instance() {
    let cluster = TestCluster::start().await;
    let (operator, given) = start(&cluster).await;
    let info = &given.get().unwrap().info;
    let found = [&*info.name, &*info.system_namespace, &*info.instance];
    assert_eq!(found, ["maps.test.kubewright.dev", cluster.namespace(), "maps.test.kubewright.dev"]);
    operator.stop().await;
    cluster.stop().await;
}
