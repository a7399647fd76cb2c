use std::collections::{BTreeMap, VecDeque};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::stream;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use kube::client::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::clock::{Clock, Random};
use crate::cluster::{Cluster, ClusterOptions};
use crate::task::Tasks;

type Answer = Response<BoxBody<Bytes, std::io::Error>>;
type Chunk = Result<Frame<Bytes>, std::io::Error>;

/// A server of config maps (and widgets, if served) with a history of events.
#[derive(Clone, Default)]
pub(crate) struct Server {
    state: Arc<Mutex<ServerState>>,
}

#[derive(Default)]
struct ServerState {
    revision: u64,
    uids: u64,
    objects: BTreeMap<(String, String), Value>,
    log: Vec<(u64, &'static str, Value)>,
    /// The revision before which watches are expired.
    compacted: u64,
    streams: Vec<Stream>,
    hold: bool,
    faults: VecDeque<(String, Fault)>,
    standing: Vec<(String, Fault)>,
    journal: Vec<String>,
    serves_widgets: bool,
    legacy: bool,
    without_config_maps: bool,
    snapshots: BTreeMap<String, (u64, Vec<Value>)>,
    page_limit: Option<usize>,
    slowness: usize,
}

struct Stream {
    sender: mpsc::UnboundedSender<Chunk>,
    delivered: u64,
    kind: &'static str,
    namespace: Option<String>,
}

/// The failure of a request.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// An answer with a Status of this code and reason.
    Status(u16, &'static str),
    /// An answer with a Status that asks for a wait in seconds.
    Busy(u64),
    /// A reset of the connection.
    Reset,
    /// No answer at all.
    Hang,
    /// The correct answer, this number of seconds later.
    Late(u64),
    /// An answer that is not JSON.
    Garbage,
    /// A refusal that repeats headers and body of the request, either as a Status with a warning or as plain text.
    Echo { as_status: bool },
}

impl Server {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// Returns a cluster of this server, in virtual time.
    pub(crate) fn cluster(&self) -> Cluster {
        self.cluster_with(|_| {})
    }

    pub(crate) fn cluster_with(&self, change: impl FnOnce(&mut ClusterOptions)) -> Cluster {
        let epoch = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut options = ClusterOptions::new(Clock::virtual_from(epoch), Random::seeded(1), Tasks::new());
        change(&mut options);
        Cluster::new(self.client(), options)
    }

