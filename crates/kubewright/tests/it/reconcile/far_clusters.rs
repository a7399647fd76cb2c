//! Clusters besides that of the operator, whose connections a test breaks, and a reconciler that works in them.

use std::sync::Arc;

use futures::StreamExt as _;
use http_body_util::{BodyExt as _, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kubewright::core::flow::Wait;
use kubewright::machinery::object::{GroupVersionKind, Key};
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{ConditionAccess, Context, Controller, Reconcile};
use kubewright::runtime::targets::TargetConnector;
use kubewright_testing::{TestCluster, TestOptions};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::widget::{FINALIZER, Script, Widget, WidgetStatus};
use super::world::World;

pub(super) const ANNOTATION: &str = "test.kubewright.dev/widget";

/// The connection to a cluster.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Connectivity {
    Up,
    /// New requests are not answered; running ones continue.
    Hangs,
    /// All requests are refused, and running ones break.
    Down,
}

/// Other clusters by the names of their hosts.
#[derive(Clone, Default)]
pub(super) struct Net(Arc<Mutex<Vec<(String, kube::Client)>>>);

impl Net {
    pub(super) async fn add(&self, host: &str) -> Far {
        let cluster = TestCluster::start_with(TestOptions::default().exclusive()).await;
        let client = cluster.connect(cluster.tasks()).await.client().clone();
        let line = watch::Sender::new(Connectivity::Up);
        self.0.lock().push((host.to_owned(), through(&line, &client)));
        Far { cluster, line }
    }

    pub(super) fn connector(&self) -> TargetConnector {
        let net = self.clone();
        TargetConnector::new(move |config| {
            let host = config.cluster_url.host().unwrap_or_default().to_owned();
            net.0.lock().iter().find(|(name, _)| *name == host).map(|(_, client)| client.clone())
        })
    }
}

pub(super) struct Far {
    pub(super) cluster: TestCluster,
    pub(super) line: watch::Sender<Connectivity>,
}

/// Returns a client whose requests go through a connection.
pub(super) fn through(line: &watch::Sender<Connectivity>, client: &kube::Client) -> kube::Client {
    let (client, sender) = (client.clone(), line.clone());
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, mut line) = (client.clone(), sender.subscribe());
        async move {
            let gone = || std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "the cluster is not reachable");
            drop(line.wait_for(|line| *line != Connectivity::Hangs).await);
            if *line.borrow_and_update() == Connectivity::Down {
                return Err(kube::Error::Service(gone().into()));
            }
            let answer = client.send(request).await?;
            let broken = futures::stream::once(async move {
                drop(line.wait_for(|line| *line == Connectivity::Down).await);
                Err(gone())
            });
            let whole = Arc::new(tokio::sync::Notify::new());
            let ended = Arc::clone(&whole);
            Ok::<_, kube::Error>(answer.map(|body| {
                let data = body.into_data_stream().map(|chunk| chunk.map_err(std::io::Error::other));
                let data = data.chain(futures::stream::once(async move { ended.notify_one() }).filter_map(|()| async { None }));
                let broken = broken.take_until(async move { whole.notified().await });
                let chunks = futures::stream::select(data, broken).map(|chunk| chunk.map(http_body::Frame::data));
                StreamBody::new(chunks)
            }))
        }
    });
    kube::Client::new(service, "default")
}

pub(super) fn kubeconfig(host: &str, token: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{server: 'https://{host}'}}}}]\n\
         contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{token: {token}}}}}]\n"
    )
}

/// A reconciler that works in the cluster of the kubeconfig in the config map `kubeconfig-<size>`, if the size is not 0. With size 6 it looks
/// for gadgets there. From 100 on it works in two clusters: also in that of `size / 10`.
pub(super) struct Remotes {
    maps: Store<ConfigMap>,
    targets: Targets,
    others: Targets,
    script: Script,
}

impl Remotes {
    pub(super) fn new(maps: Store<ConfigMap>, targets: Targets, others: Targets, State(script): State<Script>) -> Self {
        Self { maps, targets, others, script }
    }

    pub(super) fn operator(script: &Script, net: &Net) -> Operator {
        let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
        let controller = Controller::new(Self::new)
            .finalizer(Some(FINALIZER))
            .watches(|triggers| drop(triggers.watch::<ConfigMap>().in_targets().by_annotation(ANNOTATION)))
            .crd(Some(crd));
        let operator = Operator::new("widget-operator.test.kubewright.dev").state(script.clone()).state(net.connector());
        operator.add_controller(controller)
    }

    pub(super) fn kubeconfig(&self, cx: &Context<Widget>, number: i64) -> Flow<String> {
        let key = Key::new(cx.key().namespace(), format!("kubeconfig-{number}"));
        let map = cx.track_key(&self.maps, &key)?;
        let text = map.and_then(|map| map.data.clone()?.remove("value"));
        text.ok_or_else(|| Wait::for_event("KubeconfigMissing").into())
    }
}

pub(super) fn configured(name: &str, data: Value) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data})
}

impl Reconcile for Remotes {
    type Kind = Widget;
    type Status = WidgetStatus;

