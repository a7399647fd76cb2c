//! The measures, and their targets (apiserver.md, 9).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::future::join_all;
use serde_json::{Value, json};

use crate::server::{Running, Side};
use crate::wire::{Connection, OwnWatch, StreamWatch, Watch};
use crate::{inside, program, suite};

/// The duration of the measurement of a rate in one turn.
const SPAN: Duration = Duration::from_millis(1500);
const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// The number of objects on the servers when their memory is measured.
const MANY: usize = 39_000;
/// The number of idle watches when their memory is measured. It is lower if the process may open fewer files.
const IDLE_WATCHES: usize = 10_000;
/// The number of HTTP/2 streams that the real server allows on a connection.
const STREAMS: usize = 100;
/// The number of connections that are opened at the same time.
const OPENING: usize = 32;

/// One figure.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Measure {
    /// The time from the start of a server until it is ready (PRF-1).
    Start,
    /// The size of the program (PRF-4).
    Program,
    /// The memory of an idle server (PRF-2).
    IdleMemory,
    /// The memory per idle watch (PRF-13).
    WatchMemory,
    /// The time from the creation of a CRD to the first usable custom object (PRF-10).
    FirstCustomObject,
    /// The time of a background deletion of a dependent (PRF-12).
    Dependent,
    /// The time of a deletion of a namespace with content (PRF-11).
    Namespace,
    /// The rate of creates, by the number of connections (PRF-5, PRF-6).
    Create(usize),
    /// The rate of reads, by the number of connections (PRF-7).
    Get(usize),
    /// The rate of lists (PRF-8).
    List,
    /// The time of the delivery of a watch event, by the number of watchers, each with a connection of its own (PRF-9).
    Watch(usize),
    /// The time of the delivery of a watch event, by the number of watchers that share connections (PRF-9).
    SharedWatch(usize),
    /// The memory with many objects (PRF-3).
    Memory,
    /// The duration of the test suite of an operator (PRF-14).
    Suite,
}

pub(crate) const MEASURES: &[Measure] = &[
    Measure::Start,
    Measure::Program,
    Measure::IdleMemory,
    Measure::WatchMemory,
    Measure::FirstCustomObject,
    Measure::Dependent,
    Measure::Namespace,
    Measure::Create(1),
    Measure::Create(8),
    Measure::Create(32),
    Measure::Get(1),
    Measure::Get(8),
    Measure::Get(32),
    Measure::List,
    Measure::Watch(1),
    Measure::Watch(100),
    Measure::Watch(500),
    Measure::SharedWatch(500),
    Measure::Memory,
    Measure::Suite,
];

