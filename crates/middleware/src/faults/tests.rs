use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use futures::StreamExt;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt, Full, StreamBody};
use serde_json::{Value, json};
use tower::{Layer, ServiceExt, service_fn};

use super::*;
use crate::clock::{Clock, Seed};
use crate::journal::{Journal, Outcome};
use crate::status::Status;
use crate::verb::Verb;

/// A server that answers every request with its body, behind fault rules and a journal.
struct Endpoint {
    faults: Faults,
    journal: Journal,
    handled: Arc<AtomicU64>,
}

impl Endpoint {
    fn new() -> Self {
        let clock = Clock::tokio("2026-01-01T00:00:00Z".parse().unwrap());
        Self { faults: Faults::new(clock.clone(), Seed::new(7)), journal: Journal::new(clock), handled: Arc::default() }
    }

    fn handled(&self) -> u64 {
        self.handled.load(Ordering::Relaxed)
    }

    async fn send_as(&self, agent: &str, method: &str, uri: &str, body: Value) -> Result<(u16, Value), ConnectionDropped> {
        let handled = self.handled.clone();
        let echo = service_fn(move |request: Request<Full<Bytes>>| {
            handled.fetch_add(1, Ordering::Relaxed);
            async move { Ok::<_, Infallible>(Response::new(request.into_body())) }
        });
        let service = self.journal.layer().layer(self.faults.layer().layer(echo));
        let request = Request::builder().method(method).uri(uri).header("user-agent", agent);
        let response = service
            .oneshot(request.body(Full::from(body.to_string())).unwrap())
            .await
            .map_err(|error| *error.downcast().unwrap())?;
        let status = response.status().as_u16();
        let bytes = response.into_body().collect().await.unwrap().to_bytes();
        Ok((status, serde_json::from_slice(&bytes).unwrap()))
    }

    async fn send(&self, method: &str, uri: &str) -> Result<(u16, Value), ConnectionDropped> {
        self.send_as("probe/1", method, uri, json!({})).await
    }
}

const DEMO: &str = "/apis/apps/v1/namespaces/n/deployments/demo";

// FLT-1
#[tokio::test]
async fn a_fault_rule_applies_to_matching_requests_after_its_skips_and_up_to_its_limit() {
    let endpoint = Endpoint::new();
    let rule = endpoint
        .faults
        .on(Verb::Patch)
        .of("apps", "deployments")
        .in_namespace("n")
        .named("demo")
        .by_user_agent("probe")
        .after(1)
        .times(2)
        .conflict();
    assert_eq!(endpoint.send("GET", DEMO).await.unwrap().0, 200);
    assert_eq!(endpoint.send("PATCH", "/apis/apps/v1/namespaces/n/deployments/other").await.unwrap().0, 200);
    assert_eq!(endpoint.send_as("other/1", "PATCH", DEMO, json!({})).await.unwrap().0, 200);
    let mut codes = Vec::new();
    for _ in 0..4 {
        codes.push(endpoint.send("PATCH", DEMO).await.unwrap().0);
    }
    assert_eq!(codes, [200, 409, 409, 200]);
    assert_eq!(rule.hits(), 2);
}

// FLT-1
#[tokio::test]
async fn the_first_rule_that_matches_wins_and_rules_can_be_removed() {
    let endpoint = Endpoint::new();
    let first = endpoint.faults.on_writes().unavailable();
    endpoint.faults.on_any().not_found();
    assert_eq!(endpoint.send("DELETE", DEMO).await.unwrap().0, 503);
    first.remove();
    assert_eq!(endpoint.send("DELETE", DEMO).await.unwrap().0, 404);
    assert_eq!(first.hits(), 1);
    endpoint.faults.clear();
    assert_eq!(endpoint.send("DELETE", DEMO).await.unwrap().0, 200);
}

