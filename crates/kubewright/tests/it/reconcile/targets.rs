//! Other clusters that a reconciler uses.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use http_body_util::{BodyExt as _, StreamBody};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kubewright::core::flow::Wait;
use kubewright::machinery::object::{GroupVersionKind, Key};
use kubewright::prelude::*;
use kubewright::runtime::reconcile::{ConditionAccess, Context, Controller, Reconcile};
use kubewright::runtime::targets::TargetConnector;
use kubewright_apiserver::kinds::Verb;
use kubewright_apiserver::middleware::journal::Records;
use kubewright_testing::{TestCluster, TestOptions};
use parking_lot::Mutex;
use tokio::sync::watch;

use super::widget::{FINALIZER, Script, Widget, WidgetStatus};
use super::world::World;

const ANNOTATION: &str = "test.kubewright.dev/widget";

/// The line to a cluster.
#[derive(Clone, Copy, PartialEq)]
enum Line {
    Up,
    /// New requests are not answered; what is under way goes on.
    Hangs,
    /// All requests are refused, and what is under way breaks.
    Down,
}

/// Other clusters by the names of their hosts.
#[derive(Clone, Default)]
struct Net(Arc<Mutex<Vec<(String, kube::Client)>>>);

impl Net {
    async fn add(&self, host: &str) -> Far {
        let cluster = TestCluster::start_with(TestOptions::default().exclusive()).await;
        let client = cluster.connect(cluster.tasks()).await.client().clone();
        let line = watch::Sender::new(Line::Up);
        self.0.lock().push((host.to_owned(), through(&line, &client)));
        Far { cluster, line }
    }

    fn connector(&self) -> TargetConnector {
        let net = self.clone();
        TargetConnector::new(move |config| {
            let host = config.cluster_url.host().unwrap_or_default().to_owned();
            net.0.lock().iter().find(|(name, _)| *name == host).map(|(_, client)| client.clone())
        })
    }
}

struct Far {
    cluster: TestCluster,
    line: watch::Sender<Line>,
}