    async fn reconcile(&self, cx: &Context<Widget>, object: &Widget, status: &mut WidgetStatus) -> Flow {
        self.script.called("reconcile", cx.key().name());
        let size = object.spec.size;
        if size == 0 {
            status.conditions.mark_true("Sized");
            return Ok(());
        }
        let target = self.targets.select(cx, self.kubeconfig(cx, size)?).await?;
        if size == 6 {
            let gadgets = target.dynamic(&GroupVersionKind::new("later.kubewright.dev", "v1", "Gadget"), AllNamespaces)?;
            status.size = Some(gadgets.len() as i64);
            status.conditions.mark_true("Sized");
            return Ok(());
        }
        let maps = target.store::<ConfigMap>(cx.key().namespace())?;
        let found = cx.track_key(&maps, cx.key())?;
        if maps.get(&Key::new(cx.key().namespace(), "written")).is_none() {
            let api = kube::Api::<ConfigMap>::namespaced(target.client().clone(), cx.key().namespace());
            let map = serde_json::from_value(configured("written", json!({})))?;
            api.create(&kube::api::PostParams::default(), &map).await?;
            assert!(maps.get(&Key::new(cx.key().namespace(), "written")).is_some(), "own writes are visible at once");
        }
        status.note = Some(target.name().to_owned());
        status.size = found.and_then(|map| Some(map.data.as_ref()?.len() as i64));
        if size >= 100 {
            let other = self.others.select(cx, self.kubeconfig(cx, size / 10)?).await?;
            let gvk = GroupVersionKind::new("", "v1", "ConfigMap");
            let (metadata, whole) = (other.metadata::<ConfigMap>(AllNamespaces)?, other.dynamic(&gvk, cx.key().namespace())?);
            assert!(metadata.len() >= whole.len());
            let there = cx.track_key(&whole, cx.key())?;
            status.note = Some(format!("{}, {}: {}", target.name(), other.name(), there.is_some()));
        }
        status.conditions.mark_true("Sized");
        Ok(())
    }

    fn conditions() -> Option<ConditionAccess<WidgetStatus>> {
        Some(ConditionAccess::derived())
    }
}

impl Finalize for Remotes {
    async fn finalize(&self, cx: &Context<Widget>, object: &Widget, _: &mut WidgetStatus) -> Flow {
        self.script.called("finalize", cx.key().name());
        if object.spec.size == 0 {
            return Ok(());
        }
        // The kubeconfig may be gone.
        let Some(target) = self.targets.last(cx).await? else { return Ok(()) };
        let api = kube::Api::<ConfigMap>::namespaced(target.client().clone(), cx.key().namespace());
        match api.delete("written", &kube::api::DeleteParams::default()).await {
            Err(error) if !matches!(&error, kube::Error::Api(status) if status.code == 404) => Err(error.into()),
            _ => Ok(()),
        }
    }
}

/// An operator, and other clusters with the namespace of the test.
pub(super) struct Places {
    pub(super) world: World,
    pub(super) net: Net,
    pub(super) far: Vec<Far>,
}

impl Places {
    /// Starts this number of other clusters.
    pub(super) async fn start(count: usize) -> Self {
        let (net, script) = (Net::default(), Script::default());
        let mut far = Vec::new();
        for number in 1..=count {
            far.push(net.add(&format!("far-{number}")).await);
        }
        let world = World::start_operator(script.clone(), Remotes::operator(&script, &net)).await;
        for far in &far {
            let name = world.cluster.namespace();
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            // The namespace exists if all clusters are one.
            drop(far.cluster.create(namespace).await);
        }
        let places = Self { world, net, far };
        for number in 1..=count {
            places.configure(number as i64, &kubeconfig(&format!("far-{number}"), "a")).await;
        }
        places
    }

    pub(super) async fn configure(&self, number: i64, kubeconfig: &str) {
        let map = configured(&format!("kubeconfig-{number}"), json!({"value": kubeconfig}));
        self.world.cluster.apply(map).await;
    }

    /// Writes a config map of the test's namespace in a cluster.
    pub(super) async fn put(&self, far: usize, name: &str, data: Value, annotations: Value) {
        let mut map = configured(name, data);
        map["metadata"]["namespace"] = self.world.cluster.namespace().into();
        map["metadata"]["annotations"] = annotations;
        self.far[far].cluster.apply(map).await;
    }

    pub(super) async fn ready(&self, name: &str) -> Value {
        self.world.condition(name, "Ready", "True", "Reconciled").await
    }

    pub(super) async fn until(&self, name: &str, what: &str, holds: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Value {
        self.world.cluster.expect::<Widget>(name).matching(what, holds).await
    }

    pub(super) fn calls(&self, name: &str) -> usize {
        self.world.script.calls().iter().filter(|call| call.split(' ').nth(1) == Some(name)).count()
    }

    pub(super) async fn stop(self) {
        self.world.stop().await;
        for far in self.far {
            far.line.send_replace(Connectivity::Up);
            far.cluster.stop().await;
        }
    }
}
