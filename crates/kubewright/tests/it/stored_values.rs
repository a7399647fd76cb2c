//! Small values in ConfigMaps.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures::FutureExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kubewright::prelude::*;
use kubewright::runtime::cluster::{StoredValues, StoredValuesError};
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright_middleware::Verb;
use kubewright_testing::TestCluster;

/// The field manager of the values.
const MANAGER: &str = "counter.test.kubewright.dev";

async fn values(cluster: &TestCluster) -> StoredValues {
    cluster.connect(cluster.tasks()).await.stored_values(cluster.namespace(), "checkpoints", MANAGER)
}

fn writes(cluster: &TestCluster) -> usize {
    cluster.journal().all().of("", "configmaps").writes().len()
}

// HLP-2
#[tokio::test]
async fn values_are_written_only_when_they_change() {
    let cluster = TestCluster::start().await;
    let stored = values(&cluster).await;
    let mut values = stored.load().await.unwrap();
    assert!(!values.is_stored() && values.keys().next().is_none());
    assert!(!stored.save(&mut values).await.unwrap(), "there is nothing to write");
    assert_eq!(cluster.get::<ConfigMap>("checkpoints").await, None);
    values.set("last", &41).unwrap();
    assert!(stored.save(&mut values).await.unwrap());
    assert_eq!(cluster.get::<ConfigMap>("checkpoints").await.unwrap()["data"], json!({"last": "41"}));
    values.set("last", &41).unwrap();
    assert!(!stored.save(&mut values).await.unwrap(), "it has this value already");
    values.set("last", &42).unwrap();
    assert!(stored.save(&mut values).await.unwrap());
    assert_eq!(stored.load().await.unwrap(), values);
    assert_eq!(writes(&cluster), 2);
    cluster.stop().await;
}

// HLP-2
#[tokio::test]
async fn changes_of_several_writers_are_all_kept() {
    let cluster = TestCluster::start().await;
    let stored = values(&cluster).await;
    // Both first reads are answered before the first write.
    let slow = cluster.faults().on(Verb::Get).of("", "configmaps").delay(Duration::from_millis(200));
    let set = |key: &'static str| stored.update(move |values| values.set(key, &key));
    let (one, two) = futures::join!(set("one"), set("two"));
    slow.remove();
    assert!(one.is_ok() && two.is_ok(), "{one:?} {two:?}");
    let found = cluster.get::<ConfigMap>("checkpoints").await.unwrap();
    assert_eq!(found["data"], json!({"one": "\"one\"", "two": "\"two\""}));
    assert_eq!(writes(&cluster), 3, "one of them was too late once");
    cluster.stop().await;
}

// HLP-2
#[tokio::test]
async fn values_are_kept_though_the_config_map_is_deleted_between_read_and_write() {
    let cluster = TestCluster::start().await;
    let stored = values(&cluster).await;
    stored.update(|values| values.set("old", &1)).await.unwrap();
    let gone = cluster.faults().on(Verb::Patch).of("", "configmaps").times(1).not_found();
    stored.update(|values| values.set("new", &2)).await.unwrap();
    assert_eq!(gone.hits(), 1);
    assert_eq!(cluster.get::<ConfigMap>("checkpoints").await.unwrap()["data"]["new"], "2");
    cluster.stop().await;
}

// HLP-2
#[tokio::test]
async fn a_change_that_fails_writes_nothing_and_is_not_repeated() {
    let cluster = TestCluster::start().await;
    let stored = values(&cluster).await;
    let attempts = AtomicUsize::new(0);
    let change = stored.update(|values| {
        attempts.fetch_add(1, Ordering::Relaxed);
        values.set("a/b", &1)
    });
    let error = change.boxed().await.unwrap_err();
    assert!(matches!(error, StoredValuesError::Value { .. }), "{error}");
    assert_eq!((attempts.load(Ordering::Relaxed), writes(&cluster)), (1, 0));
    cluster.stop().await;
}

/// A reconciler that counts its passes in a ConfigMap.
struct Counted;

impl Reconcile for Counted {
    type Kind = Secret;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<Secret>, _: &Secret, _: &mut NoStatus) -> Flow {
        let stored = cx.cluster().stored_values(cx.key().namespace(), "checkpoints", MANAGER);
        let counted = stored.update(|values| {
            let passes: u64 = values.get(cx.key().name())?.unwrap_or_default();
            values.set(cx.key().name(), &(passes + 1))
        });
        counted.await.map(drop).map_err(|error| Failure::unclassified(error).into())
    }
}

// HLP-2
#[tokio::test]
async fn a_reconciler_counts_its_passes_across_restarts() {
    let cluster = TestCluster::start().await;
    for name in ["one", "two"] {
        cluster.apply(json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": name}})).await;
    }
    for passes in ["1", "2"] {
        let operator = Operator::new("counted.test.kubewright.dev").add_controller(Controller::new(|| Counted));
        let operator = cluster.run(operator).await;
        let counted = |map: &Value| map["data"]["one"] == passes && map["data"]["two"] == passes;
        cluster.expect::<ConfigMap>("checkpoints").matching("both passes are counted", counted).await;
        operator.stop().await;
    }
    cluster.stop().await;
}
