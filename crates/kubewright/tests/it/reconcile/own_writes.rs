//! Own writes of a pass in the stores of its operator, while the events of these writes are late (STORE-8).

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kubewright::core::flow::{Delay, Wait};
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{Context, Controller, NoStatus, Reconcile};
use kubewright::runtime::store::Store;
use kubewright_testing::TestCluster;
use parking_lot::Mutex;

use super::widget::{Script, Widget, Widgets, widget};

/// The delay of an event that arrives after all other actions of a test.
const LATE: Duration = Duration::from_secs(60);

type Log = Arc<Mutex<Vec<String>>>;

/// A reconciler that keeps a config map with the size of each widget, none for size 0. It writes with its client, based on the content of its
/// store.
struct Sizes {
    owned: Store<ConfigMap>,
    log: Log,
}

impl Sizes {
    fn new(owned: Store<ConfigMap>, State(log): State<Log>) -> Self {
        Self { owned, log }
    }

    fn stored(&self, cx: &Context<Widget>) -> Option<String> {
        self.owned.get(cx.key())?.data.as_ref()?.get("size").cloned()
    }

    /// Notes a write, and the content of the store right after it.
    fn wrote(&self, what: &str, cx: &Context<Widget>) {
        self.log.lock().push(format!("{what}: {}", self.stored(cx).as_deref().unwrap_or("-")));
    }
}

impl Reconcile for Sizes {
    type Kind = Widget;
    type Status = NoStatus;

    async fn reconcile(&self, cx: &Context<Widget>, widget: &Widget, _: &mut NoStatus) -> Flow {
        let api = Api::<ConfigMap>::namespaced(cx.client().clone(), cx.key().namespace());
        let (name, size) = (cx.key().name(), widget.spec.size.to_string());
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"size": size}});
        match self.stored(cx) {
            Some(_) if widget.spec.size == 0 => {
                api.delete(name, &DeleteParams::default()).await?;
                self.wrote("delete", cx);
            }
            None if widget.spec.size > 0 => {
                api.create(&PostParams::default(), &serde_json::from_value(object)?).await?;
                self.wrote("create", cx);
            }
            Some(stored) if stored != size => {
                api.patch(name, &PatchParams::apply("sizes").force(), &Patch::Apply(&object)).await?;
                self.wrote("apply", cx);
            }
            _ => self.log.lock().push("nothing".to_owned()),
        }
        Ok(())
    }
}

fn crd() -> Value {
    serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap()
}

async fn until(cluster: &TestCluster, what: &str, holds: impl Fn() -> bool) {
    let deadline = cluster.clock().moment() + Duration::from_secs(40);
    while !holds() {
        assert!(cluster.clock().moment() < deadline, "expected that {what}");
        cluster.pass(Duration::from_millis(50)).await;
    }
}

// STORE-8
#[tokio::test]
async fn the_stores_of_a_pass_contain_the_writes_of_the_previous_pass() {
    let cluster = TestCluster::start().await;
    cluster.journal().keep_bodies(true);
    let log = Log::default();
    let controller = Controller::new(Sizes::new).crd(Some(crd()));
    let operator = cluster.run(Operator::new("sizes.test.kubewright.dev").state(log.clone()).add_controller(controller)).await;
    if let Some(server) = cluster.embedded() {
        server.delay_events("", "configmaps", LATE);
    }
    let mut expected = vec!["create: 3"];
    cluster.create(widget(&cluster, "demo", 3)).await.unwrap();
    // The second pass for each size has nothing to do.
    for (size, written) in [(3, None), (4, Some("apply: 4")), (0, Some("delete: -")), (5, Some("create: 5"))] {
        if let Some(written) = written {
            cluster.patch::<Widget>("demo", json!({"spec": {"size": size}})).await;
            expected.push(written);
        }
        until(&cluster, "the pass has ended", || log.lock().len() == expected.len()).await;
        cluster.patch::<Widget>("demo", json!({"metadata": {"labels": {"pass": expected.len().to_string()}}})).await;
        expected.push("nothing");
        until(&cluster, "the pass has ended", || log.lock().len() == expected.len()).await;
        assert_eq!(*log.lock(), expected);
    }
    cluster.pass(if cluster.is_embedded() { 2 * LATE } else { Duration::from_secs(2) }).await;
    assert_eq!(*log.lock(), expected, "the events of the own writes are no news");
    let writes: Vec<String> = cluster.journal().all().of("", "configmaps").writes().iter().map(ToString::to_string).collect();
    // Real clusters create a config map of their own in each namespace.
    assert_eq!(writes.iter().filter(|write| !write.contains("kube-root-ca")).count(), 4, "{writes:#?}");
    operator.stop().await;
}

// STORE-8, STAGE-4
#[tokio::test]
async fn passes_that_a_cache_would_have_shown_an_older_object_are_counted() {
    let script = Script::default().reconcile(|_, widget, status| {
        Box::pin(async move {
            status.size = Some(status.size.unwrap_or(0) + 1);
            if status.size < Some(widget.spec.size) {
                return Wait::after(Delay::secs::<1>(), "Growing").message("it grows").into();
            }
            status.conditions.mark_true("Sized");
            Ok(())
        })
    });
    let cluster = TestCluster::start().await;
    cluster.journal().keep_bodies(true);
    let operator = cluster.run(Widgets::operator(&script)).await;
    let Some(server) = cluster.embedded() else { return operator.stop().await };
    cluster.create(widget(&cluster, "demo", 4)).await.unwrap();
    until(&cluster, "the first pass runs", || script.count("reconcile") == 1).await;
    server.delay_events("test.kubewright.dev", "widgets", LATE);
    until(&cluster, "all passes have run", || script.count("reconcile") == 4).await;
    cluster.pass(Duration::from_secs(1)).await;
    let writes = cluster.journal().all().of("test.kubewright.dev", "widgets").writes();
    let writes: Vec<String> = writes.iter().map(ToString::to_string).filter(|write| write.contains("patch")).collect();
    assert_eq!(writes.len(), 5, "the finalizer and four times the status: {writes:#?}");
    let metrics = operator.running().metrics().encode().unwrap();
    let counted = metrics.lines().find(|line| line.starts_with("kubewright_reads_ahead_of_watch_total{")).unwrap_or_default();
    let count: u64 = counted.rsplit(' ').next().and_then(|count| count.parse().ok()).unwrap_or_default();
    // The delay decides if the events of the first writes arrive before the second pass.
    assert!((2..=3).contains(&count), "{counted:?} in {metrics}");
    operator.stop().await;
}
