mod confidential;
mod fence;
mod http_metrics;
mod own_writes;
mod repeat;

use std::sync::Arc;
use std::time::Duration;

use kubewright_machinery::object::{GroupKind, GroupVersionKind, Propagation};
use serde_json::json;

use super::{ApiError, ApiRequest, ApiResource, ConnectError, ImpersonatedIdentity, PatchKind, Rate, RequestRetries};
use crate::testing::{Fault, Server};

fn config_maps() -> ApiResource {
    ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true)
}

fn widgets() -> GroupKind {
    GroupKind::new("example.dev", "Widget")
}

fn list() -> ApiRequest {
    ApiRequest::list(&config_maps(), None)
}

#[test]
fn requests_are_paths_queries_and_bodies() {
    let object = json!({"metadata": {"namespace": "demo", "name": "a"}});
    let create = ApiRequest::create(&config_maps(), &object).field_manager("podinfo operator");
    assert_eq!(create.method(), http::Method::POST);
    assert_eq!(create.uri(), "/api/v1/namespaces/demo/configmaps?fieldManager=podinfo%20operator");
    assert_eq!(create.payload(), Some(object.to_string().as_bytes()));

    let widgets = ApiResource::known(&GroupVersionKind::new("example.dev", "v1", "Widget"), "widgets", false);
    let patch = ApiRequest::patch(&widgets, "", "w", PatchKind::Merge, &json!({})).subresource("status");
    assert_eq!(patch.uri(), "/apis/example.dev/v1/widgets/w/status");
    assert_eq!(
        list().labels("a in (b,c),!d").page(500).uri(),
        "/api/v1/configmaps?labelSelector=a%20in%20%28b,c%29,%21d&limit=500"
    );
}

#[test]
fn names_stay_one_segment_of_the_path() {
    let roles =
        ApiResource::known(&GroupVersionKind::new("rbac.authorization.k8s.io", "v1", "ClusterRole"), "clusterroles", false);
    let path = |name| ApiRequest::delete(&roles, "", name).uri();
    let collection = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    assert_eq!(path("system:node"), format!("{collection}/system:node"));
    assert_eq!(path("read only"), format!("{collection}/read%20only"));
    assert_eq!(path("view?x=y#z"), format!("{collection}/view%3Fx=y%23z"));
    assert_eq!(path("käse"), format!("{collection}/k%C3%A4se"));
}

// A delete without a name would delete the collection.
#[tokio::test(start_paused = true)]
async fn a_name_that_would_address_something_else_is_not_sent() {
    let server = Server::new();
    let cluster = server.cluster();
    for (namespace, name, problem) in [
        ("demo", "", "the name \"\" may not be empty"),
        ("demo", "..", "the name \"..\" may not be '..'"),
        ("demo", "../../other/secrets/s", "the name \"../../other/secrets/s\" may not contain '/'"),
        ("a/b", "c", "the namespace \"a/b\" may not contain '/'"),
    ] {
        let error = cluster.send(&ApiRequest::delete(&config_maps(), namespace, name)).await.unwrap_err();
        assert_eq!(error.to_string(), format!("delete: {problem}"));
        assert!(!error.is_transient());
        assert_eq!(error.classification().reason.as_str(), "Invalid");
    }
    assert!(server.journal().is_empty());
}

#[test]
fn a_delete_can_require_a_uid_and_a_resource_version() {
    let delete = ApiRequest::delete_exactly(&config_maps(), ("demo", "a"), ("u1", Some("7")), Propagation::Background);
    let body: serde_json::Value = serde_json::from_slice(delete.payload().unwrap()).unwrap();
    assert_eq!(body["preconditions"], json!({"uid": "u1", "resourceVersion": "7"}));
    assert_eq!(body["propagationPolicy"], "Background");
}

#[test]
fn a_request_prints_without_its_body() {
    let create = ApiRequest::create(&config_maps(), &json!({"metadata": {"namespace": "demo"}, "data": {"password": "hunter2"}}));
    assert!(!format!("{create:?} {create}").contains("hunter2"));
    assert_eq!(create.to_string(), "create /api/v1/namespaces/demo/configmaps");
}

#[tokio::test(start_paused = true)]
async fn a_refusal_keeps_code_reason_and_message() {
    let server = Server::new();
    server.fail_next("configmaps", Fault::Status(403, "Forbidden"));
    let error = server.cluster().send(&list()).await.unwrap_err();
    let status = error.status().unwrap();
    assert_eq!((status.code, status.reason.as_str(), status.message.as_str()), (403, "Forbidden", "told Forbidden"));
    assert!(error.is_forbidden() && !error.is_transient());
}