impl Measure {
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Start => "PRF-1 ready after start",
            Self::Program => "PRF-4 program without symbols",
            Self::IdleMemory => "PRF-2 memory, idle",
            Self::WatchMemory => "PRF-13 memory of an idle watch",
            Self::FirstCustomObject => "PRF-10 definition to first object",
            Self::Dependent => "PRF-12 delete to dependent gone",
            Self::Namespace => "PRF-11 namespace with content gone",
            Self::Create(1) => "PRF-5 create/s, 1 connection",
            Self::Create(8) => "PRF-6 create/s, 8 connections",
            Self::Create(_) => "PRF-6 create/s, 32 connections",
            Self::Get(1) => "PRF-7 get/s, 1 connection",
            Self::Get(8) => "PRF-7 get/s, 8 connections",
            Self::Get(_) => "PRF-7 get/s, 32 connections",
            Self::List => "PRF-8 list limit=500 /s",
            Self::Watch(1) => "PRF-9 post to event, 1 watcher",
            Self::Watch(100) => "PRF-9 post to last event, 100 watchers",
            Self::Watch(_) => "PRF-9 post to last event, 500 watchers",
            Self::SharedWatch(_) => "PRF-9 the same, on 5 connections of HTTP/2",
            Self::Memory => "PRF-3 memory with 39,000 ConfigMaps",
            Self::Suite => "PRF-14 tests of an operator",
        }
    }

    /// Returns the lowest ratio over TLS that passes; `None` for a measure without target.
    ///
    /// 500 watchers with a connection each have no target: on two cores the kernel alone needs 2 ms for 500 plain writes to local sockets and for
    /// reading them, which is a third of the total time of the real server. Watchers of one client share connections.
    pub(crate) fn target(self) -> Option<f64> {
        match self {
            Self::Start => Some(50.0),
            Self::Program => Some(8.0),
            Self::IdleMemory | Self::Suite => Some(10.0),
            Self::Memory => Some(6.0),
            Self::WatchMemory | Self::SharedWatch(_) => Some(5.0),
            Self::Create(1) => Some(7.0),
            Self::Create(_) => Some(6.5),
            Self::Get(32) => Some(7.5),
            Self::List => Some(8.0),
            Self::Namespace => Some(1000.0),
            _ => None,
        }
    }

    /// Returns the lowest ratio in process that passes; `None` for a measure without target.
    pub(crate) fn target_in_process(self) -> Option<f64> {
        match self {
            Self::Start => Some(500.0),
            Self::Create(1) => Some(70.0),
            Self::Get(32) => Some(125.0),
            Self::Watch(1) => Some(30.0),
            _ => None,
        }
    }

    /// Returns the lowest rate in process on two cores. It suffices in place of the ratio, since the machine or the real server can be slow for a while.
    pub(crate) fn least_in_process(self) -> Option<f64> {
        match self {
            Self::Create(1) => Some(50_000.0),
            Self::Get(32) => Some(300_000.0),
            _ => None,
        }
    }

    /// Returns true if the figure is a rate. Otherwise it is a time in milliseconds or memory in MiB.
    pub(crate) fn more_is_better(self) -> bool {
        matches!(self, Self::Create(_) | Self::Get(_) | Self::List)
    }

    /// Returns true if the measurement takes long, or gives the same figure each time.
    pub(crate) fn is_done_once(self) -> bool {
        matches!(self, Self::Program | Self::IdleMemory | Self::Suite) || self.wants_fresh_server()
    }

    /// Returns true if earlier requests to the server would change the figure.
    pub(crate) fn wants_fresh_server(self) -> bool {
        matches!(self, Self::Memory | Self::WatchMemory)
    }

    pub(crate) fn show(self, figure: f64) -> String {
        match self {
            Self::Memory | Self::IdleMemory | Self::Program => format!("{figure:.1} MiB"),
            Self::WatchMemory => format!("{:.1} KiB", figure * 1024.0),
            _ if self.more_is_better() => format!("{figure:.0}/s"),
            _ => format!("{figure:.2} ms"),
        }
    }

    /// Measures the figure of a server over TLS.
    pub(crate) async fn of(self, server: &mut Running) -> f64 {
        server.turn += 1;
        match self {
            Self::Start if server.side == Side::Ours => milliseconds(Running::start(Side::Ours).await.unwrap().ready_after),
            // The start of a second control plane would slow down the first one, so the start time of the running one is reported.
            Self::Start => milliseconds(server.ready_after),
            Self::Program => program::size(server.side),
            Self::IdleMemory => server.memory(),
            Self::WatchMemory => watch_memory(server).await,
            Self::FirstCustomObject => first_custom_object(server).await,
            Self::Dependent => dependent(server).await,
            Self::Namespace => namespace(server).await,
            Self::Create(connections) => create_rate(server, connections, SPAN).await,
            Self::Get(connections) => {
                create_many(server, 1, 1).await;
                let path = format!("{MAPS}/t{}-0-0", server.turn);
                rate(server, connections, SPAN, |_, _| ("GET", path.clone(), String::new())).await
            }
            Self::List => {
                create_many(server, 8, 600).await;
                rate(server, 1, SPAN, |_, _| ("GET", format!("{MAPS}?limit=500"), String::new())).await
            }
            Self::Watch(watchers) => watch_delivery(server, watches(server, watchers).await).await,
            Self::SharedWatch(watchers) => watch_delivery(server, shared_watches(server, watchers).await).await,
            Self::Memory => {
                create_many(server, 32, MANY).await;
                server.memory()
            }
            Self::Suite => milliseconds(suite::time(server.side)),
        }
    }

    /// Measures the figure without sockets, if there is a target for it.
    pub(crate) async fn in_process(self) -> Option<f64> {
        match self {
            Self::Start => Some(milliseconds(inside::start().await)),
            Self::Create(1) => Some(inside::create_rate(1, SPAN).await),
            Self::Create(8) => Some(inside::create_rate(8, SPAN).await),
            Self::Get(count) if count != 8 => Some(inside::get_rate(count, SPAN).await),
            Self::Watch(1) => Some(milliseconds(inside::watch_delivery().await)),
            _ => None,
        }
    }
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// Returns a ConfigMap with 100 bytes of data.
pub(crate) fn map(name: &str) -> String {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "x".repeat(100)}}).to_string()
}

