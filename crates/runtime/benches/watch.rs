//! The costs of a watch: time per listed object, per event and per own write, and memory per object.
//!
//! `cargo bench -p kubewright-runtime --bench watch [-- <objects>]`. The benchmark has one thread and no sockets: it measures parsing, projecting and
//! storing.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use kube::client::Body;
use kubewright_machinery::object::{GroupKind, Key, ObjectExt as _};
use kubewright_runtime::clock::{Clock, Random};
use kubewright_runtime::cluster::{Cluster, ClusterOptions};
use kubewright_runtime::task::Tasks;
use kubewright_runtime::watch::{Project, ProjectedStore, Unprojectable, WatchSpec};
use serde_json::{Value, json};
use tokio::sync::mpsc;

/// Objects per page of the list.
const PAGE: usize = 500;

/// The fields of a dependent that decisions usually need.
#[derive(Debug)]
struct Kept {
    uid: Box<str>,
    version: Box<str>,
    owner: Option<Arc<str>>,
    ready: bool,
}

struct Keeper {
    owners: Vec<Arc<str>>,
}

impl Project for Keeper {
    type Output = Kept;

    fn project(&self, object: &Value) -> Result<Kept, Unprojectable> {
        let owner = object.label("demo.example.com/owner-id").and_then(|owner| owner.parse::<usize>().ok());
        Ok(Kept {
            uid: object.uid().into(),
            version: object.resource_version().into(),
            owner: owner.and_then(|owner| self.owners.get(owner).cloned()),
            ready: object.pointer("/status/availableReplicas") == Some(&json!(1)),
        })
    }

    fn index<'a>(&self, kept: &'a Kept, entry: &mut dyn FnMut(&'static str, &'a str)) {
        if let Some(owner) = &kept.owner {
            entry("owner", owner);
        }
    }
}

type Events = mpsc::UnboundedReceiver<Bytes>;

/// A server that answers discovery, the list in pages of 500, and one watch whose events the benchmark sends.
struct Server {
    pages: Vec<Bytes>,
    events: parking_lot::Mutex<Option<Events>>,
}

impl Server {
    fn answer(&self, request: &Request<Body>) -> Response<UnsyncBoxBody<Bytes, Infallible>> {
        let uri = request.uri().to_string();
        let text =
            match uri.as_str() {
                "/api" => json!({"kind": "APIVersions"}).to_string().into(),
                "/apis" => discovery().to_string().into(),
                _ if uri.contains("watch=true") => {
                    let Some(events) = self.events.lock().take() else {
                        return Response::new(StreamBody::new(futures::stream::pending()).boxed_unsync());
                    };
                    let frames = futures::stream::unfold(events, |mut events| async move {
                        Some((Ok(Frame::data(events.recv().await?)), events))
                    });
                    return Response::new(StreamBody::new(frames).boxed_unsync());
                }
                _ => self.page(&uri),
            };
        Response::new(Full::new(text).boxed_unsync())
    }

    fn page(&self, uri: &str) -> Bytes {
        let page = uri.split("continue=").nth(1).and_then(|token| token.parse().ok()).unwrap_or(0);
        self.pages.get::<usize>(page).cloned().unwrap_or_default()
    }
}

fn pages(objects: usize) -> Vec<Bytes> {
    let starts: Vec<_> = (0..objects).step_by(PAGE).collect();
    let page = |(number, from): (usize, &usize)| {
        let items: Vec<_> = (*from..objects.min(from + PAGE)).map(|n| deployment(n, 1)).collect();
        let next = if number + 1 < starts.len() { (number + 1).to_string() } else { String::new() };
        let metadata = json!({"resourceVersion": "1", "continue": next});
        json!({"kind": "DeploymentList", "metadata": metadata, "items": items}).to_string().into()
    };
    starts.iter().enumerate().map(page).collect()
}

fn discovery() -> Value {
    json!({"kind": "APIGroupDiscoveryList", "items": [{"metadata": {"name": "apps"}, "versions": [{
        "version": "v1", "resources": [{
            "resource": "deployments", "scope": "Namespaced", "responseKind": {"kind": "Deployment"},
        }],
    }]}]})
}

/// Returns a Deployment of usual size: about 3 KiB, a third of which are managed fields.
fn deployment(n: usize, version: usize) -> Value {
    let fields: Value =
        (0..24).map(|field| (format!("f:field-{field}"), json!({".": {}, "f:a": {}}))).collect::<serde_json::Map<_, _>>().into();
    let env: Vec<_> =
        (0..12).map(|n| json!({"name": format!("VARIABLE_{n}"), "value": format!("the value of variable {n}")})).collect();
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "namespace": format!("namespace-{}", n % 10), "name": format!("component-{}-{}", n / 10, n % 10),
            "uid": format!("00000000-0000-4000-8000-{n:012x}"), "resourceVersion": version.to_string(), "generation": 1,
            "labels": {"demo.example.com/owner-id": (n / 10).to_string(), "app": "demo"},
            "annotations": {"demo.example.com/digest": format!("{n:064x}")},
            "managedFields": [{"manager": "demo", "operation": "Apply", "fieldsType": "FieldsV1", "fieldsV1": fields}],
        },
        "spec": {"replicas": 1, "template": {"spec": {"containers": [{"name": "main", "image": "example.com/demo:1", "env": env}]}}},
        "status": {"observedGeneration": 1, "replicas": 1, "availableReplicas": 1, "conditions": [
            {"type": "Available", "status": "True", "reason": "MinimumReplicasAvailable"},
        ]},
    })
}