// ERR-10
#[tokio::test(start_paused = true)]
async fn a_server_that_never_answers_costs_thirty_seconds() {
    let server = Server::new();
    server.fail_next("configmaps", Fault::Hang);
    let cluster = server.cluster();
    let before = cluster.clock().moment();
    let error = cluster.send(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::TimedOut { after, .. } if after == Duration::from_secs(30)), "{error}");
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(30));
    assert!(error.is_transient());
}

#[tokio::test(start_paused = true)]
async fn connection_failures_and_invalid_json_are_distinct_errors() {
    let server = Server::new();
    let cluster = server.cluster();
    server.fail_next("configmaps", Fault::Reset);
    let error = cluster.send(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::Connection { .. }) && error.is_transient());
    assert_eq!(error.to_string(), "list /api/v1/configmaps: no connection to the API server: connection reset");
    server.fail_next("configmaps", Fault::Garbage);
    let error = cluster.send(&list()).await.unwrap_err();
    assert!(matches!(error, ApiError::Decode { .. }) && !error.is_transient());
}

// ERR-2: a single table decides which errors are transient.
#[tokio::test(start_paused = true)]
async fn the_status_code_decides_which_errors_are_transient() {
    let server = Server::new();
    let cluster = server.cluster();
    for (code, passes) in [
        (408, true),
        (409, true),
        (429, true),
        (500, true),
        (503, true),
        (507, true),
        (520, true),
        (403, false),
        (404, false),
        (422, false),
    ] {
        server.fail_next("configmaps", Fault::Status(code, "Whatever"));
        assert_eq!(cluster.send(&list()).await.unwrap_err().is_transient(), passes, "{code}");
    }
}

// ERR-7, RTY-23
#[tokio::test(start_paused = true)]
async fn a_request_is_sent_once_unless_asked_otherwise() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Status(503, "ServiceUnavailable"));
    let cluster = server.cluster();
    cluster.send(&list()).await.unwrap_err();
    assert_eq!(server.requests("configmaps"), 1);
}

// OUT-3
#[tokio::test(start_paused = true)]
async fn transient_errors_are_retried_twice_after_100_and_500_milliseconds() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Status(503, "ServiceUnavailable"));
    let cluster = server.cluster();
    let before = cluster.clock().moment();
    let error = cluster.send_retrying(&list(), &RequestRetries::default()).await.unwrap_err();
    assert_eq!(error.code(), Some(503));
    assert_eq!(server.requests("configmaps"), 3);
    assert_eq!(cluster.clock().moment().since(before), Duration::from_millis(600));
}

// OUT-3
#[tokio::test(start_paused = true)]
async fn a_short_retry_after_is_honoured_and_a_long_one_ends_the_attempts() {
    let server = Server::new();
    let cluster = server.cluster();
    server.fail_next("configmaps", Fault::Busy(2));
    let before = cluster.clock().moment();
    cluster.send_retrying(&list(), &RequestRetries::default()).await.unwrap();
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(2));
    server.fail_next("configmaps", Fault::Busy(3));
    let error = cluster.send_retrying(&list(), &RequestRetries::default()).await.unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3)));
}

// OUT-3, WRITE-9: repeating a conflicting write as it is cannot help.
#[tokio::test(start_paused = true)]
async fn conflicts_and_refusals_are_not_repeated() {
    for (code, reason) in [(409, "Conflict"), (403, "Forbidden"), (422, "Invalid"), (404, "NotFound")] {
        let server = Server::new();
        server.fail_always("configmaps", Fault::Status(code, reason));
        server.cluster().send_retrying(&list(), &RequestRetries::default()).await.unwrap_err();
        assert_eq!(server.requests("configmaps"), 1, "{code}");
    }
}

// TGT-6
#[tokio::test(start_paused = true)]
async fn no_more_requests_are_in_flight_than_allowed() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Hang);
    let cluster = server.cluster_with(|options| options.in_flight = 3);
    let requests = (0..5).map(|_| cluster.send_once());
    let all = futures::future::join_all(requests);
    tokio::pin!(all);
    assert!(cluster.clock().limit(Duration::from_secs(29), &mut all).await.is_err());
    assert_eq!(server.requests("configmaps"), 3);
    all.await;
}