// FLT-1
#[tokio::test]
async fn a_create_is_matched_by_the_name_in_its_body() {
    let endpoint = Endpoint::new();
    endpoint.faults.on(Verb::Create).named("a").with_body(|body| body["data"]["k"] == "v").forbidden();
    let create = |name: &str, value: &str| json!({"metadata": {"name": name}, "data": {"k": value}});
    let uri = "/api/v1/namespaces/n/configmaps";
    assert_eq!(endpoint.send_as("p", "POST", uri, create("a", "v")).await.unwrap().0, 403);
    assert_eq!(endpoint.send_as("p", "POST", uri, create("a", "w")).await.unwrap().0, 200);
    assert_eq!(endpoint.send_as("p", "POST", uri, create("b", "v")).await.unwrap().0, 200);
}

// FLT-2
#[tokio::test]
async fn a_dropped_connection_is_an_error_before_or_after_the_request_is_handled() {
    let endpoint = Endpoint::new();
    endpoint.faults.on(Verb::Patch).drop_before();
    endpoint.faults.on(Verb::Delete).drop_after();
    assert_eq!(endpoint.send("PATCH", DEMO).await.unwrap_err(), ConnectionDropped { handled: false });
    assert_eq!(endpoint.handled(), 0);
    assert_eq!(endpoint.send("DELETE", DEMO).await.unwrap_err(), ConnectionDropped { handled: true });
    assert_eq!(endpoint.handled(), 1);
    assert!(endpoint.journal.all().iter().all(|record| record.outcome == Outcome::Broken));
}

// FLT-2
#[tokio::test]
async fn a_failure_is_answered_before_or_after_the_request_is_handled() {
    let endpoint = Endpoint::new();
    let status = || Status::new(500, "InternalError", "the answer got lost");
    endpoint.faults.on(Verb::Patch).respond(status());
    endpoint.faults.on(Verb::Delete).respond_after(status());
    for (method, handled) in [("PATCH", 0), ("DELETE", 1)] {
        let (code, body) = endpoint.send(method, DEMO).await.unwrap();
        assert_eq!((code, &body["message"]), (500, &json!("the answer got lost")));
        assert_eq!(endpoint.handled(), handled, "{method}");
    }
}

// FLT-2
#[tokio::test(start_paused = true)]
async fn a_delay_passes_on_the_clock() {
    let endpoint = Endpoint::new();
    endpoint.faults.slow_down(Duration::from_secs(30));
    endpoint.send("GET", DEMO).await.unwrap();
    assert_eq!(endpoint.journal.all()[0].latency, Some(Duration::from_secs(30)));
}

// FLT-2
#[tokio::test]
async fn bodies_can_be_changed_in_both_directions() {
    let endpoint = Endpoint::new();
    let way_in = endpoint.faults.on_any().times(1).edit_request(|body| body["way"] = json!("in"));
    assert_eq!(endpoint.send("PATCH", DEMO).await.unwrap().1, json!({"way": "in"}));
    assert_eq!(way_in.hits(), 1);
    endpoint.faults.on_any().edit_response(|body| body["way"] = json!("out"));
    assert_eq!(endpoint.send("PATCH", DEMO).await.unwrap().1, json!({"way": "out"}));
}

// FLT-3
#[tokio::test]
async fn a_made_up_failure_reads_like_one_of_the_server() {
    let endpoint = Endpoint::new();
    endpoint.faults.on_any().too_many_requests(3);
    let (code, body) = endpoint.send("GET", DEMO).await.unwrap();
    assert_eq!(code, 429);
    assert_eq!((&body["reason"], &body["details"]["retryAfterSeconds"]), (&json!("TooManyRequests"), &json!(3)));
    assert_eq!(endpoint.journal.all()[0].reason.as_deref(), Some("TooManyRequests"));
}

