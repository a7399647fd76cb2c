//! Tests of writes through the client for users, and of the stores that show them.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::BodyExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, DeleteParams, Patch, PatchParams, PostParams};
use kube::client::Body;
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::Mutex;
use serde_json::{Value, json};

use super::super::{Cluster, ImpersonatedIdentity, Verb, Write, WriteObserver, observe_writes};
use crate::testing::Server;
use crate::watch::{Cause, ProjectedStore, WatchSpec, project_with};

type Answer = Arc<dyn Fn(&str, Value) -> (u16, String) + Send + Sync>;

/// A server whose watches send the given events, and which answers writes with a function of method, path and body.
struct Scene {
    server: Server,
    cluster: Cluster,
    store: ProjectedStore<String>,
    answer: Arc<Mutex<Answer>>,
}

impl Scene {
    async fn start() -> Self {
        let server = Server::new();
        server.put("demo", "old", "1");
        let answer: Arc<Mutex<Answer>> = Arc::new(Mutex::new(Arc::new(|_, _| (500, String::new()))));
        let answers = Arc::clone(&answer);
        let cluster = server.cluster().layered(|below| with_answers(below, answers));
        let store = store_of(&cluster);
        store.synced().await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        server.hold();
        Self { server, cluster, store, answer }
    }

    /// Sets the answer to all writes from now on.
    fn answer(&self, answer: impl Fn(&Server, &str, Value) -> Value + Send + Sync + 'static) {
        let server = self.server.clone();
        *self.answer.lock() = Arc::new(move |line, body| (200, answer(&server, line, body).to_string()));
    }

    fn api(&self) -> Api<ConfigMap> {
        Api::namespaced(self.cluster.client().clone(), "demo")
    }

    fn texts(&self) -> Vec<String> {
        texts(&self.store)
    }

    /// Sends a request without changes and returns the body of its answer.
    async fn send(&self, method: &str, uri: &str, body: &str) -> String {
        send(self.cluster.client(), method, uri, body).await
    }

    /// Releases all events that the server holds back, and lets them arrive.
    async fn release(&self) {
        self.server.release();
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}

fn with_answers(below: kube::Client, answers: Arc<Mutex<Answer>>) -> kube::Client {
    let service = tower::service_fn(move |request: http::Request<Body>| {
        let (below, answers) = (below.clone(), Arc::clone(&answers));
        async move {
            if request.method() == http::Method::GET {
                return below.send(request).await;
            }
            let line = format!("{} {}", request.method(), request.uri());
            let body = request.into_body().collect().await?.to_bytes();
            let answer = Arc::clone(&answers.lock());
            let (code, body) = answer(&line, serde_json::from_slice(&body).unwrap_or_default());
            Ok(http::Response::builder().status(code).body(Body::from(body.into_bytes())).unwrap())
        }
    });
    kube::Client::new(service, "default")
}

fn store_of(cluster: &Cluster) -> ProjectedStore<String> {
    let text = |object: &Value| object["data"]["text"].as_str().unwrap_or_default().to_owned();
    cluster.watches().subscribe(WatchSpec::new(GroupKind::new("", "ConfigMap")), project_with(text))
}

fn texts(store: &ProjectedStore<String>) -> Vec<String> {
    let mut texts: Vec<_> = store.list().iter().map(|(key, text)| format!("{}={text}", key.name())).collect();
    texts.sort();
    texts
}

async fn send(client: &kube::Client, method: &str, uri: &str, body: &str) -> String {
    let request = http::Request::builder().method(method).uri(uri).body(Body::from(body.as_bytes().to_vec())).unwrap();
    let answer = client.send(request).await.unwrap();
    String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap()
}

fn config_map(name: &str, text: &str) -> ConfigMap {
    serde_json::from_value(json!({"metadata": {"name": name, "uid": "uid-1"}, "data": {"text": text}})).unwrap()
}

fn gone(uid: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Status", "status": "Success", "details": {"name": "old", "kind": "configmaps", "uid": uid}})
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn each_kind_of_write_is_visible_in_the_store_at_once_and_reported_once() {
    let scene = Scene::start().await;
    let mut changes = scene.store.changes();
    scene.answer(|server, line, body| {
        let name = body["metadata"]["name"].as_str().unwrap_or("old");
        let text = if line.contains("/status?") { "status" } else { body["data"]["text"].as_str().unwrap() };
        server.put("demo", name, text)
    });
    let (api, patch) = (scene.api(), json!({"data": {"text": "3"}}));
    api.create(&PostParams::default(), &config_map("new", "1")).await.unwrap();
    assert_eq!(scene.texts(), ["new=1", "old=1"]);
    api.replace("old", &PostParams::default(), &config_map("old", "2")).await.unwrap();
    assert_eq!(scene.texts(), ["new=1", "old=2"]);
    api.patch("old", &PatchParams::default(), &Patch::Merge(&patch)).await.unwrap();
    assert_eq!(scene.texts(), ["new=1", "old=3"]);
    let applied = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "old"}, "data": {"text": "4"}});
    api.patch("old", &PatchParams::apply("test").force(), &Patch::Apply(&applied)).await.unwrap();
    assert_eq!(scene.texts(), ["new=1", "old=4"]);
    api.patch_status("old", &PatchParams::default(), &Patch::Merge(json!({"status": {}}))).await.unwrap();
    assert_eq!(scene.texts(), ["new=1", "old=status"]);
    scene.release().await;
    let told: Vec<_> = std::iter::from_fn(|| changes.try_next()).skip(1).map(|change| (change.new, change.cause)).collect();
    let expected = ["1", "2", "3", "4", "status"].map(|text| (Some(Arc::new(text.to_owned())), Cause::Event));
    assert_eq!(told, expected, "the events are old news");
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn a_deletion_is_visible_at_once_when_the_object_is_gone() {
    let marked = |finalizers: Value, grace: i64| {
        move |server: &Server, _: &str, _: Value| {
            let mut object = server.put("demo", "old", "marked");
            object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
            object["metadata"]["deletionGracePeriodSeconds"] = grace.into();
            object["metadata"]["finalizers"] = finalizers.clone();
            object
        }
    };
    let delete = async |answer: &dyn Fn(&Scene)| {
        let scene = Scene::start().await;
        answer(&scene);
        scene.api().delete("old", &DeleteParams::default()).await.unwrap();
        scene.texts()
    };
    let none = Vec::<String>::new();
    assert_eq!(delete(&|scene| scene.answer(|_, _, _| gone("uid-1"))).await, none);
    assert_eq!(delete(&|scene| scene.answer(marked(json!([]), 0))).await, none);
    assert_eq!(delete(&|scene| scene.answer(|server, _, _| server.delete("demo", "old").unwrap())).await, none);
    assert_eq!(delete(&|scene| scene.answer(marked(json!(["a/b"]), 0))).await, ["old=marked"]);
    assert_eq!(delete(&|scene| scene.answer(marked(json!([]), 30))).await, ["old=marked"]);
    assert_eq!(delete(&|scene| scene.answer(|_, _, _| gone("another"))).await, ["old=1"]);
    assert_eq!(delete(&|scene| scene.answer(|_, _, _| json!({"kind": "Status", "status": "Success"}))).await, ["old=1"]);
}

