use std::sync::Arc;
use std::time::Duration;

use futures::executor::block_on;
use http::{Method, StatusCode};
use kubewright_core::flow::Redactor;
use kubewright_core::queue::Lane;
use kubewright_machinery::object::Key;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::respond::{AdminResponse, Pages};
use super::server::listen;
use super::why::WhyQuery;
use super::*;
use crate::clock::Clock;
use crate::config::ObservabilityControl;
use crate::metrics::{Metrics, QueueStatistics, QueuedNow};
use crate::operator::OperatorPhase;
use crate::task::Tasks;
use crate::watch::Watched;

fn checks() -> HealthChecks {
    let checks = HealthChecks::new();
    checks.ready("phase", || Ok(())).unwrap();
    checks.ready("caches", || Err("waiting for widgets".to_owned())).unwrap();
    checks.live("heartbeat", || Ok(())).unwrap();
    checks.note("watches", || Err("secrets: forbidden".to_owned())).unwrap();
    checks
}

fn pages() -> Pages {
    Pages { checks: checks(), metrics: Metrics::new("test"), why: PassHistories::new(), diagnostics: None }
}

fn get(path: &str, query: &str) -> (u16, String) {
    let answer = block_on(pages().respond(&Method::GET, path, query));
    (answer.status.as_u16(), answer.body)
}

// HLT-1, HLT-2
#[test]
fn readiness_lists_its_checks() {
    let expected =
        "[+]phase ok\n[-]caches failed: waiting for widgets\n[-]watches failed: secrets: forbidden\nreadyz check failed\n";
    assert_eq!(get("/readyz", "verbose"), (500, expected.to_owned()));
    assert_eq!(get("/readyz", "").0, 500);
}

// 2.5
#[test]
fn a_readiness_check_is_queried_alone_or_excluded() {
    assert_eq!(get("/readyz/phase", ""), (200, "ok".to_owned()));
    assert_eq!(get("/readyz/caches", "").0, 500);
    assert_eq!(get("/readyz/nonsense", "").0, 404);
    assert_eq!(get("/readyz", "exclude=caches"), (200, "ok".to_owned()));
}

// HLT-2: a note does not decide.
#[test]
fn notes_do_not_decide() {
    let (code, body) = get("/readyz", "verbose&exclude=caches");
    assert_eq!(code, 200);
    assert!(body.contains("[-]watches failed") && body.ends_with("readyz check passed\n"), "{body}");
}

// 2.5
#[test]
fn the_other_paths() {
    assert_eq!(get("/livez", ""), (200, "ok".to_owned()));
    assert_eq!(get("/healthz", "verbose").1, "[+]heartbeat ok\nlivez check passed\n");
    assert_eq!(get("/nothing", "").0, 404);
    assert!(get("/metrics", "").1.ends_with("# EOF\n"));
    assert_eq!((get("/debug/state", "").0, get("/debug/queue/widgets", "").0), (404, 404), "there is no operator");
    let posted = block_on(pages().respond(&Method::POST, "/livez", ""));
    assert_eq!(posted.status, StatusCode::METHOD_NOT_ALLOWED);
}

// 2.5
#[test]
fn the_paths_of_knative_answer_as_their_successors_do() {
    for query in ["", "verbose"] {
        assert_eq!(get("/health", query), get("/livez", query));
        assert_eq!(get("/readiness", query), get("/readyz", query));
    }
    assert_eq!((get("/health", "").0, get("/readiness", "").0), (200, 500));
    assert_eq!(get("/readiness/phase", ""), (200, "ok".to_owned()));
}

// HLT-5
#[test]
fn names_of_checks_are_unique() {
    let error = checks().live("phase", || Ok(())).unwrap_err();
    assert_eq!(error, DuplicateCheck("phase".to_owned()));
}

#[tokio::test]
async fn the_server_answers_and_ends() {
    let admin = Admin::bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
    let (address, tasks) = (admin.address(), Tasks::new());
    let serve = admin.serve(checks(), Metrics::new("test"), Clock::system(), tasks.clone(), tasks.stopping());
    tasks.spawn("admin", serve).detach();
    let mut stream = TcpStream::connect(address).await.unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok"), "{answer}");
    assert!(tasks.stop(Duration::from_secs(5)).await.is_empty());
    assert!(TcpStream::connect(address).await.is_err());
}