    fn client(&self) -> kube::Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { server.answer(request).await }
        });
        kube::Client::new(service, "default")
    }

    // The following methods change the objects of the server.

    pub(crate) fn put(&self, namespace: &str, name: &str, data: &str) -> Value {
        self.put_data(namespace, name, json!({"text": data}), data)
    }

    /// Creates or updates a config map with these keys.
    pub(crate) fn put_config(&self, namespace: &str, name: &str, data: &Value) {
        self.put_data(namespace, name, data.clone(), "config");
    }

    fn put_data(&self, namespace: &str, name: &str, data: Value, owner: &str) -> Value {
        let mut state = self.state.lock();
        let key = (namespace.to_owned(), name.to_owned());
        state.revision += 1;
        let revision = state.revision;
        let known = state.objects.get(&key).map(|old| old["metadata"]["uid"].clone());
        let event = if known.is_some() { "MODIFIED" } else { "ADDED" };
        state.uids += 1;
        let uid = known.unwrap_or_else(|| format!("uid-{}", state.uids).into());
        let object = json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "namespace": namespace, "name": name, "uid": uid, "resourceVersion": revision.to_string(),
                "labels": {"owner": owner},
            },
            "data": data,
        });
        state.objects.insert(key, object.clone());
        state.push(event, object.clone());
        object
    }

    pub(crate) fn delete(&self, namespace: &str, name: &str) -> Option<Value> {
        let mut state = self.state.lock();
        let mut object = state.objects.remove(&(namespace.to_owned(), name.to_owned()))?;
        state.revision += 1;
        object["metadata"]["resourceVersion"] = state.revision.to_string().into();
        state.push("DELETED", object.clone());
        Some(object)
    }

    pub(crate) fn objects(&self) -> Vec<Value> {
        self.state.lock().objects.values().cloned().collect()
    }

    /// Drops all history, so that the next watch from an older version is expired.
    pub(crate) fn compact(&self) {
        let mut state = self.state.lock();
        state.compacted = state.revision;
    }

    pub(crate) fn serve_widgets(&self, served: bool) {
        self.state.lock().serves_widgets = served;
    }

    pub(crate) fn without_aggregated_discovery(&self) {
        self.state.lock().legacy = true;
    }

    /// Limits answers to this many items, regardless of the client's limit.
    pub(crate) fn page_limit(&self, limit: usize) {
        self.state.lock().page_limit = Some(limit);
    }

    /// Delays the arrival of answers: other tasks run this many times meanwhile.
    pub(crate) fn slow(&self, yields: usize) {
        self.state.lock().slowness = yields;
    }

    // The following methods control the delivery of events.

    /// Holds events back until [`deliver`](Self::deliver) or [`release`](Self::release).
    pub(crate) fn hold(&self) {
        self.state.lock().hold = true;
    }

    pub(crate) fn release(&self) {
        let mut state = self.state.lock();
        state.hold = false;
        state.flush(usize::MAX);
    }

    /// Delivers the next events of each stream.
    pub(crate) fn deliver(&self, count: usize) {
        self.state.lock().flush(count);
    }

    /// Delivers all held events and then a bookmark.
    pub(crate) fn bookmark(&self) {
        let mut state = self.state.lock();
        state.flush(usize::MAX);
        let revision = state.revision;
        for stream in &state.streams {
            let object = json!({"kind": stream.kind, "apiVersion": "v1", "metadata": {"resourceVersion": revision.to_string()}});
            stream.send("BOOKMARK", &object);
        }
    }

    /// Ends all streams, either with an error or in order.
    pub(crate) fn drop_streams(&self, broken: bool) {
        for stream in std::mem::take(&mut self.state.lock().streams) {
            if broken {
                drop(stream.sender.send(Err(std::io::Error::other("reset"))));
            }
        }
    }

    /// Breaks the streams without delivering the events that were held back for them.
    pub(crate) fn release_nothing_and_drop(&self) {
        self.drop_streams(true);
        self.state.lock().hold = false;
    }

    /// Raises the revision, as if objects of other types had changed.
    pub(crate) fn bump(&self, revisions: u64) {
        self.state.lock().revision += revisions;
    }

    pub(crate) fn unserve_config_maps(&self, gone: bool) {
        self.state.lock().without_config_maps = gone;
    }

    pub(crate) fn send_line(&self, line: &Value) {
        self.send_text(&format!("{line}\n"));
    }

    pub(crate) fn send_text(&self, text: &str) {
        for stream in &self.state.lock().streams {
            stream.send_text(text);
        }
    }

    /// Makes the next request whose method and path contain `what` fail.
    pub(crate) fn fail_next(&self, what: &str, fault: Fault) {
        self.state.lock().faults.push_back((what.to_owned(), fault));
    }

    /// Makes every request whose method and path contain `what` fail.
    pub(crate) fn fail_always(&self, what: &str, fault: Fault) {
        self.state.lock().standing.push((what.to_owned(), fault));
    }

    pub(crate) fn heal(&self) {
        let mut state = self.state.lock();
        state.standing.clear();
        state.faults.clear();
    }

    /// Returns method and URI of all requests so far.
    pub(crate) fn journal(&self) -> Vec<String> {
        self.state.lock().journal.clone()
    }

    /// Returns the number of requests that contained this text.
    pub(crate) fn requests(&self, what: &str) -> usize {
        self.state.lock().journal.iter().filter(|line| line.contains(what)).count()
    }

    pub(crate) fn open_streams(&self) -> usize {
        let mut state = self.state.lock();
        state.streams.retain(|stream| !stream.sender.is_closed());
        state.streams.len()
    }

    async fn answer(&self, request: Request<Body>) -> Result<Answer, std::io::Error> {
        let line = format!("{} {}", request.method(), request.uri());
        let fault = {
            let mut state = self.state.lock();
            state.journal.push(line.clone());
            let next = state.faults.iter().position(|(what, _)| line.contains(what.as_str()));
            let next = next.and_then(|at| state.faults.remove(at)).map(|(_, fault)| fault);
            next.or_else(|| state.standing.iter().find(|(what, _)| line.contains(what.as_str())).map(|(_, fault)| fault.clone()))
        };
        match fault {
            None => {}
            Some(Fault::Status(code, reason)) => return Ok(status(code, reason, None)),
            Some(Fault::Busy(seconds)) => return Ok(status(429, "TooManyRequests", Some(seconds))),
            Some(Fault::Reset) => return Err(std::io::Error::other("connection reset")),
            Some(Fault::Hang) => {
                tokio::time::sleep(Duration::from_secs(86_400)).await;
            }
            Some(Fault::Late(seconds)) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            Some(Fault::Garbage) => return Ok(plain(200, "<html>".into())),
            Some(Fault::Echo { as_status }) => return echo(request, as_status).await,
        }
        let answer = self.route(request.uri());
        let slowness = self.state.lock().slowness;
        for _ in 0..slowness {
            tokio::task::yield_now().await;
        }
        Ok(answer)
    }

    fn route(&self, uri: &http::Uri) -> Answer {
        let query: BTreeMap<_, _> = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('=')).collect();
        let mut state = self.state.lock();
        match uri.path() {
            "/api" if state.legacy => json_answer(&json!({"kind": "APIVersions", "versions": ["v1"]})),
            "/apis" if state.legacy => json_answer(&legacy_groups(state.serves_widgets)),
            "/api/v1" => json_answer(&json!({"kind": "APIResourceList", "resources": [
                {"name": "configmaps", "kind": "ConfigMap", "namespaced": true, "verbs": ["get", "list"]},
                {"name": "pods", "singularName": "pod", "kind": "Pod", "namespaced": true, "verbs": ["get"], "shortNames": ["po"],
                    "categories": ["all"]},
                {"name": "pods/status", "kind": "Pod", "namespaced": true, "verbs": ["get", "patch"]},
                {"name": "pods/eviction", "group": "policy", "version": "v1", "kind": "Eviction", "namespaced": true, "verbs": ["create"]},
            ]})),
            "/apis/example.dev/v1" | "/apis/example.dev/v2" if state.serves_widgets => {
                json_answer(&json!({"kind": "APIResourceList", "resources": [
                    {"name": "widgets", "kind": "Widget", "namespaced": true, "verbs": ["get"]},
                ]}))
            }
            "/api" if state.without_config_maps => json_answer(&groups(&[])),
            "/api" => json_answer(&groups(&[("", &["v1"], "configmaps", "ConfigMap")])),
            "/apis" if state.serves_widgets => json_answer(&groups(&[("example.dev", &["v2", "v1"], "widgets", "Widget")])),
            "/apis" => json_answer(&groups(&[])),
            path if path.ends_with("/configmaps") && query.contains_key("watch") => state.watch("ConfigMap", path, &query),
            path if path.ends_with("/configmaps") => state.list(path, &query),
            path if path.ends_with("/widgets") && state.serves_widgets && query.contains_key("watch") => {
                state.watch("Widget", path, &query)
            }
            path if path.ends_with("/widgets") && state.serves_widgets => json_answer(
                &json!({"kind": "WidgetList", "metadata": {"resourceVersion": state.revision.to_string()}, "items": []}),
            ),
            _ => status(404, "NotFound", None),
        }
    }
}