fn event(n: usize, version: usize) -> Bytes {
    format!("{}\n", json!({"type": "MODIFIED", "object": deployment(n, version)})).into()
}

/// Returns the resident memory in bytes, or 0 where the system does not report it.
fn resident() -> usize {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}

async fn reached(store: &ProjectedStore<Kept>, version: usize, objects: usize) {
    let version = version.to_string();
    let last = format!("component-{}-{}", (objects - 1) / 10, (objects - 1) % 10);
    let namespace = format!("namespace-{}", (objects - 1) % 10);
    while store.find(&namespace, &last).is_none_or(|kept| *kept.version != *version) {
        tokio::task::yield_now().await;
    }
}

fn remove(store: &ProjectedStore<Kept>, object: &Value) {
    store.record_delete(&Key::new(object.namespace(), object.name()), object.uid());
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let objects = std::env::args().find_map(|arg| arg.parse().ok()).unwrap_or(10_000);
    let (feed, events) = mpsc::unbounded_channel();
    let server = Arc::new(Server { pages: pages(objects), events: parking_lot::Mutex::new(Some(events)) });
    let service = tower::service_fn(move |request: Request<Body>| {
        let answer = server.answer(&request);
        async move { Ok::<_, Infallible>(answer) }
    });
    let clock = Clock::system();
    let options = ClusterOptions::new(clock.clone(), Random::seeded(1), Tasks::new());
    let cluster = Cluster::new(kube::Client::new(service, "default"), options);
    let owners = (0..=objects / 10).map(|owner| owner.to_string().into()).collect();
    let mut report = Vec::new();
    let mut line = |what: &str, took: Duration| {
        let each = took.as_secs_f64() * 1e6 / objects as f64;
        report.push(format!("{what:<24} {each:>8.2} us each"));
    };

    // The texts of all events are made before the measurement begins.
    let texts: Vec<_> = (0..objects).map(|n| event(n, 2)).collect();
    let own: Vec<_> = (0..objects).map(|n| deployment(n, 3)).collect();
    let echoes: Vec<_> = (0..objects).map(|n| event(n, 3)).collect();
    let before = resident();
    let started = clock.moment();
    let spec = WatchSpec::new(GroupKind::new("apps", "Deployment"));
    let store = cluster.watches().subscribe(spec, Arc::new(Keeper { owners }));
    store.synced().await;
    line("list", clock.moment().since(started));
    let memory = resident().saturating_sub(before) / objects;

    let started = clock.moment();
    for text in texts {
        drop(feed.send(text));
    }
    reached(&store, 2, objects).await;
    line("event", clock.moment().since(started));

    let started = clock.moment();
    for object in &own {
        store.record_write(object);
    }
    line("own write", clock.moment().since(started));
    let started = clock.moment();
    for text in echoes {
        drop(feed.send(text));
    }
    drop(feed.send(event(objects - 1, 4)));
    reached(&store, 4, objects).await;
    line("event of an own write", clock.moment().since(started));

    let started = clock.moment();
    let found: usize = (0..objects / 10).map(|owner| store.indexed("owner", &owner.to_string()).len()).sum();
    line("indexed", clock.moment().since(started));
    let ready = store.list().iter().filter(|(_, kept)| kept.ready && !kept.uid.is_empty()).count();

    // All objects have one owner, and a tenth of them or all are removed: the cost of one removal must not grow with their number.
    let one: Vec<Arc<str>> = vec!["one".into(); objects / 10 + 1];
    let mut removals = Vec::new();
    for count in [objects / 10, objects] {
        let keeper = Arc::new(Keeper { owners: one.clone() });
        let spec = WatchSpec::new(GroupKind::new("apps", "Deployment")).labels(format!("count={count}"));
        let owned = cluster.watches().subscribe(spec, keeper);
        owned.synced().await;
        for object in &own[count..] {
            remove(&owned, object);
        }
        let started = clock.moment();
        for object in &own[..count] {
            remove(&owned, object);
        }
        let each = clock.moment().since(started).as_secs_f64() * 1e6 / count as f64;
        assert!(owned.is_empty(), "{} objects are left", owned.len());
        println!("{:<24} {each:>8.2} us each", format!("removal of {count} of one"));
        removals.push(each);
    }
    let grows = removals.last().unwrap_or(&0.0) / removals.first().unwrap_or(&1.0);
    assert!(grows < 5.0, "the removal of an object of an owner costs {grows:.1} times as much among ten times as many");

    println!("{objects} objects of {} bytes, {found} found by owner, {ready} ready", deployment(0, 1).to_string().len());
    println!("{}", report.join("\n"));
    println!("memory                   {memory:>8} bytes each, as far as the allocator tells");
}
