use std::convert::Infallible;
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::json;
use tower::{Layer, Service, ServiceExt, service_fn};

use super::*;
use crate::clock::Clock;
use crate::identity::Identity;
use crate::verb::Verb;

fn journal() -> Journal {
    Journal::new(Clock::tokio("2026-01-01T00:00:00Z".parse().unwrap()))
}

fn request(method: &str, uri: &str) -> Request<Full<Bytes>> {
    Request::builder().method(method).uri(uri).header("user-agent", "probe/1").body(Full::default()).unwrap()
}

type Answer = Result<Response<Full<Bytes>>, Infallible>;

async fn send(
    journal: &Journal,
    request: Request<Full<Bytes>>,
    answer: impl Fn() -> Response<Full<Bytes>> + Clone + Send + 'static,
) {
    let service = journal.layer().layer(service_fn(move |_: Request<Full<Bytes>>| {
        let answer = answer.clone();
        async move { Answer::Ok(answer()) }
    }));
    let response = service.oneshot(request).await.unwrap();
    response.into_body().collect().await.unwrap();
}

fn ok() -> Response<Full<Bytes>> {
    Response::default()
}

// JRN-1
#[tokio::test(start_paused = true)]
async fn a_journal_record_has_the_request_the_user_the_outcome_and_the_latency() {
    let journal = journal();
    let service = service_fn(|_: Request<Full<Bytes>>| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let mut response = Response::new(Full::from(json!({"kind": "Status", "reason": "NotFound"}).to_string()));
        *response.status_mut() = StatusCode::NOT_FOUND;
        response.extensions_mut().insert(Effect { revision_before: 4, revision_after: 4, stored: false });
        Answer::Ok(response)
    });
    let mut asked = request("GET", "/api/v1/namespaces/n/configmaps/a?resourceVersion=0");
    asked.extensions_mut().insert(Identity::user("alice"));
    let response = journal.layer().layer(service).oneshot(asked).await.unwrap();
    response.into_body().collect().await.unwrap();
    let records = journal.all();
    assert_eq!(
        records[0].to_string(),
        "#1 2026-01-01T00:00:00.000Z get configmaps n/a?resourceVersion=0 by probe/1: 404 NotFound"
    );
    assert_eq!(records[0].user.as_deref(), Some("alice"));
    assert_eq!(records[0].latency, Some(Duration::from_millis(20)));
    assert_eq!(records[0].effect.map(|effect| effect.stored), Some(false));
}

#[tokio::test]
async fn a_request_that_its_client_gave_up_is_recorded_as_cancelled() {
    let journal = journal();
    let mut service = journal.layer().layer(service_fn(|_: Request<Full<Bytes>>| std::future::pending::<Answer>()));
    let waiting = service.call(request("GET", "/version"));
    drop(tokio::time::timeout(Duration::ZERO, waiting).await);
    assert_eq!(journal.all()[0].outcome, Outcome::Cancelled);
}

// JRN-3
#[tokio::test]
async fn a_mark_hides_earlier_records_and_a_full_journal_drops_the_oldest_records() {
    let journal = journal();
    journal.keep(2);
    send(&journal, request("GET", "/livez"), ok).await;
    let mark = journal.mark();
    assert!(journal.since(mark).is_empty());
    for _ in 0..3 {
        send(&journal, request("GET", "/readyz"), ok).await;
    }
    let numbers: Vec<u64> = journal.since(mark).iter().map(|record| record.number).collect();
    assert_eq!(numbers, [3, 4]);
    assert_eq!(journal.all()[0].outcome, Outcome::Answered(200));
}

// JRN-3
#[tokio::test]
async fn the_stream_yields_old_and_new_records_in_order() {
    let journal = journal();
    send(&journal, request("GET", "/a"), ok).await;
    let mut stream = Box::pin(journal.stream(journal.all()[0].mark()));
    assert_eq!(stream.next().await.unwrap().number, 1);
    let (next, ()) = tokio::join!(stream.next(), send(&journal, request("GET", "/b"), ok));
    assert_eq!(next.unwrap().number, 2);
}