/// Measures the requests per second on this many connections. `request` gets the number of the connection and that of the request.
async fn rate(
    server: &Running,
    connections: usize,
    span: Duration,
    request: impl Fn(usize, usize) -> (&'static str, String, String),
) -> f64 {
    let mut open = server.address.connections(connections).await;
    let request = &request;
    let start = Instant::now();
    let work = open.iter_mut().enumerate().map(|(number, connection)| async move {
        let mut done = 0;
        while start.elapsed() < span {
            let (method, path, body) = request(number, done);
            let (code, answer) = connection.send(method, &path, body).await;
            assert!(code < 300, "{method} {path}: {}", String::from_utf8_lossy(&answer));
            done += 1;
        }
        done
    });
    let done: usize = join_all(work).await.into_iter().sum();
    done as f64 / start.elapsed().as_secs_f64()
}

async fn create_rate(server: &Running, connections: usize, span: Duration) -> f64 {
    let turn = server.turn;
    rate(server, connections, span, |number, done| ("POST", MAPS.to_owned(), map(&format!("t{turn}-{number}-{done}")))).await
}

async fn create_many(server: &Running, connections: usize, count: usize) {
    let mut open = server.address.connections(connections).await;
    let turn = server.turn;
    let work = open.iter_mut().enumerate().map(|(number, connection)| async move {
        for index in 0..count / connections {
            let (code, answer) = connection.send("POST", MAPS, map(&format!("t{turn}-{number}-{index}"))).await;
            assert_eq!(code, 201, "{}", String::from_utf8_lossy(&answer));
        }
    });
    join_all(work).await;
}

/// Returns the path of a watch from now on.
async fn watch_path(server: &Running) -> String {
    let (_, list) = server.connect().await.get(&format!("{MAPS}?limit=1")).await;
    let list: Value = serde_json::from_slice(&list).unwrap();
    let version = list["metadata"]["resourceVersion"].as_str().unwrap();
    format!("{MAPS}?watch=true&resourceVersion={version}")
}

/// Opens watches, each on a connection of its own.
async fn watches(server: &Running, count: usize) -> Vec<OwnWatch> {
    let path = watch_path(server).await;
    let opened = (0..count).map(|_| server.address.watch(&path));
    futures::stream::iter(opened).buffer_unordered(OPENING).map(Result::unwrap).collect().await
}

/// Opens watches, with as many on each connection as the real server allows.
async fn shared_watches(server: &Running, count: usize) -> Vec<StreamWatch> {
    let path = watch_path(server).await;
    let mut open = Vec::new();
    while open.len() < count {
        open.extend(server.address.shared_watches(&path, STREAMS.min(count - open.len())).await.unwrap());
    }
    open
}

/// Measures the time from the moment at which a POST is sent to that at which the last watcher has read its event, and returns the median.
async fn watch_delivery(server: &Running, mut open: Vec<impl Watch>) -> f64 {
    let watchers = open.len();
    let mut poster = server.connect().await;
    // The number of events that were read so far, and the moments at which all watchers had read an event.
    let seen = Arc::new(AtomicUsize::new(0));
    let (last, mut complete) = tokio::sync::mpsc::unbounded_channel();
    let mut readers = tokio::task::JoinSet::new();
    for mut watch in open.drain(..) {
        let (seen, last) = (seen.clone(), last.clone());
        readers.spawn(async move {
            while let Ok(events) = watch.events().await {
                for before in (0..events).map(|_| seen.fetch_add(1, Ordering::AcqRel)) {
                    if (before + 1).is_multiple_of(watchers) && last.send(Instant::now()).is_err() {
                        return;
                    }
                }
            }
        });
    }
    let mut delays = Vec::new();
    for post in 0..40 {
        let start = Instant::now();
        let (code, _) = poster.send("POST", MAPS, map(&format!("t{}-w{post}", server.turn))).await;
        assert_eq!(code, 201);
        delays.push(milliseconds(complete.recv().await.unwrap() - start));
    }
    readers.shutdown().await;
    delays.sort_by(f64::total_cmp);
    delays[delays.len() / 2]
}

/// Measures the memory of one of many idle watches.
async fn watch_memory(server: &Running) -> f64 {
    let count = IDLE_WATCHES.min(open_files() / 2);
    let before = server.memory();
    let open = watches(server, count).await;
    let after = server.memory();
    drop(open);
    (after - before) / count as f64
}

/// Returns the number of files that this process may open.
fn open_files() -> usize {
    let limits = std::fs::read_to_string("/proc/self/limits").unwrap_or_default();
    let limit = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    limit.and_then(|limit| limit.split_whitespace().next()?.parse().ok()).unwrap_or(1024)
}

async fn first_custom_object(server: &Running) -> f64 {
    let (mut connection, group) = (server.connect().await, format!("t{}.bench.io", server.turn));
    let definition = json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": format!("things.{group}")},
        "spec": {
            "group": group, "scope": "Namespaced", "names": {"plural": "things", "kind": "Thing"},
            "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object"}}}],
        },
    });
    let start = Instant::now();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    assert_eq!(connection.send("POST", definitions, definition.to_string()).await.0, 201);
    let thing = json!({"apiVersion": format!("{group}/v1"), "kind": "Thing", "metadata": {"name": "a"}}).to_string();
    let path = format!("/apis/{group}/v1/namespaces/default/things");
    while connection.send("POST", &path, thing.clone()).await.0 != 201 {
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    milliseconds(start.elapsed())
}