// ERR-10: the 30 seconds of the server begin when the request is sent.
#[tokio::test(start_paused = true)]
async fn waiting_for_its_turn_is_no_waiting_for_the_server() {
    let server = Server::new();
    server.fail_always("configmaps", Fault::Late(20));
    let cluster = server.cluster_with(|options| options.in_flight = 1);
    let before = cluster.clock().moment();
    let requests = (0..3).map(|_| {
        let cluster = cluster.clone();
        async move { cluster.send(&list()).await.map(drop) }
    });
    for answer in futures::future::join_all(requests).await {
        answer.unwrap();
    }
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(60));
}

// 2.2
#[tokio::test(start_paused = true)]
async fn a_client_can_limit_itself() {
    let server = Server::new();
    let cluster = server.cluster_with(|options| options.rate = Rate::new(10.0, 5));
    let before = cluster.clock().moment();
    for _ in 0..25 {
        cluster.send_once().await;
    }
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(2));
    assert_eq!(Rate::new(10.0, 0), Rate::new(10.0, 20));
    assert_eq!((Rate::new(0.0, 5), Rate::new(f64::NAN, 5)), (None, None));
}

// MET
#[tokio::test(start_paused = true)]
async fn requests_are_counted_by_verb_and_answer() {
    let server = Server::new();
    server.fail_next("configmaps", Fault::Status(403, "Forbidden"));
    server.fail_next("configmaps", Fault::Reset);
    let cluster = server.cluster();
    let metrics = crate::metrics::Metrics::new("test");
    cluster.requests().register(&metrics);
    for _ in 0..4 {
        cluster.send_once().await;
    }
    let text = metrics.encode().unwrap();
    for (code, count) in [(403, 1), (0, 1), (200, 2)] {
        let line = format!("test_requests_total{{controller=\"\",method=\"GET\",verb=\"list\",code=\"{code}\"}} {count}");
        assert!(text.contains(&line), "{line} in {text}");
    }
}

