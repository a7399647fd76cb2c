//! Elections other than the default one.

use k8s_openapi::api::apps::v1::StatefulSet;
use k8s_openapi::api::core::v1::ConfigMap;
use kubewright::runtime::leadership::{Leadership, OrdinalReplica};
use kubewright::runtime::operator::OperatorError;
use kubewright_testing::TestCluster;
use serde_json::{Value, json};

use super::replicas::{OPERATOR, Replica, all_led, create, lease_names, leases, ready};
use crate::reconcile::widget::{Script, Widgets};

/// Returns the error of a replica that does not start.
async fn refused(cluster: &TestCluster, name: &str, leadership: Leadership) -> String {
    let operator = Widgets::operator(&Script::default()).leadership(leadership);
    cluster.install_crds(&operator).await;
    cluster.start_replica(operator, name).await.ended().await.unwrap_err().to_string()
}

// LDR-2, LDR-10
#[tokio::test]
async fn each_controller_may_have_leases_of_its_own() {
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(2).per_controller()).await;
    all_led(&cluster, std::slice::from_ref(&replica), 2).await;
    let expected = ["00-of-02", "01-of-02"].map(|number| format!("widget-operator.test.kubewright.dev.widget.{number}"));
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only"), expected);
    replica.operator.stop().await;
    cluster.stop().await;
}

// LDR-11
#[tokio::test]
async fn the_lease_of_another_program_is_taken_over_under_its_name() {
    let cluster = TestCluster::start().await;
    let replica = Replica::start(&cluster, "only", Script::default(), leases(1).lease_name("former-leader")).await;
    let names = create(&cluster, 2).await;
    ready(&cluster, &names).await;
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only"), ["former-leader"]);
    replica.operator.stop().await;
    cluster.stop().await;
}

// LDR-12
#[tokio::test]
async fn a_prefix_map_gives_leases_other_names() {
    let cluster = TestCluster::start().await;
    let mapped = leases(1).map_lease_prefix("Widget-Operator.test.kubewright.dev", "theirs.controller");
    let replica = Replica::start(&cluster, "only", Script::default(), mapped).await;
    assert_eq!(cluster.leaders(OPERATOR).await.held_by("only"), ["theirs.controller.00-of-01"]);
    replica.operator.stop().await;
    cluster.stop().await;
}

// LDR-41, LDR-42
#[tokio::test]
async fn a_pod_of_a_stateful_set_leads_the_bucket_of_its_number() {
    let cluster = TestCluster::start().await;
    let ordinal = |pod: &str| Leadership::ordinal(OrdinalReplica::new(pod, "widgets").unwrap()).buckets(2).replicas(2);
    let first = Replica::start(&cluster, "widgets-0", Script::default(), ordinal("widgets-0")).await;
    let second = Replica::start(&cluster, "widgets-1", Script::default(), ordinal("widgets-1")).await;
    let names = create(&cluster, 12).await;
    ready(&cluster, &names).await;
    let bucket = |number: u32| format!("http://widgets-{number}.widgets.{}.svc.", cluster.namespace());
    for (replica, number) in [(&first, 0), (&second, 1)] {
        assert!(matches!(&replica.held()[..], [only] if only.starts_with(&bucket(number))), "{:?}", replica.held());
    }
    let (mut all, others) = (first.called("reconcile"), second.called("reconcile"));
    assert!(!all.is_empty() && !others.is_empty());
    all.extend(others);
    all.sort();
    let mut expected = names;
    expected.sort();
    assert_eq!(all, expected, "each by one replica");
    assert_eq!(cluster.leaders(OPERATOR).await.buckets().count(), 0);
    assert_eq!(cluster.list::<k8s_openapi::api::coordination::v1::Lease>().await.len(), 0);
    first.operator.stop().await;
    second.operator.stop().await;
    cluster.stop().await;
}

// LDR-11
#[tokio::test]
async fn one_lease_name_for_several_buckets_is_an_error_of_the_program_and_of_the_map() {
    let cluster = TestCluster::start().await;
    let operator = Widgets::operator(&Script::default()).leadership(leases(2).lease_name("former-leader"));
    let operator = operator.options(|options| options.system_namespace = Some("any".to_owned()));
    let error = operator.start(cluster.client().clone()).unwrap_err();
    let expected = "the lease \"former-leader\" is one bucket, and 2 are asked for; remove `.lease_name(…)`, or ask for 1";
    assert!(matches!(&error, OperatorError::Invalid(problems) if *problems == [expected]), "{error}");

    let map = json!({
        "apiVersion": "v1", "kind": "ConfigMap",
        "metadata": { "name": "config-leader-election", "namespace": cluster.namespace() }, "data": { "buckets": "2" },
    });
    cluster.create(map).await.unwrap();
    let error = refused(&cluster, "only", leases(1).lease_name("former-leader")).await;
    assert_eq!(error, format!("use the ConfigMap \"config-leader-election\": {expected}"));
    assert!(lease_names(&cluster).await.is_empty());
    cluster.delete::<ConfigMap>("config-leader-election").await;
    cluster.stop().await;
}

/// Returns a StatefulSet whose pods need not run.
fn stateful_set(cluster: &TestCluster, name: &str, replicas: u32) -> Value {
    let labels = json!({ "app": name });
    json!({
        "apiVersion": "apps/v1", "kind": "StatefulSet",
        "metadata": { "name": name, "namespace": cluster.namespace() },
        "spec": {
            "replicas": replicas, "serviceName": name, "selector": { "matchLabels": labels },
            "template": {
                "metadata": { "labels": labels },
                "spec": { "containers": [{ "name": "operator", "image": "example.com/operator" }] },
            },
        },
    })
}

// LDR-40
#[tokio::test]
async fn the_number_of_replicas_is_that_of_the_stateful_set_unless_it_is_given() {
    let cluster = TestCluster::start().await;
    let ordinal = || Leadership::ordinal(OrdinalReplica::new("widgets-1", "widgets").unwrap()).buckets(2);
    let error = refused(&cluster, "widgets-1", ordinal()).await;
    assert!(error.starts_with("read the number of replicas of StatefulSet \"widgets\": "), "{error}");
    assert!(error.contains("STATEFUL_CONTROLLER_ORDINAL") && error.contains("`.replicas(…)`"), "{error}");

    cluster.apply(&stateful_set(&cluster, "widgets", 3)).await;
    let error = refused(&cluster, "widgets-1", ordinal()).await;
    assert!(error.contains("\"widgets\"") && error.contains('3') && error.contains('2'), "{error}");

    cluster.apply(&stateful_set(&cluster, "widgets", 2)).await;
    let replica = Replica::start(&cluster, "widgets-1", Script::default(), ordinal()).await;
    assert!(matches!(&replica.held()[..], [only] if only.starts_with("http://widgets-1.widgets.")), "{:?}", replica.held());
    replica.operator.stop().await;
    cluster.delete::<StatefulSet>("widgets").await;
    cluster.stop().await;
}