async fn dependent(server: &Running) -> f64 {
    let mut connection = server.connect().await;
    let turn = server.turn;
    let (_, owner) = connection.send("POST", MAPS, map(&format!("t{turn}-owner"))).await;
    let owner: Value = serde_json::from_slice(&owner).unwrap();
    let reference =
        json!({"apiVersion": "v1", "kind": "ConfigMap", "name": owner["metadata"]["name"], "uid": owner["metadata"]["uid"]});
    let child = json!({"metadata": {"name": format!("t{turn}-child"), "ownerReferences": [reference]}});
    assert_eq!(connection.send("POST", MAPS, child.to_string()).await.0, 201);
    // The garbage collector of a real control plane learns of new objects a little later.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let start = Instant::now();
    connection.send("DELETE", &format!("{MAPS}/t{turn}-owner"), "").await;
    gone(&mut connection, &format!("{MAPS}/t{turn}-child")).await;
    milliseconds(start.elapsed())
}

async fn namespace(server: &Running) -> f64 {
    let mut connection = server.connect().await;
    let name = format!("bench-{}", server.turn);
    let namespace = json!({"metadata": {"name": name}}).to_string();
    assert_eq!(connection.send("POST", "/api/v1/namespaces", namespace).await.0, 201);
    for index in 0..20 {
        let path = format!("/api/v1/namespaces/{name}/configmaps");
        assert_eq!(connection.send("POST", &path, map(&format!("m{index}"))).await.0, 201);
    }
    let start = Instant::now();
    connection.send("DELETE", &format!("/api/v1/namespaces/{name}"), "").await;
    gone(&mut connection, &format!("/api/v1/namespaces/{name}")).await;
    milliseconds(start.elapsed())
}

async fn gone(connection: &mut Connection, path: &str) {
    while connection.get(path).await.0 != 404 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