// STORE-8: the answer has the version from before the removal, which a watch would not take for a change.
#[tokio::test(start_paused = true)]
async fn removing_the_last_finalizer_of_a_deleted_object_is_its_end() {
    let scene = Scene::start().await;
    let mut changes = scene.store.changes();
    scene.answer(|server, _, _| {
        let mut object = server.objects().remove(0);
        object["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
        server.delete("demo", "old");
        object
    });
    let patch = Patch::Merge(json!({"metadata": {"finalizers": null}}));
    scene.api().patch("old", &PatchParams::default(), &patch).await.unwrap();
    assert!(scene.store.is_empty() && scene.store.is_ahead(&Key::new("demo", "old")));
    scene.release().await;
    assert!(scene.store.is_empty() && !scene.store.is_ahead(&Key::new("demo", "old")));
    assert_eq!(std::iter::from_fn(|| changes.try_next()).count(), 2, "what was there, and its end");
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn an_own_write_is_ahead_of_the_watch_until_its_event_comes() {
    let scene = Scene::start().await;
    let [old, new] = ["old", "new"].map(|name| Key::new("demo", name));
    scene.answer(|server, _, _| server.put("demo", "new", "1"));
    scene.api().create(&PostParams::default(), &config_map("new", "1")).await.unwrap();
    assert!(scene.store.is_ahead(&new) && !scene.store.is_ahead(&old));
    scene.release().await;
    assert!(!scene.store.is_ahead(&new));
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn dry_runs_refusals_and_answers_without_one_complete_object_change_no_store() {
    let scene = Scene::start().await;
    let all = "/api/v1/namespaces/demo/configmaps";
    let one = &format!("{all}/old");
    scene.answer(|server, _, _| server.put("demo", "old", "dry"));
    for (method, uri, body) in [
        ("POST", format!("{all}?dryRun=All"), "{}"),
        ("PATCH", format!("{one}?fieldManager=a&dryRun=All"), "{}"),
        ("DELETE", one.clone(), "{\"dryRun\":[\"All\"]}"),
        ("DELETE", all.to_owned(), ""),
        ("POST", format!("{one}/proxy"), ""),
        ("POST", "/version".to_owned(), ""),
    ] {
        send(scene.cluster.client(), method, &uri, body).await;
        assert_eq!(scene.texts(), ["old=1"], "{method} {uri}");
    }
    scene.answer(|server, _, _| {
        let object = server.put("demo", "old", "partial");
        json!({"apiVersion": "meta.k8s.io/v1", "kind": "PartialObjectMetadata", "metadata": object["metadata"]})
    });
    scene.send("PATCH", one, "{}").await;
    assert_eq!(scene.texts(), ["old=1"], "metadata is not the object");
    let refused = scene.server.put("demo", "old", "refused").to_string();
    *scene.answer.lock() = Arc::new(move |_, _| (409, refused.clone()));
    scene.send("PATCH", one, "{}").await;
    assert_eq!(scene.texts(), ["old=1"]);
}

#[tokio::test(start_paused = true)]
async fn answers_are_handed_on_byte_by_byte() {
    let scene = Scene::start().await;
    let version = scene.server.put("demo", "old", "2")["metadata"]["resourceVersion"].clone();
    let object = format!(
        " {{\"kind\": \"ConfigMap\", \"apiVersion\":\"v1\",\n \"metadata\" : {{\"name\":\"old\",\"namespace\":\"demo\",\"uid\":\"uid-1\",\
         \"resourceVersion\":{version}}}, \"data\": {{\"text\": \"2\", \"n\": 1.0}} }}\n"
    );
    for told in [object.as_str(), "no JSON", ""] {
        let answer = told.to_owned();
        *scene.answer.lock() = Arc::new(move |_, _| (201, answer.clone()));
        assert_eq!(scene.send("PATCH", "/api/v1/namespaces/demo/configmaps/old", "{}").await, told);
        assert_eq!(scene.texts(), ["old=2"]);
    }
}

// STORE-8
#[tokio::test(start_paused = true)]
async fn cluster_handles_of_one_identity_share_the_writes_of_their_clients() {
    let scene = Scene::start().await;
    let another = scene.cluster.acting_as(&ImpersonatedIdentity::user("alice")).unwrap();
    let of_another = store_of(&another);
    of_another.synced().await;
    let handles = [scene.cluster.for_controller("widgets"), scene.cluster.layered(|client| client), another];
    for (n, (cluster, [own, others])) in handles.iter().zip([["0", "1"], ["1", "1"], ["1", "2"]]).enumerate() {
        scene.answer(move |server, _, _| server.put("demo", "old", &n.to_string()));
        send(cluster.client(), "PATCH", "/api/v1/namespaces/demo/configmaps/old", "{}").await;
        assert_eq!((texts(&scene.store), texts(&of_another)), (vec![format!("old={own}")], vec![format!("old={others}")]), "{n}");
    }
    scene.release().await;
    assert_eq!((scene.texts(), texts(&of_another)), (vec!["old=2".to_owned()], vec!["old=2".to_owned()]));
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl WriteObserver for Log {
    fn wrote(&self, write: &Write<'_>) {
        let Write { verb, kind, key, subresource } = write;
        self.0.lock().push(format!("{verb} {} {}/{} {subresource}", kind.kind, key.namespace(), key.name()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_observer_sees_only_the_writes_of_its_own_future() {
    let scene = Scene::start().await;
    let log = Arc::new(Log::default());
    let one = "/api/v1/namespaces/demo/configmaps/old";
    scene.answer(|server, line, _| if line.starts_with("DELETE") { gone("uid-1") } else { server.put("demo", "old", "2") });
    scene.send("PATCH", one, "{}").await;
    let writes = async {
        scene.send("PATCH", &format!("{one}?dryRun=All"), "{}").await;
        scene.send("PATCH", &format!("{one}/status"), "{}").await;
        scene.api().delete("old", &DeleteParams::default()).await.unwrap();
        scene.api().list(&kube::api::ListParams::default()).await.unwrap();
        scene.api().delete_collection(&DeleteParams::default(), &kube::api::ListParams::default()).await.unwrap();
    };
    observe_writes(log.clone(), writes).await;
    scene.send("PATCH", one, "{}").await;
    assert_eq!(*log.0.lock(), ["patch ConfigMap demo/old status", "delete ConfigMap demo/old "]);
    assert_eq!(Verb::Patch.to_string(), "patch");
}

#[tokio::test(start_paused = true)]
async fn a_cluster_that_is_dropped_frees_its_connection() {
    let scene = Scene::start().await;
    scene.answer(|server, _, _| server.put("demo", "old", "2"));
    let others =
        [scene.cluster.for_controller("widgets"), scene.cluster.acting_as(&ImpersonatedIdentity::user("alice")).unwrap()];
    let mut connections: Vec<_> = others.iter().map(|cluster| Arc::downgrade(&cluster.connection)).collect();
    connections.push(Arc::downgrade(&scene.cluster.connection));
    for cluster in others.iter().chain([&scene.cluster]) {
        send(cluster.client(), "PATCH", "/api/v1/namespaces/demo/configmaps/old", "{}").await;
    }
    drop((others, scene));
    // An unused watch is kept for a minute.
    tokio::time::sleep(Duration::from_secs(70)).await;
    assert_eq!(connections.iter().filter(|connection| connection.strong_count() > 0).count(), 0);
}
