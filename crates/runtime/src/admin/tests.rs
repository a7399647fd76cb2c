use futures::executor::block_on;
use http::{Method, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::respond::Pages;
use super::server::listen;
use super::why::WhyQuery;
use super::*;
use crate::clock::Clock;
use crate::metrics::Metrics;
use crate::task::Tasks;

fn checks() -> Checks {
    let checks = Checks::new();
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
fn a_check_is_asked_alone_or_left_out() {
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
    assert!(tasks.stop(std::time::Duration::from_secs(5)).await.is_empty());
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
fn the_page_of_passes_says_what_is_missing() {
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