// 2.5
#[tokio::test]
async fn all_addresses_are_those_of_ipv4_where_there_is_no_ipv6() {
    use std::io::{Error, ErrorKind};
    use std::net::SocketAddr;

    let without = |error: ErrorKind| {
        move |address: SocketAddr| async move { if address.is_ipv6() { Err(Error::from(error)) } else { Ok(address.to_string()) } }
    };
    let all = "[::]:8080".parse().unwrap();
    assert_eq!(listen(all, without(ErrorKind::Unsupported)).await.unwrap(), "0.0.0.0:8080");
    assert!(listen(all, without(ErrorKind::AddrInUse)).await.is_err());
    assert!(listen("[::1]:8080".parse().unwrap(), without(ErrorKind::Unsupported)).await.is_err());
}

// WHY-6
#[test]
fn the_page_of_passes_refuses_invalid_queries_and_unknown_kinds() {
    assert_eq!(get("/debug/why", "").0, 400);
    let (code, body) = get("/debug/why", "kind=Widget");
    assert!(code == 400 && body.starts_with("the name is missing; ask for /debug/why?kind="), "{body}");
    assert_eq!(get("/debug/why", "name=a/b").0, 400);
    assert_eq!(get("/debug/why", "kind=Widget&name=a/b/c").0, 400);
    assert_eq!(get("/debug/why", "kind=Widget&name=a/b&namespace=c").0, 400);
    assert_eq!(get("/debug/why", "kind=Widget&name=a&format=yaml").0, 400);
    let (code, body) = get("/debug/why", "kind=Widget&name=a");
    assert!(code == 404 && body.starts_with("no controller has the kind \"Widget\""), "{body}");
}

// WHY-6
#[test]
fn a_name_has_its_namespace_before_it_or_beside_it() {
    let query = |text: &str| WhyQuery::parse(text).map(|query| (query.kind, query.key.to_string(), query.json));
    let expected = Ok(("Widget.example.com".to_owned(), "ns/a".to_owned(), false));
    for text in ["name=ns/a", "name=ns%2Fa", "namespace=ns&name=a", "name=a&namespace=ns&format=text"] {
        assert_eq!(query(&format!("kind=Widget.example.com&{text}")), expected, "{text}");
    }
    assert_eq!(query("kind=Node&name=a&format=json"), Ok(("Node".to_owned(), "a".to_owned(), true)));
    assert_eq!(query("kind=N%6fde&name=100%"), Ok(("Node".to_owned(), "100%".to_owned(), false)));
}

/// A queue with this number of slow keys.
#[derive(Debug)]
struct Crowd(u64);

impl QueueStatistics for Crowd {
    fn name(&self) -> &'static str {
        "widgets"
    }

    fn depth(&self, lane: Lane) -> usize {
        if lane == Lane::Slow { self.0 as usize } else { 0 }
    }

    fn waiting(&self) -> usize {
        3
    }

    fn running(&self) -> Vec<(Key, Duration)> {
        vec![(Key::new("ns", "busy"), Duration::from_millis(1500))]
    }

    fn queued(&self, lane: Lane, ticket: u64, limit: usize) -> Vec<QueuedNow> {
        let tickets = ticket..if lane == Lane::Slow { self.0 } else { 0 };
        let told = |ticket: u64| QueuedNow { key: Key::new("ns", ticket.to_string()), age: Duration::from_secs(ticket), ticket };
        tickets.take(limit).map(told).collect()
    }
}

/// Returns the pages of an operator with such a queue, and the queue, which must be held as long as the pages are used.
fn pages_of_operator(observability: ObservabilityControl) -> (Pages, Arc<dyn QueueStatistics>) {
    let crowd: Arc<dyn QueueStatistics> = Arc::new(Crowd(2500));
    let pages = pages();
    pages.metrics.watch_queue(Arc::downgrade(&crowd));
    let (_, phase) = watch::channel(OperatorPhase::Leading);
    let (checks, metrics) = (pages.checks.clone(), pages.metrics.clone());
    let diagnostics = Diagnostics::new(phase, checks, Watched::default(), metrics, observability);
    diagnostics.section("config", || json!([{"name": "config-pool", "resourceVersion": "7", "ok": true}]));
    (Pages { diagnostics: Some(diagnostics), ..pages }, crowd)
}