impl ServerState {
    fn push(&mut self, event: &'static str, object: Value) {
        self.log.push((self.revision, event, object));
        if !self.hold {
            self.flush(usize::MAX);
        }
    }

    fn flush(&mut self, count: usize) {
        self.streams.retain(|stream| !stream.sender.is_closed());
        for stream in self.streams.iter_mut().filter(|stream| stream.kind == "ConfigMap") {
            let next = self.log.iter().filter(|(revision, ..)| *revision > stream.delivered).take(count);
            let mut last = stream.delivered;
            for (revision, event, object) in next {
                if stream.namespace.as_ref().is_none_or(|namespace| object["metadata"]["namespace"] == **namespace) {
                    stream.send(event, object);
                }
                last = *revision;
            }
            stream.delivered = last;
        }
    }

    fn list(&mut self, path: &str, query: &BTreeMap<&str, &str>) -> Answer {
        let namespace = namespace_of(path);
        let limit = self.page_limit.or_else(|| query.get("limit")?.parse().ok()).unwrap_or(usize::MAX);
        let (revision, items) = if let Some(token) = query.get("continue") {
            let Some(rest) = self.snapshots.remove(*token) else {
                return status(410, "Expired", None);
            };
            rest
        } else {
            let of_namespace = |item: &&Value| namespace.is_none_or(|namespace| item["metadata"]["namespace"] == namespace);
            let items = self.objects.values().filter(of_namespace);
            (self.revision, items.cloned().collect())
        };
        let mut items: VecDeque<Value> = items.into();
        let rest: Vec<Value> = items.split_off(limit.min(items.len())).into();
        // Real API servers do not include the type in the items of a list either.
        for item in &mut items {
            item.as_object_mut().unwrap().retain(|field, _| field != "kind" && field != "apiVersion");
        }
        let mut metadata = json!({"resourceVersion": revision.to_string()});
        if !rest.is_empty() {
            let token = format!("t{}", self.journal.len());
            metadata["continue"] = token.clone().into();
            self.snapshots.insert(token, (revision, rest));
        }
        json_answer(&json!({"kind": "ConfigMapList", "apiVersion": "v1", "metadata": metadata, "items": items}))
    }