impl super::Cluster {
    async fn send_once(&self) {
        drop(self.send(&list()).await);
    }
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn all_types_are_known_after_two_requests() {
    let server = Server::new();
    server.serve_widgets(true);
    let discovery = server.cluster().discovery().clone();
    let resource = discovery.resolve(&widgets()).await.unwrap().unwrap();
    assert_eq!((resource.version.as_str(), resource.plural.as_str(), resource.namespaced), ("v2", "widgets", true));
    assert!(resource.has_subresource("status") && resource.supports("watch"));
    let older = discovery.resolve_gvk(&GroupVersionKind::new("example.dev", "v1", "Widget")).await.unwrap().unwrap();
    assert_eq!(older.version, "v1");
    assert!(discovery.cached(&GroupKind::new("", "ConfigMap"), Some("v1")).is_some());
    assert_eq!(server.journal(), ["GET /api", "GET /apis"]);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn an_older_server_is_asked_group_by_group() {
    let server = Server::new();
    server.serve_widgets(true);
    server.without_aggregated_discovery();
    let discovery = server.cluster().discovery().clone();
    let resource = discovery.resolve(&widgets()).await.unwrap().unwrap();
    assert_eq!(resource.version, "v2", "the preferred version comes first");
    let pods = discovery.cached(&GroupKind::new("", "Pod"), None).unwrap();
    assert_eq!(pods.subresources, ["status"]);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn an_unknown_type_is_looked_for_again_but_only_once_per_second() {
    let server = Server::new();
    let cluster = server.cluster();
    let discovery = cluster.discovery();
    assert!(discovery.resolve(&GroupKind::new("", "ConfigMap")).await.unwrap().is_some());
    server.serve_widgets(true);
    let before = cluster.clock().moment();
    assert!(discovery.resolve(&widgets()).await.unwrap().is_some());
    assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(1));
    assert_eq!(server.requests("GET /apis"), 2);
}

#[tokio::test(start_paused = true)]
async fn concurrent_type_lookups_at_startup_share_one_discovery() {
    let server = Server::new();
    let cluster = server.cluster();
    let kind = GroupKind::new("", "ConfigMap");
    let asks = (0..10).map(|_| async { cluster.discovery().resolve(&kind).await.unwrap() });
    assert!(futures::future::join_all(asks).await.iter().all(Option::is_some));
    assert_eq!(server.requests("GET /apis"), 1);
}

#[tokio::test(start_paused = true)]
async fn concurrent_lookups_of_a_missing_type_share_one_new_discovery() {
    let server = Server::new();
    let discovery = server.cluster().discovery().clone();
    let asks = (0..10).map(|_| async { discovery.resolve(&widgets()).await.unwrap() });
    assert!(futures::future::join_all(asks).await.iter().all(Option::is_none));
    assert_eq!(server.requests("GET /apis"), 2);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn unwatched_types_are_read_again_after_ten_minutes_when_used() {
    let server = Server::new();
    let cluster = server.cluster();
    let config_maps = GroupKind::new("", "ConfigMap");
    cluster.discovery().resolve(&config_maps).await.unwrap();
    cluster.clock().sleep(Duration::from_secs(599)).await;
    cluster.discovery().resolve(&config_maps).await.unwrap();
    assert_eq!(server.requests("GET /apis"), 1);
    cluster.clock().sleep(Duration::from_secs(1)).await;
    cluster.discovery().resolve(&config_maps).await.unwrap();
    assert_eq!(server.requests("GET /apis"), 2);
}

#[tokio::test(start_paused = true)]
async fn a_look_that_is_given_up_answers_no_invalidation() {
    let server = Server::new();
    let cluster = server.cluster();
    let discovery = cluster.discovery();
    discovery.all().await.unwrap();
    discovery.invalidate();
    server.fail_next("GET /apis", Fault::Hang);
    assert!(cluster.clock().limit(Duration::from_secs(5), discovery.all()).await.is_err());
    let before = server.requests("GET /apis");
    discovery.all().await.unwrap();
    assert_eq!(server.requests("GET /apis"), before + 1);
}

#[tokio::test(start_paused = true)]
async fn a_known_type_stays_known_while_the_server_is_away() {
    let server = Server::new();
    let discovery = server.cluster().discovery().clone();
    let config_maps = GroupKind::new("", "ConfigMap");
    discovery.resolve(&config_maps).await.unwrap();
    discovery.invalidate();
    server.fail_always("GET", Fault::Status(503, "ServiceUnavailable"));
    tokio::time::sleep(Duration::from_secs(2)).await;
    assert!(discovery.resolve(&config_maps).await.unwrap().is_some());
    assert!(discovery.resolve(&widgets()).await.is_err());
}

// WATCH-10: a task that knows a type waits a second at most for a newer table, and no task waits for another's turn.
#[tokio::test(start_paused = true)]
async fn a_known_type_does_not_wait_for_a_server_that_hangs() {
    let server = Server::new();
    let cluster = server.cluster();
    let config_maps = GroupKind::new("", "ConfigMap");
    cluster.discovery().resolve(&config_maps).await.unwrap();
    pass(10).await;
    server.fail_always("GET /apis", Fault::Hang);
    cluster.discovery().invalidate();
    let before = cluster.clock().moment();
    for _ in 0..2 {
        let asks = (0..10).map(|_| async { cluster.discovery().resolve(&config_maps).await.unwrap() });
        assert!(futures::future::join_all(asks).await.iter().all(Option::is_some));
        assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(1));
    }
    assert_eq!(server.requests("GET /apis"), 2);
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn new_types_are_discovered_when_a_slow_server_answers() {
    let server = Server::new();
    let cluster = server.cluster();
    let config_maps = GroupKind::new("", "ConfigMap");
    cluster.discovery().resolve(&config_maps).await.unwrap();
    pass(10).await;
    server.fail_always("GET /apis", Fault::Late(5));
    server.serve_widgets(true);
    cluster.discovery().invalidate();
    cluster.discovery().resolve(&config_maps).await.unwrap();
    pass(5).await;
    assert!(cluster.discovery().cached(&widgets(), None).is_some());
}

// WATCH-10
#[tokio::test(start_paused = true)]
async fn concurrent_resolutions_share_one_failed_discovery_request() {
    for (fault, seconds) in [(Fault::Hang, 30), (Fault::Status(503, "ServiceUnavailable"), 0)] {
        let server = Server::new();
        server.fail_always("GET /apis", fault);
        let cluster = server.cluster();
        let before = cluster.clock().moment();
        let config_maps = GroupKind::new("", "ConfigMap");
        let asks = (0..10).map(|_| cluster.discovery().resolve(&config_maps));
        for answer in futures::future::join_all(asks).await {
            assert!(answer.unwrap_err().is_transient());
        }
        assert_eq!(cluster.clock().moment().since(before), Duration::from_secs(seconds));
        assert_eq!(server.requests("GET /apis"), 1);
    }
}

async fn pass(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_not_served_names_those_that_are() {
    let server = Server::new();
    server.serve_widgets(true);
    let error = server.cluster().discovery().require(&GroupVersionKind::new("example.dev", "v3", "Widget")).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "find type example.dev/v3 Widget: the cluster does not serve it in this version, but in v2, v1"
    );
}

// ERR-2: core classifies the errors of requests anywhere in a chain.
#[tokio::test(start_paused = true)]
async fn errors_classify_themselves_through_any_wrapper() {
    use kubewright_core::flow::{Class, Halt};

    #[derive(Debug, thiserror::Error)]
    #[error("read the config")]
    struct Wrapped(#[source] ApiError);

    let server = Server::new();
    let cluster = server.cluster();
    server.fail_next("configmaps", Fault::Busy(7));
    let halt = Halt::from(Wrapped(cluster.send(&list()).await.unwrap_err()));
    let Halt::Failed(failure) = halt else { panic!("{halt:?}") };
    assert!(matches!(failure.class(), Class::After(delay) if delay.as_duration() == Duration::from_secs(7)), "{failure:?}");
    assert_eq!(failure.classification().reason.as_str(), "TooManyRequests");
}

// ERR-2: core recognises the errors of kube by their type, and no client has to be made before, in unit tests of user code for instance.
#[test]
fn errors_of_kube_are_classified_without_a_cluster() {
    use kubewright_core::flow::{Flow, Halt};

    #[derive(Debug, thiserror::Error)]
    #[error("read the config")]
    struct Wrapped(#[source] kube::Error);

    let status = kube::core::Status { code: 403, reason: "Forbidden".into(), ..kube::core::Status::default() };
    let read = || -> Flow { Err(Wrapped(kube::Error::Api(Box::new(status))))? };
    let Err(Halt::Failed(failure)) = read() else { panic!("an error is a failure") };
    assert_eq!(failure.classification().reason.as_str(), "Forbidden");
}

// TGT-3
#[tokio::test(start_paused = true)]
async fn a_cluster_handle_that_impersonates_a_user_refuses_a_second_impersonation() {
    let cluster = Server::new().cluster();
    assert!(!cluster.acts_as_another());
    let alice = cluster.acting_as(&ImpersonatedIdentity::user("alice")).unwrap();
    assert!(alice.acts_as_another());
    let error = alice.acting_as(&ImpersonatedIdentity::user("bob")).unwrap_err();
    assert!(matches!(error, ConnectError::ActsAsAnother { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_api_without_metadata_only_answers_is_asked_for_whole_objects() {
    let accepted: Arc<parking_lot::Mutex<Vec<String>>> = Arc::default();
    let notes = accepted.clone();
    let service = tower::service_fn(move |request: http::Request<kube::client::Body>| {
        let accept = request.headers()["accept"].to_str().unwrap().to_owned();
        let code = if accept == "application/json" { 200 } else { 406 };
        notes.lock().push(accept);
        async move {
            let body = json!({"kind": "ConfigMapList", "metadata": {}, "items": [], "code": code}).to_string();
            let response = http::Response::builder().status(code).body(kube::client::Body::from(body.into_bytes()));
            Ok::<_, std::convert::Infallible>(response.unwrap())
        }
    });
    let cluster = crate::testing::cluster_of(kube::Client::new(service, "default"), &crate::task::Tasks::new());
    let answer = cluster.send(&list().metadata_only()).await.unwrap();
    assert_eq!(answer["kind"], "ConfigMapList");
    let asked = std::mem::take(&mut *accepted.lock());
    // A server that understands the alternatives of a media type needs no second request.
    assert!(asked[0].ends_with(";v=v1,application/json"), "{asked:?}");
    assert_eq!((asked.len(), asked[1].as_str()), (2, "application/json"));
    let watch = ApiRequest::watch(&config_maps(), None, "1", Duration::from_secs(1)).metadata_only();
    assert!(cluster.connection.open(&watch).await.is_ok());
    assert_eq!(accepted.lock().len(), 2);
    // A request for another media type gets the refusal.
    assert_eq!(cluster.send(&list().accept("text/plain")).await.unwrap_err().code(), Some(406));
}