// FLT-1
#[tokio::test]
async fn probabilities_come_from_the_seed() {
    let hits = |seed| async move {
        let endpoint = Endpoint { faults: Faults::new(Clock::system(), Seed::new(seed)), ..Endpoint::new() };
        let rule = endpoint.faults.on_any().with_probability(0.5).respond(Status::new(500, "InternalError", "chance"));
        for _ in 0..200 {
            endpoint.send("GET", DEMO).await.unwrap();
        }
        rule.hits()
    };
    let first = hits(1).await;
    assert!((60..=140).contains(&first), "{first}");
    assert_eq!(first, hits(1).await);
}

// FLT-5
#[tokio::test]
async fn a_cut_answers_the_first_requests_and_drops_the_rest_until_resumed() {
    let endpoint = Endpoint::new();
    let cut = endpoint.faults.cut_after(2).by_user_agent("probe").start();
    assert!(endpoint.send("GET", DEMO).await.is_ok());
    assert!(endpoint.send("PATCH", DEMO).await.is_ok());
    assert!(endpoint.send("GET", DEMO).await.is_err());
    assert!(endpoint.send_as("other/1", "GET", DEMO, json!({})).await.is_ok());
    assert_eq!((cut.seen(), cut.dropped()), (2, 1));
    cut.resume();
    assert!(endpoint.send("GET", DEMO).await.is_ok());
}

// FLT-5
#[tokio::test]
async fn a_cut_by_writes_lets_reads_pass_until_the_last_write() {
    let endpoint = Endpoint::new();
    let cut = endpoint.faults.cut_after(1).writes_only().start();
    assert!(endpoint.send("GET", DEMO).await.is_ok());
    assert!(endpoint.send("PATCH", DEMO).await.is_ok());
    assert!(endpoint.send("GET", DEMO).await.is_err());
    assert!(endpoint.send("PATCH", DEMO).await.is_err());
    assert_eq!(cut.dropped(), 2);
}

/// Returns the lines of an unending watch, until a rule ends it or a minute has passed; the flag is true if it ended.
async fn watched(endpoint: &Endpoint) -> (Vec<String>, bool) {
    let events = service_fn(|_: Request<Full<Bytes>>| async {
        let events = futures::stream::iter(1..4)
            .chain(futures::stream::pending())
            .map(|n| Ok::<_, Infallible>(Frame::data(Bytes::from(format!("{n}\n")))));
        Ok::<_, Infallible>(Response::new(StreamBody::new(events)))
    });
    let request = Request::get("/api/v1/pods?watch=true").body(Full::default()).unwrap();
    let mut body = endpoint.faults.layer().layer(events).oneshot(request).await.unwrap().into_body();
    let mut lines = Vec::new();
    loop {
        match tokio::time::timeout(Duration::from_secs(60), body.frame()).await {
            Ok(Some(frame)) => lines.push(String::from_utf8(frame.unwrap().into_data().unwrap().to_vec()).unwrap()),
            Ok(None) => return (lines, true),
            Err(_) => return (lines, false),
        }
    }
}

// FLT-4
#[tokio::test(start_paused = true)]
async fn watches_end_fall_silent_or_are_too_old() {
    let endpoint = Endpoint::new();
    endpoint.faults.on(Verb::Watch).times(1).cut_watch(2);
    assert_eq!(watched(&endpoint).await, (vec!["1\n".to_owned(), "2\n".to_owned()], true));
    endpoint.faults.on(Verb::Watch).times(1).hang_watch(1);
    assert_eq!(watched(&endpoint).await, (vec!["1\n".to_owned()], false));
    endpoint.faults.on(Verb::Watch).times(1).cut_watch_after(Duration::from_secs(5));
    assert_eq!(watched(&endpoint).await.0.len(), 3);
    endpoint.faults.expire_watches(1);
    let (lines, ended) = watched(&endpoint).await;
    assert!(ended && lines[0].starts_with("{\"object\":{") && lines[0].contains("\"Expired\""), "{lines:?}");
    assert_eq!(watched(&endpoint).await.0.len(), 3);
}
