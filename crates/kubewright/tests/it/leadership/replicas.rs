//! Replicas of an operator of widgets.

use std::time::Duration;

use futures::future::join_all;
use k8s_openapi::api::coordination::v1::Lease;
use kubewright::prelude::Operator;
use kubewright::runtime::leadership::Leadership;
use kubewright_testing::{TestCluster, TestOperator};
use serde_json::Value;

use crate::reconcile::widget::{FINALIZER, Script, Widget, Widgets, widget};
use crate::reconcile::world::until;

/// The operator of these replicas.
pub(super) const OPERATOR: &str = "widget-operator.test.kubewright.dev";

/// The durations of leases in these tests.
pub(super) const LEASE: Duration = Duration::from_secs(15);
pub(super) const RENEW: Duration = Duration::from_secs(10);
pub(super) const RETRY: Duration = Duration::from_secs(2);

/// Returns leases with these durations.
pub(crate) fn leases(buckets: u32) -> Leadership {
    Leadership::leases().buckets(buckets).timing(LEASE, RENEW, RETRY)
}

/// A replica with the script of its reconciler.
pub(super) struct Replica {
    pub(super) name: String,
    pub(super) script: Script,
    pub(super) operator: TestOperator,
}

/// Starts a replica of an operator with its definitions, and waits until it works or stands by.
pub(crate) async fn start_operator(cluster: &TestCluster, operator: Operator, name: &str) -> TestOperator {
    cluster.install_crds(&operator).await;
    cluster.run_replica(operator, name).await
}

impl Replica {
    /// Starts one replica, and waits until it works or stands by.
    pub(super) async fn start(cluster: &TestCluster, name: &str, script: Script, leadership: Leadership) -> Self {
        let operator = Widgets::operator_with(&script, |controller| controller.finalizer(Some(FINALIZER))).leadership(leadership);
        let operator = start_operator(cluster, operator, name).await;
        Self { name: name.to_owned(), script, operator }
    }

    /// Starts `r0`, `r1` and so on at the same time.
    pub(super) async fn start_all(cluster: &TestCluster, count: usize, leadership: &Leadership) -> Vec<Self> {
        let names: Vec<String> = (0..count).map(|number| format!("r{number}")).collect();
        join_all(names.iter().map(|name| Self::start(cluster, name, Script::default(), leadership.clone()))).await
    }

    /// Returns the buckets that the replica leads.
    pub(super) fn held(&self) -> Vec<String> {
        self.operator.running().leadership().borrow().held().map(ToString::to_string).collect()
    }

    /// Returns the names of the widgets for which a method was called, each once.
    pub(super) fn called(&self, method: &str) -> Vec<String> {
        let calls = self.script.calls();
        let mut names: Vec<String> =
            calls.iter().filter_map(|call| call.strip_prefix(method)?.strip_prefix(' ').map(str::to_owned)).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the prefix of the replica's user agent.
    pub(super) fn agent(&self) -> String {
        format!("{OPERATOR}/{}", self.name)
    }
}

/// Creates widgets `w0`, `w1` and so on.
pub(super) async fn create(cluster: &TestCluster, count: usize) -> Vec<String> {
    let names: Vec<String> = (0..count).map(|number| format!("w{number}")).collect();
    for name in &names {
        cluster.create(widget(cluster, name, 1)).await.unwrap();
    }
    names
}

/// Waits until widgets are ready.
pub(super) async fn ready(cluster: &TestCluster, names: &[String]) -> Vec<Value> {
    let mut widgets = Vec::new();
    for name in names {
        widgets.push(cluster.expect::<Widget>(name).ready().await);
    }
    widgets
}

/// Waits until all of this number of buckets are led by one of the replicas.
pub(super) async fn all_led(cluster: &TestCluster, replicas: &[Replica], buckets: usize) {
    let held = || replicas.iter().map(|replica| (replica.name.clone(), replica.held())).collect::<Vec<_>>();
    let count = || held().iter().map(|(_, held)| held.len()).sum::<usize>();
    until(cluster, || format!("all {buckets} buckets are led: {:?}", held()), || count() == buckets).await;
}

/// Returns the names of all leases in the namespace of the test, in order.
pub(super) async fn lease_names(cluster: &TestCluster) -> Vec<String> {
    let leases = cluster.list::<Lease>().await;
    let mut names: Vec<String> =
        leases.iter().map(|lease| lease["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect();
    names.sort();
    names
}