fn json_of(answer: &AdminResponse) -> Value {
    assert_eq!((answer.status, answer.content_type), (StatusCode::OK, "application/json"), "{}", answer.body);
    serde_json::from_str(&answer.body).unwrap()
}

// 2.5: the reasons of checks may name objects; without leadership there are no buckets.
#[tokio::test]
async fn the_state_has_numbers_and_no_names_of_objects() {
    let (pages, _crowd) = pages_of_operator(ObservabilityControl::default());
    let page = json_of(&pages.respond(&Method::GET, "/debug/state", "").await);
    let check = |name: &str, kind: &str, ok: bool| json!({"name": name, "kind": kind, "ok": ok});
    let expected = json!({
        "phase": "Leading",
        "checks": [
            check("heartbeat", "live", true), check("phase", "ready", true), check("caches", "ready", false), check("watches", "note", false),
        ],
        "watches": [],
        "queues": [{"controller": "widgets", "depth": {"urgent": 0, "fast": 0, "slow": 2500}, "inFlight": 1, "waiting": 3}],
        "config": [{"name": "config-pool", "resourceVersion": "7", "ok": true}],
    });
    assert_eq!(page, expected);
}

// 2.5, OBS-3
#[tokio::test]
async fn the_keys_of_a_queue_are_shown_where_profiling_is_enabled() {
    let (pages, _crowd) = pages_of_operator(ObservabilityControl::default());
    let refused = pages.respond(&Method::GET, "/debug/queue/widgets", "").await;
    assert_eq!(refused.status, StatusCode::NOT_FOUND);
    assert!(refused.body.contains("set runtime-profiling to enabled in the ConfigMap config-observability"), "{}", refused.body);

    let (pages, _crowd) = pages_of_operator(ObservabilityControl::enabled());
    let page = json_of(&pages.respond(&Method::GET, "/debug/queue/widgets", "").await);
    assert_eq!((&page["controller"], &page["waiting"]), (&json!("widgets"), &json!(3)));
    assert_eq!(page["running"], json!([{"key": "ns/busy", "age": 1.5}]));
    assert_eq!(
        (&page["lanes"]["urgent"], &page["lanes"]["fast"]),
        (&json!({"depth": 0, "keys": []}), &json!({"depth": 0, "keys": []}))
    );
    let slow = page["lanes"]["slow"]["keys"].as_array().unwrap();
    assert_eq!((slow.len(), &page["lanes"]["slow"]["depth"]), (2500, &json!(2500)));
    assert!(
        slow.iter().enumerate().all(|(index, queued)| queued["key"] == format!("ns/{index}") && queued["age"] == index as f64)
    );

    let unknown = pages.respond(&Method::GET, "/debug/queue/gadgets", "").await;
    assert_eq!(
        (unknown.status, &*unknown.body),
        (StatusCode::NOT_FOUND, "no controller has the name \"gadgets\"; there are: widgets\n")
    );
    assert_eq!(pages.respond(&Method::GET, "/debug/queue", "").await.status, StatusCode::NOT_FOUND);
}

// 2.5
#[tokio::test]
async fn metrics_can_be_turned_off() {
    let control = ObservabilityControl::default();
    let (pages, _crowd) = pages_of_operator(control.clone());
    assert_eq!(pages.respond(&Method::GET, "/metrics", "").await.status, StatusCode::OK);
    control.hide_metrics();
    let answer = pages.respond(&Method::GET, "/metrics", "").await;
    assert!(answer.status == StatusCode::NOT_FOUND && answer.body.contains("metrics-protocol"), "{}", answer.body);
}

// SW-9
#[test]
fn failing_checks_pass_the_redactor() {
    let checks = HealthChecks::new();
    checks.ready("backend", || Err("token-1 was refused by https://admin:pw@example.com".to_owned())).unwrap();
    let told = || checks.results(CheckKind::Ready).remove(0).1.unwrap_err();
    assert_eq!(told(), "token-1 was refused by https://***@example.com");
    checks.set_redactor(Redactor::default().masking(|text| Some(text.replace("token-1", "(token)"))));
    assert_eq!(told(), "(token) was refused by https://***@example.com");
}