// JRN-2
#[tokio::test(start_paused = true)]
async fn assertions_hold_or_list_the_requests_that_break_them() {
    let journal = journal();
    send(&journal, request("GET", "/api/v1/configmaps"), ok).await;
    send(&journal, request("PATCH", "/api/v1/namespaces/n/configmaps/a?fieldManager=m"), ok).await;
    send(&journal, request("PATCH", "/api/v1/namespaces/n/configmaps/a?dryRun=All"), ok).await;
    send(&journal, request("PUT", "/api/v1/namespaces/n/configmaps/a/status"), ok).await;
    let all = journal.all();
    let violation = all.no_writes().unwrap_err().to_string();
    assert!(violation.starts_with("expected no writes, found 2:\n  #2 "), "{violation}");
    all.clone().verb(Verb::Get).no_writes().unwrap();
    all.clone().writes().exactly(2).unwrap();
    all.clone().of("", "configmaps").in_namespace("n").named("a").at_most(3).unwrap();
    assert!(all.clone().by_user_agent("probe").at_most(3).is_err());
    let nameless = all.every_write_names_its_field_manager().unwrap_err();
    assert_eq!(nameless.requests().len(), 1);
    assert_eq!(nameless.requests()[0].number, 4);
    all.in_order(|record| record.target.verb() == Some(Verb::List), Record::is_write).unwrap();
    assert!(all.in_order(Record::is_write, |record| record.target.verb() == Some(Verb::List)).is_err());
}

// JRN-2
#[tokio::test(start_paused = true)]
async fn equal_requests_close_together_are_a_hot_loop() {
    let journal = journal();
    for _ in 0..3 {
        send(&journal, request("GET", "/api/v1/nodes"), ok).await;
        tokio::time::sleep(Duration::from_secs(10)).await;
    }
    journal.all().no_hot_loop(2, Duration::from_secs(19)).unwrap();
    let violation = journal.all().no_hot_loop(2, Duration::from_secs(20)).unwrap_err();
    assert_eq!(violation.requests().len(), 3);
}

// JRN-1
#[tokio::test]
async fn bodies_are_kept_on_demand_and_secrets_are_masked() {
    let journal = journal();
    journal.keep_bodies(true);
    let mut create = request("POST", "/api/v1/namespaces/n/secrets");
    *create.body_mut() = Full::from(json!({"kind": "Secret", "data": {"password": "aGk="}}).to_string());
    send(&journal, create, ok).await;
    assert_eq!(journal.all()[0].body, Some(json!({"kind": "Secret", "data": {"password": "***"}})));
}

// JRN-1
#[tokio::test]
async fn bodies_that_are_not_json_are_decoded_and_masked() {
    let journal = journal();
    journal.keep_bodies(true);
    journal.decode_bodies(|body| Some(json!({"data": {"password": body.strip_prefix(b"k8s")?}})));
    for body in ["k8s\0", "other"] {
        let mut create = request("POST", "/api/v1/namespaces/n/secrets");
        *create.body_mut() = Full::from(body);
        send(&journal, create, ok).await;
    }
    let kept: Vec<_> = journal.all().iter().map(|record| record.body.clone()).collect();
    assert_eq!(kept, [Some(json!({"data": {"password": "***"}})), None]);
}

// JRN-4
#[tokio::test(start_paused = true)]
async fn records_print_as_events_of_an_audit_log() {
    let journal = journal();
    let service = service_fn(|_: Request<Full<Bytes>>| async {
        tokio::time::sleep(Duration::from_millis(20)).await;
        let mut response = Response::new(Full::from(json!({"kind": "Status", "reason": "NotFound"}).to_string()));
        *response.status_mut() = StatusCode::NOT_FOUND;
        Answer::Ok(response)
    });
    let layered = journal.layer().layer(service);
    for (method, uri) in [
        ("PUT", "/apis/apps/v1/namespaces/n/deployments/a/scale?dryRun=All"),
        ("DELETE", "/api/v1/namespaces/n"),
        ("GET", "/version"),
    ] {
        let mut asked = request(method, uri);
        asked.extensions_mut().insert(Identity::user("alice"));
        layered.clone().oneshot(asked).await.unwrap().into_body().collect().await.unwrap();
    }
    let lines = journal.all().audit();
    let events: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = json!({
        "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata", "auditID": "00000000-0000-4000-8000-000000000001",
        "stage": "ResponseComplete", "verb": "update", "user": {"username": "alice"}, "userAgent": "probe/1",
        "requestURI": "/apis/apps/v1/namespaces/n/deployments/a/scale?dryRun=All",
        "objectRef": {
            "apiGroup": "apps", "apiVersion": "v1", "resource": "deployments", "subresource": "scale", "namespace": "n", "name": "a",
        },
        "responseStatus": {"metadata": {}, "code": 404, "reason": "NotFound"},
        "requestReceivedTimestamp": "2026-01-01T00:00:00.000000Z", "stageTimestamp": "2026-01-01T00:00:00.020000Z",
    });
    assert_eq!(events[0], expected);
    assert_eq!((&events[1]["requestURI"], &events[1]["verb"]), (&json!("/api/v1/namespaces/n"), &json!("delete")));
    assert_eq!((&events[2]["requestURI"], &events[2]["verb"]), (&json!("/version"), &json!("get")));
    assert!(events[2].get("objectRef").is_none());
}