/// A client whose requests go through a line.
fn through(line: &watch::Sender<Line>, client: &kube::Client) -> kube::Client {
    let (client, sender) = (client.clone(), line.clone());
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (client, mut line) = (client.clone(), sender.subscribe());
        async move {
            let gone = || std::io::Error::new(std::io::ErrorKind::ConnectionRefused, "nobody is there");
            drop(line.wait_for(|line| *line != Line::Hangs).await);
            if *line.borrow_and_update() == Line::Down {
                return Err(kube::Error::Service(gone().into()));
            }
            let answer = client.send(request).await?;
            let broken = futures::stream::once(async move {
                drop(line.wait_for(|line| *line == Line::Down).await);
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

fn kubeconfig(host: &str, token: &str) -> String {
    format!(
        "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{server: 'https://{host}'}}}}]\n\
         contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{token: {token}}}}}]\n"
    )
}

/// Works in the cluster of the kubeconfig in the config map `kubeconfig-<size>`, if the size is not 0. With size 6 it looks for gadgets there. From 100 on it
/// works in two: in that of `size / 10`, too.
struct Remotes {
    maps: Store<ConfigMap>,
    targets: Targets,
    others: Targets,
    script: Script,
}

impl Remotes {
    fn new(maps: Store<ConfigMap>, targets: Targets, others: Targets, State(script): State<Script>) -> Self {
        Self { maps, targets, others, script }
    }

    fn operator(script: &Script, net: &Net) -> Operator {
        let crd = serde_json::to_value(<Widget as kube::CustomResourceExt>::crd()).unwrap();
        let controller = Controller::new(Self::new)
            .finalizer(Some(FINALIZER))
            .watches(|triggers| drop(triggers.watch::<ConfigMap>().in_targets().by_annotation(ANNOTATION)))
            .crd(Some(crd));
        let operator = Operator::new("widget-operator.test.kubewright.dev").state(script.clone()).state(net.connector());
        operator.add_controller(controller)
    }

    fn kubeconfig(&self, cx: &Context<Widget>, number: i64) -> Flow<String> {
        let key = Key::new(cx.key().namespace(), format!("kubeconfig-{number}"));
        let map = cx.track_key(&self.maps, &key)?;
        let text = map.and_then(|map| map.data.clone()?.remove("value"));
        text.ok_or_else(|| Wait::for_event("KubeconfigMissing").into())
    }
}

fn configured(name: &str, data: Value) -> Value {
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
struct Places {
    world: World,
    net: Net,
    far: Vec<Far>,
}

impl Places {
    /// With clusters `one` to so many.
    async fn start(count: usize) -> Self {
        let (net, script) = (Net::default(), Script::default());
        let mut far = Vec::new();
        for number in 1..=count {
            far.push(net.add(&format!("far-{number}")).await);
        }
        let world = World::start_operator(script.clone(), Remotes::operator(&script, &net)).await;
        for far in &far {
            let name = world.cluster.namespace();
            let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}});
            // It is there if all clusters are one.
            drop(far.cluster.create(namespace).await);
        }
        let places = Self { world, net, far };
        for number in 1..=count {
            places.configure(number as i64, &kubeconfig(&format!("far-{number}"), "a")).await;
        }
        places
    }

    async fn configure(&self, number: i64, kubeconfig: &str) {
        let map = configured(&format!("kubeconfig-{number}"), json!({"value": kubeconfig}));
        self.world.cluster.apply(map).await;
    }

    /// Writes a config map of the test's namespace in a cluster.
    async fn put(&self, far: usize, name: &str, data: Value, annotations: Value) {
        let mut map = configured(name, data);
        map["metadata"]["namespace"] = self.world.cluster.namespace().into();
        map["metadata"]["annotations"] = annotations;
        self.far[far].cluster.apply(map).await;
    }

    async fn ready(&self, name: &str) -> Value {
        self.world.condition(name, "Ready", "True", "Reconciled").await
    }

    async fn until(&self, name: &str, what: &str, holds: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Value {
        self.world.cluster.expect::<Widget>(name).matching(what, holds).await
    }

    fn calls(&self, name: &str) -> usize {
        self.world.script.calls().iter().filter(|call| call.split(' ').nth(1) == Some(name)).count()
    }

    async fn stop(self) {
        self.world.stop().await;
        for far in self.far {
            far.line.send_replace(Line::Up);
            far.cluster.stop().await;
        }
    }
}

fn lines(records: Records) -> Vec<String> {
    records.iter().map(ToString::to_string).collect()
}

fn message_of(widget: &Value, kind: &str) -> String {
    let conditions = widget["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let condition = conditions.into_iter().find(|condition| condition["type"] == kind).unwrap_or_default();
    condition["message"].as_str().unwrap_or_default().to_owned()
}

// CLU-1, CLU-3, CLU-5, CLU-6
#[tokio::test]
async fn stores_triggers_and_trackers_may_be_of_another_cluster() {
    let places = Places::start(1).await;
    let world = &places.world;
    world.create("near", 0).await;
    world.create("demo", 1).await;
    let demo = places.ready("demo").await;
    assert!(demo["status"]["note"].as_str().unwrap().starts_with("target-"), "{demo}");
    places.ready("near").await;
    // A tracked object.
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    places.until("demo", "one entry", |widget| widget["status"]["size"] == 1).await;
    places.put(0, "demo", json!({"a": "1", "b": "2"}), json!({})).await;
    places.until("demo", "two entries", |widget| widget["status"]["size"] == 2).await;
    world.idle(Duration::from_secs(3)).await;
    // A trigger queues the keys that use the cluster, and no other.
    let calls = (places.calls("demo"), places.calls("near"));
    let of = |name: &str| json!({ANNOTATION: format!("{}/{name}", world.cluster.namespace())});
    places.put(0, "marked", json!({}), of("near")).await;
    places.put(0, "marked", json!({}), of("demo")).await;
    world.until("the trigger starts a pass", || places.calls("demo") > calls.0).await;
    let why = world.why("demo").pop().unwrap();
    assert!(why.contains("ConfigMap") && why.contains("marked"), "{why}");
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(places.calls("near"), calls.1);
    if world.cluster.is_embedded() {
        // An object of the same name in the own cluster is another object.
        let calls = places.calls("demo");
        world.cluster.apply(configured("demo", json!({"c": "3"}))).await;
        world.idle(Duration::from_secs(3)).await;
        assert_eq!(places.calls("demo"), calls);
    }
    world.cluster.delete::<Widget>("demo").await;
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    // Who is gone is queued no more.
    world.idle(Duration::from_secs(3)).await;
    let calls = places.calls("demo");
    places.put(0, "demo", json!({"a": "2"}), of("demo")).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(places.calls("demo"), calls);
    places.stop().await;
}

// CLU-2
#[tokio::test]
async fn a_kubeconfig_that_is_refused_blocks_its_object_and_is_not_shown() {
    let places = Places::start(1).await;
    places.configure(2, "apiVersion: v1\nkind: s3cr3t\nclusters: s3cr3t\n").await;
    places.configure(3, &kubeconfig("far-1", "t").replace("token: t", "exec: {command: s3cr3t}")).await;
    for (size, expected) in
        [(2, "its fields are not those of a kubeconfig"), (3, "sets users[0].user.exec, which runs a program")]
    {
        let name = format!("demo-{size}");
        places.world.create(&name, size).await;
        let widget = places.world.condition(&name, "Stalled", "True", "CredentialsRefused").await;
        let message = message_of(&widget, "Ready");
        assert!(message.contains(expected) && !message.contains("s3cr3t"), "{message}");
        places.configure(size, &kubeconfig("far-1", "t")).await;
        places.ready(&name).await;
    }
    places.stop().await;
}

// CLU-2, CLU-4
#[tokio::test]
async fn a_cluster_that_is_away_degrades_only_the_objects_that_need_it() {
    let places = Places::start(2).await;
    let world = &places.world;
    places.far[0].line.send_replace(Line::Down);
    world.create("near", 0).await;
    world.create("other", 2).await;
    // More of them than there are workers.
    for number in 0..5 {
        world.create(&format!("far-{number}"), 1).await;
    }
    for number in 0..5 {
        let widget = world.condition(&format!("far-{number}"), "Ready", "False", "TargetUnreachable").await;
        let message = message_of(&widget, "Ready");
        assert!(message.starts_with("the target cluster target-") && message.contains("nobody is there"), "{message}");
    }
    places.ready("near").await;
    places.ready("other").await;
    world.idle(Duration::from_secs(30)).await;
    let (calls, mark, there) =
        ((places.calls("near"), places.calls("other")), world.cluster.journal().mark(), places.far[1].cluster.journal().mark());
    assert!(places.world.unready().is_empty(), "the operator is ready: {:?}", places.world.unready());
    let note = places.world.note("targets of widget").unwrap();
    assert!(note.contains("target-") && note.contains("nobody is there"), "{note}");
    world.idle(Duration::from_secs(60)).await;
    assert_eq!((places.calls("near"), places.calls("other")), calls);
    assert_eq!(lines(world.cluster.journal().since(mark).writes()), [""; 0], "nothing new is told");
    let asked = places.far[1].cluster.journal().since(there).filter(|record| record.target.verb() != Some(Verb::Watch));
    assert_eq!(lines(asked), [""; 0]);
    // It comes, and goes, and comes back.
    places.far[0].line.send_replace(Line::Up);
    for number in 0..5 {
        places.ready(&format!("far-{number}")).await;
    }
    assert_eq!(places.world.note("targets of widget"), None);
    let calls = (places.calls("near"), places.calls("other"));
    places.far[0].line.send_replace(Line::Down);
    for number in 0..5 {
        world.condition(&format!("far-{number}"), "Ready", "False", "TargetUnreachable").await;
    }
    places.far[0].line.send_replace(Line::Up);
    for number in 0..5 {
        places.ready(&format!("far-{number}")).await;
    }
    assert_eq!((places.calls("near"), places.calls("other")), calls);
    places.put(0, "far-3", json!({"a": "1"}), json!({})).await;
    places.until("far-3", "one entry", |widget| widget["status"]["size"] == 1).await;
    places.stop().await;
}

// CLU-1
#[tokio::test]
async fn an_object_may_be_in_two_clusters_at_once() {
    let places = Places::start(1).await;
    let far = places.net.add("far-10").await;
    drop(
        far.cluster
            .create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": places.world.cluster.namespace()}}))
            .await,
    );
    let places = Places { far: places.far.into_iter().chain([far]).collect(), ..places };
    places.configure(100, &kubeconfig("far-1", "a")).await;
    places.configure(10, &kubeconfig("far-10", "a")).await;
    places.world.create("demo", 100).await;
    let demo = places.ready("demo").await;
    let note = demo["status"]["note"].as_str().unwrap();
    assert!(note.ends_with(": false") && note.matches("target-").count() == 2, "{note}");
    places.put(1, "demo", json!({}), json!({})).await;
    places
        .until("demo", "the object in the second cluster", |widget| {
            widget["status"]["note"].as_str().is_some_and(|note| note.ends_with(": true"))
        })
        .await;
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    places.until("demo", "the object in the first cluster", |widget| widget["status"]["size"] == 1).await;
    places.stop().await;
}

// CLU-6: TGT-4
#[tokio::test]
async fn a_new_kubeconfig_is_a_new_target_and_the_former_one_ends_after_a_quarter_of_an_hour() {
    let places = Places::start(2).await;
    let world = &places.world;
    world.create("demo", 1).await;
    let first = places.ready("demo").await["status"]["note"].clone();
    assert_eq!(world.clients(), (1, 1));
    // An object that has selected another cluster has left the former one, also if it cannot be reached.
    places.far[1].line.send_replace(Line::Down);
    places.configure(1, &kubeconfig("far-2", "a")).await;
    world.condition("demo", "Ready", "False", "TargetUnreachable").await;
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    world.idle(Duration::from_secs(3)).await;
    let (why, tracked) = (world.why("demo"), format!("ConfigMap {}/demo", world.cluster.namespace()));
    assert!(!why.iter().any(|pass| pass.contains(&tracked)), "{why:?}");
    places.far[1].line.send_replace(Line::Up);
    let last = first.clone();
    let moved = places.until("demo", "in the second cluster", move |widget| widget["status"]["note"] != last).await;
    assert_eq!(world.clients(), (2, 2));
    // The same cluster with another token is another target.
    let last = moved["status"]["note"].clone();
    places.configure(1, &kubeconfig("far-2", "b")).await;
    places.until("demo", "with another token", move |widget| widget["status"]["note"] != last).await;
    assert_eq!(world.clients(), (3, 3));
    // What is left queues nothing.
    let calls = places.calls("demo");
    let of = json!({ANNOTATION: format!("{}/demo", world.cluster.namespace())});
    places.put(0, "demo", json!({"a": "1"}), of).await;
    world.idle(Duration::from_secs(3)).await;
    assert_eq!(places.calls("demo"), calls);
    if world.cluster.is_embedded() {
        world.idle(Duration::from_mins(13)).await;
        assert_eq!(world.clients(), (3, 3));
        world.idle(Duration::from_mins(4)).await;
        assert_eq!(world.clients(), (3, 1));
        // Watches end a minute after their last user; running ones are renewed every five minutes.
        world.idle(Duration::from_mins(6)).await;
        let mark = places.far[0].cluster.journal().mark();
        world.idle(Duration::from_mins(30)).await;
        assert_eq!(lines(places.far[0].cluster.journal().since(mark)), [""; 0]);
        places.put(1, "demo", json!({"a": "1"}), json!({})).await;
        places.until("demo", "one entry", |widget| widget["status"]["size"] == 1).await;
        // An object that needs no target any more leaves it.
        world.cluster.patch::<Widget>("demo", json!({"spec": {"size": 0}})).await;
        world.idle(Duration::from_mins(20)).await;
        assert_eq!(world.clients(), (3, 0));
    }
    places.stop().await;
}

// CLU-4, CLU-7
#[tokio::test]
async fn an_object_is_not_finalized_while_its_cluster_is_away() {
    let places = Places::start(1).await;
    let world = &places.world;
    world.create("demo", 1).await;
    places.ready("demo").await;
    places.far[0].line.send_replace(Line::Down);
    world.condition("demo", "Ready", "False", "TargetUnreachable").await;
    world.cluster.delete::<ConfigMap>("kubeconfig-1").await;
    world.cluster.delete::<Widget>("demo").await;
    let waiting = places
        .until("demo", "waiting for the cluster", |widget| {
            widget["metadata"]["deletionTimestamp"].is_string()
                && widget["status"]["observedGeneration"] == widget["metadata"]["generation"]
        })
        .await;
    assert!(message_of(&waiting, "Ready").contains("the target cluster target-"), "{waiting}");
    places.far[0].line.send_replace(Line::Up);
    world.cluster.expect::<Widget>("demo").to_be_gone().await;
    let maps = kube::Api::<ConfigMap>::namespaced(places.far[0].cluster.client().clone(), world.cluster.namespace());
    assert!(maps.get_opt("written").await.unwrap().is_none());
    places.stop().await;
}

// CLU-3, CLU-4
#[tokio::test]
async fn a_cluster_that_hangs_holds_workers_for_a_limited_time() {
    let places = Places::start(1).await;
    let world = &places.world;
    world.create("near", 0).await;
    for name in ["a", "b", "c"] {
        world.create(name, 1).await;
        places.ready(name).await;
    }
    places.ready("near").await;
    world.idle(Duration::from_secs(3)).await;
    places.far[0].line.send_replace(Line::Hangs);
    // Each pass of them creates it again.
    let maps = kube::Api::<ConfigMap>::namespaced(places.far[0].cluster.client().clone(), world.cluster.namespace());
    maps.delete("written", &kube::api::DeleteParams::default()).await.unwrap();
    for name in ["a", "b", "c"] {
        places.put(0, name, json!({"a": "1"}), json!({})).await;
    }
    world.idle(Duration::from_secs(1)).await;
    let (began, calls) = (world.cluster.clock().moment(), places.calls("near"));
    world.cluster.patch::<Widget>("near", json!({"metadata": {"labels": {"a": "b"}}})).await;
    world.until("the other object is looked at", || places.calls("near") > calls).await;
    assert!(world.cluster.clock().moment().since(began) < Duration::from_secs(40));
    for name in ["a", "b", "c"] {
        world.condition(name, "Ready", "False", "TargetUnreachable").await;
    }
    places.far[0].line.send_replace(Line::Up);
    for name in ["a", "b", "c"] {
        places.ready(name).await;
    }
    places.stop().await;
}

// CLU-3
#[tokio::test]
async fn kinds_and_permissions_that_a_cluster_lacks_are_waited_for() {
    let places = Places::start(1).await;
    places.configure(6, &kubeconfig("far-1", "a")).await;
    places.world.create("gadgets", 6).await;
    let widget = places.world.condition("gadgets", "Ready", "False", "KindNotServed").await;
    assert!(message_of(&widget, "Ready").contains("does not serve Gadget.later.kubewright.dev"), "{widget}");
    let rule = places.far[0].cluster.faults().on(Verb::List).of("", "configmaps").forbidden();
    places.world.create("demo", 1).await;
    let widget = places.world.condition("demo", "Ready", "False", "WatchForbidden").await;
    assert!(message_of(&widget, "Ready").starts_with("grant get, list and watch of ConfigMap in "), "{widget}");
    rule.remove();
    places.ready("demo").await;
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "gadgets.later.kubewright.dev"},
        "spec": {
            "group": "later.kubewright.dev", "scope": "Namespaced",
            "names": {"kind": "Gadget", "plural": "gadgets", "singular": "gadget"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema":
                {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}],
        },
    });
    places.far[0].cluster.install_crd(&crd).await;
    places.ready("gadgets").await;
    places.stop().await;
}

// CLU-4
#[tokio::test]
async fn objects_stay_ready_when_the_operator_starts_again() {
    let mut places = Places::start(1).await;
    for name in ["a", "b", "c", "d"] {
        places.world.create(name, 1).await;
    }
    for name in ["a", "b", "c", "d"] {
        places.ready(name).await;
    }
    let operator = Remotes::operator(&places.world.script, &places.net);
    let mark = places.world.cluster.journal().mark();
    places.world.restart_with(operator).await;
    let calls = places.calls("d");
    places.world.until("all are looked at", || places.calls("d") > calls).await;
    places.world.idle(Duration::from_secs(10)).await;
    let written = places.world.cluster.journal().since(mark).writes().of("test.kubewright.dev", "widgets");
    assert_eq!(lines(written), [""; 0]);
    places.put(0, "d", json!({"a": "1"}), json!({})).await;
    places.until("d", "one entry", |widget| widget["status"]["size"] == 1).await;
    places.stop().await;
}

// CLU-1: connections are real here, so time is real too.
#[tokio::test(flavor = "multi_thread")]
async fn a_kubeconfig_leads_to_its_cluster() {
    let places = Places::start(1).await;
    let text = places.far[0].cluster.kubeconfig().await;
    places.configure(7, &text).await;
    places.world.create("demo", 7).await;
    places.ready("demo").await;
    places.put(0, "demo", json!({"a": "1"}), json!({})).await;
    places.until("demo", "one entry", |widget| widget["status"]["size"] == 1).await;
    assert_eq!(places.world.unready(), Vec::<String>::new());
    places.stop().await;
}
