//! A database and a cache of the same name, and the relation between them.

use k8s_openapi::api::apps::v1::{Deployment, StatefulSet};
use k8s_openapi::api::core::v1::{ConfigMap, Service};
use kubewright_testing::{TestCluster, TestOperator};
use serde_json::{Value, json};
use shop_operator::{CACHES, Cache, DATABASES, Database, operator};

fn database() -> Value {
    json!({"apiVersion": "demo.kubewright.dev/v1alpha1", "kind": "Database", "metadata": {"name": "shop"}, "spec": {}})
}

fn cache() -> Value {
    json!({
        "apiVersion": "demo.kubewright.dev/v1alpha1", "kind": "Cache", "metadata": {"name": "shop"},
        "spec": {"database": {"name": "shop"}},
    })
}

async fn start() -> (TestCluster, TestOperator) {
    let cluster = TestCluster::start().await;
    let running = cluster.run(operator()).await;
    (cluster, running)
}

/// Starts a cluster whose database and cache are ready.
async fn installed() -> (TestCluster, TestOperator) {
    let (cluster, running) = start().await;
    cluster.apply(database()).await;
    cluster.apply(cache()).await;
    cluster.expect::<Database>("shop").ready().await;
    cluster.expect::<Cache>("shop").ready().await;
    (cluster, running)
}

async fn end(cluster: TestCluster, operator: TestOperator) {
    operator.stop().await;
    cluster.stop().await;
}

/// Returns the names under which an object has owner marks.
fn owners(object: &Value) -> Vec<&str> {
    let labels = object["metadata"]["labels"].as_object().into_iter().flatten();
    labels.filter_map(|(key, _)| key.strip_suffix("/owner-id")).collect()
}

// REF-7
#[tokio::test]
async fn a_cache_waits_for_its_database_and_follows_it() {
    let (cluster, operator) = start().await;
    cluster.apply(cache()).await;
    cluster.expect::<Cache>("shop").condition("Ready", "Unknown", "DatabaseMissing").await;
    assert!(cluster.get::<ConfigMap>("shop-cache").await.is_none());
    cluster.apply(database()).await;
    cluster.expect::<Cache>("shop").ready().await;
    let settings = cluster.get::<ConfigMap>("shop-cache").await.unwrap();
    let host = format!("shop-database.{}.svc", cluster.namespace());
    assert_eq!(settings["data"], json!({"DATABASE_HOST": host, "DATABASE_PORT": "5432"}));

    cluster.patch::<Database>("shop", json!({"spec": {"port": 5433}})).await;
    cluster
        .expect::<ConfigMap>("shop-cache")
        .matching("it has the new port", |settings| settings["data"]["DATABASE_PORT"] == "5433")
        .await;
    cluster.expect::<Cache>("shop").ready().await;
    end(cluster, operator).await;
}

// OPT-1a
#[tokio::test]
async fn components_of_one_name_own_their_own_objects() {
    let (cluster, operator) = installed().await;
    let server = cluster.get::<StatefulSet>("shop-database").await.unwrap();
    let service = cluster.get::<Service>("shop-database").await.unwrap();
    assert_eq!((owners(&server), owners(&service)), (vec![DATABASES], vec![DATABASES]));
    assert_eq!(owners(&cluster.get::<Deployment>("shop-cache").await.unwrap()), [CACHES]);
    cluster.delete::<Cache>("shop").await;
    cluster.expect::<Cache>("shop").to_be_gone().await;
    for gone in [cluster.get::<Deployment>("shop-cache").await, cluster.get::<Service>("shop-cache").await] {
        assert_eq!(gone, None);
    }
    assert_eq!(cluster.get::<Service>("shop-database").await.unwrap(), service);
    let kept = cluster.get::<StatefulSet>("shop-database").await.unwrap();
    assert_eq!(kept["metadata"]["uid"], server["metadata"]["uid"]);
    cluster.expect::<Database>("shop").ready().await;
    end(cluster, operator).await;
}

// HOOK-1
#[tokio::test]
async fn a_database_stays_as_long_as_a_cache_refers_to_it() {
    let (cluster, operator) = installed().await;
    cluster.delete::<Database>("shop").await;
    let kept = cluster.expect::<Database>("shop").condition("Ready", "False", "InUse").await;
    assert!(kept["status"]["conditions"].to_string().contains("in use by the caches shop"), "{kept:#}");
    assert!(cluster.get::<StatefulSet>("shop-database").await.is_some());
    cluster.delete::<Cache>("shop").await;
    cluster.expect::<Cache>("shop").to_be_gone().await;
    cluster.expect::<Database>("shop").to_be_gone().await;
    assert_eq!(cluster.get::<StatefulSet>("shop-database").await, None);
    end(cluster, operator).await;
}