    fn watch(&mut self, kind: &'static str, path: &str, query: &BTreeMap<&str, &str>) -> Answer {
        let from: u64 = query.get("resourceVersion").and_then(|version| version.parse().ok()).unwrap_or(0);
        if from < self.compacted {
            return status(410, "Expired", None);
        }
        let (sender, receiver) = mpsc::unbounded_channel();
        let namespace = namespace_of(path).map(str::to_owned);
        self.streams.push(Stream { sender, delivered: from, kind, namespace });
        if !self.hold {
            self.flush(usize::MAX);
        }
        let chunks = stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
        Response::new(BodyExt::boxed(StreamBody::new(SyncStream(Box::pin(chunks)))))
    }
}

fn namespace_of(path: &str) -> Option<&str> {
    path.split("/namespaces/").nth(1)?.split('/').next()
}

impl Stream {
    fn send(&self, event: &str, object: &Value) {
        self.send_text(&format!("{}\n", json!({"type": event, "object": object})));
    }

    /// Sends a text in chunks that are independent of line ends.
    fn send_text(&self, text: &str) {
        for piece in text.as_bytes().chunks(61) {
            drop(self.sender.send(Ok(Frame::data(Bytes::copy_from_slice(piece)))));
        }
    }
}

/// A boxed stream that is `Sync`, which a boxed body requires.
struct SyncStream(std::pin::Pin<Box<dyn futures::Stream<Item = Chunk> + Send + Sync>>);

impl futures::Stream for SyncStream {
    type Item = Chunk;

    fn poll_next(mut self: std::pin::Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> std::task::Poll<Option<Chunk>> {
        self.0.as_mut().poll_next(cx)
    }
}

fn groups(groups: &[(&str, &[&str], &str, &str)]) -> Value {
    let items: Vec<_> = groups
        .iter()
        .map(|(name, versions, resource, kind)| {
            let versions: Vec<_> = versions
                .iter()
                .map(|version| {
                    json!({"version": version, "freshness": "Current", "resources": [{
                        "resource": resource, "scope": "Namespaced", "verbs": ["get", "list", "watch"],
                        "responseKind": {"group": name, "version": version, "kind": kind},
                        "singularResource": kind.to_lowercase(), "shortNames": ["sh"], "categories": ["all"],
                        "subresources": [
                            {"subresource": "status", "responseKind": {"group": "", "version": "", "kind": kind}, "verbs": ["get", "patch"]},
                            {"subresource": "scale", "verbs": ["get"],
                                "responseKind": {"group": "autoscaling", "version": "v1", "kind": "Scale"}},
                        ],
                    }]})
                })
                .collect();
            json!({"metadata": {"name": name}, "versions": versions})
        })
        .collect();
    json!({"kind": "APIGroupDiscoveryList", "apiVersion": "apidiscovery.k8s.io/v2", "items": items})
}

fn legacy_groups(widgets: bool) -> Value {
    let group = json!({
        "name": "example.dev",
        "versions": [{"version": "v1"}, {"version": "v2"}],
        "preferredVersion": {"version": "v2"},
    });
    json!({"kind": "APIGroupList", "groups": if widgets { vec![group] } else { Vec::new() }})
}

fn json_answer(body: &Value) -> Answer {
    plain(200, body.to_string())
}

fn status(code: u16, reason: &str, retry_after: Option<u64>) -> Answer {
    let mut body =
        json!({"kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": format!("told {reason}")});
    if let Some(seconds) = retry_after {
        body["details"] = json!({"retryAfterSeconds": seconds});
    }
    plain(code, body.to_string())
}

async fn echo(request: Request<Body>, as_status: bool) -> Result<Answer, std::io::Error> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(std::io::Error::other)?.to_bytes();
    let headers: Vec<&str> = head.headers.values().filter_map(|value| value.to_str().ok()).collect();
    let text = format!("refused {} {}", headers.join(" "), String::from_utf8_lossy(&body));
    if !as_status {
        return Ok(plain(502, text));
    }
    let cause = json!({"reason": "FieldValueInvalid", "field": "data", "message": text});
    let body = json!({"kind": "Status", "code": 422, "reason": text, "message": text, "details": {"causes": [cause]}});
    let mut answer = plain(422, body.to_string());
    if let Ok(warning) = http::HeaderValue::from_str(&format!("299 - \"{}\"", text.replace('"', "'"))) {
        answer.headers_mut().insert(http::header::WARNING, warning);
    }
    Ok(answer)
}

fn plain(code: u16, body: String) -> Answer {
    let body = Full::new(Bytes::from(body)).map_err(|never: Infallible| match never {}).boxed();
    Response::builder().status(code).body(body).unwrap()
}
