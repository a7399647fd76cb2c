//! Checks that the memory of a server in long use stays flat, since all that it remembers is bounded.
//!
//! `cargo bench -p kubewright-apiserver --bench memory [-- --writes <n>] [--objects <n>] [--journal <n>]`. Writes to a fixed set of objects, which
//! two watches follow, then creates and deletes types and namespaces. Prints the resident memory after each part of a phase, and fails if it grows
//! after the first quarter of a phase. The journal keeps one record, as in the program `kubewright-apiserver`; with the 100,000 records of the
//! default, memory grows until that number is reached. Linux only: elsewhere the memory is unknown.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that fails has failed")]
#![allow(clippy::disallowed_methods, reason = "what is measured is this machine")]
#![allow(missing_docs, reason = "a program")]

use bytes::Bytes;
use futures::FutureExt as _;
use http::{Method, Request};
use http_body::Body;
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::server::Front;
use kubewright_apiserver::{ApiServer, Identity};
use tower::{Service, ServiceExt as _};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
const NAMESPACES: &str = "/api/v1/namespaces";
const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// The allowed growth of a phase after its first quarter, in KiB; the amount of freed memory that an allocator keeps varies.
const GROWTH: u64 = 6 * 1024;

type Client = Front;

fn request(method: Method, path: &str, content_type: &str, body: String) -> Request<Full<Bytes>> {
    let request =
        Request::builder().method(method).uri(path).header("user-agent", "bench/1").header("content-type", content_type);
    request.body(Full::from(body)).unwrap()
}

async fn send(client: &mut Client, method: Method, path: &str, content_type: &str, body: String) {
    let response = client.call(request(method.clone(), path, content_type, body)).await.unwrap();
    let status = response.status();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    assert!(status.is_success(), "{method} {path}: {status} {}", String::from_utf8_lossy(&text));
}

/// Returns a ConfigMap of about 1 KiB.
fn map(name: &str, number: usize) -> String {
    let filler = "x".repeat(900);
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"k":"{filler}{number:08}"}}}}"#)
}

/// Sends one of the usual writes: a patch, a replacement, an apply, or a deletion followed by a creation.
async fn write(client: &mut Client, name: &str, number: usize) {
    const MERGE: &str = "application/merge-patch+json";
    const APPLY: &str = "application/apply-patch+yaml";
    let one = format!("{MAPS}/{name}");
    match number % 8 {
        0..4 => send(client, Method::PATCH, &one, MERGE, format!(r#"{{"data":{{"n":"{number}"}}}}"#)).await,
        4 | 5 => send(client, Method::PUT, &one, "application/json", map(name, number)).await,
        6 => send(client, Method::PATCH, &format!("{one}?fieldManager=bench&force=true"), APPLY, map(name, number)).await,
        _ => {
            send(client, Method::DELETE, &one, "application/json", String::new()).await;
            send(client, Method::POST, MAPS, "application/json", map(name, number)).await;
        }
    }
}

async fn define_and_remove(client: &mut Client, number: usize) {
    let group = format!("g{number}.bench.kubewright.dev");
    let definition = format!(
        r#"{{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{{"name":"things.{group}"}},"spec":{{"group":"{group}",
        "scope":"Namespaced","names":{{"plural":"things","kind":"Thing"}},"versions":[{{"name":"v1","served":true,"storage":true,"schema":
        {{"openAPIV3Schema":{{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}}}}]}}}}"#
    );
    send(client, Method::POST, DEFINITIONS, "application/json", definition).await;
    let things = format!("/apis/{group}/v1/namespaces/default/things");
    let thing = format!(r#"{{"apiVersion":"{group}/v1","kind":"Thing","metadata":{{"name":"one"}},"spec":{{"a":1}}}}"#);
    send(client, Method::POST, &things, "application/json", thing).await;
    send(client, Method::GET, &things, "application/json", String::new()).await;
    send(client, Method::GET, &format!("/openapi/v3/apis/{group}/v1"), "application/json", String::new()).await;
    send(client, Method::DELETE, &format!("{DEFINITIONS}/things.{group}"), "application/json", String::new()).await;
}

async fn live_and_die(client: &mut Client, number: usize) {
    let namespace = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"n{number}"}}}}"#);
    send(client, Method::POST, NAMESPACES, "application/json", namespace).await;
    for name in ["a", "b", "c"] {
        send(client, Method::POST, &format!("{NAMESPACES}/n{number}/configmaps"), "application/json", map(name, number)).await;
    }
    send(client, Method::DELETE, &format!("{NAMESPACES}/n{number}"), "application/json", String::new()).await;
}

async fn watch(server: &ApiServer, path: &str) -> impl Body<Data = Bytes, Error: std::fmt::Debug> + Unpin + use<> {
    let path = format!("{path}?watch=true&resourceVersion={}", server.revision());
    let answer = server.service(Identity::admin()).oneshot(request(Method::GET, &path, "application/json", String::new()));
    answer.await.unwrap().into_body()
}

/// Returns the resident memory of this process in KiB.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Calls `act` the given number of times and measures the memory after each twelfth part. Returns true if the memory stayed flat.
async fn phase(name: &str, times: usize, mut act: impl AsyncFnMut(usize)) -> bool {
    let mut seen = vec![resident().unwrap_or_default()];
    let part = (times / 12).max(1);
    for number in 0..times {
        act(number).await;
        if (number + 1) % part == 0 {
            seen.push(resident().unwrap_or_default());
        }
    }
    let shown: Vec<String> = seen.iter().map(|kib| format!("{:.1}", *kib as f64 / 1024.0)).collect();
    let is_flat = *seen.last().unwrap() <= seen[seen.len() / 4] + GROWTH;
    println!("{times} {name}: {} MiB{}", shown.join(" "), if is_flat { "" } else { ": it grows" });
    is_flat
}

async fn run(writes: usize, objects: usize, journal: usize) -> bool {
    let server = ApiServer::builder().build().unwrap();
    server.journal().keep(journal);
    let mut client = server.service(Identity::admin());
    for number in 0..objects {
        send(&mut client, Method::POST, MAPS, "application/json", map(&format!("m{number}"), number)).await;
    }
    let mut watches = [watch(&server, MAPS).await, watch(&server, MAPS).await];
    let is_flat = phase("writes", writes, async |number| {
        write(&mut client, &format!("m{}", number % objects), number).await;
        for watch in &mut watches {
            while let Some(frame) = watch.frame().now_or_never() {
                frame.unwrap().unwrap();
            }
        }
        tokio::task::yield_now().await;
    });
    let mut is_flat = is_flat.await;
    drop(watches);
    let mut client = server.service(Identity::admin());
    is_flat &= phase("types that come and go", writes / 400, async |number| define_and_remove(&mut client, number).await).await;
    is_flat & phase("namespaces that come and go", writes / 50, async |number| live_and_die(&mut client, number).await).await
}

fn main() -> std::process::ExitCode {
    let mut arguments = std::env::args().skip(1);
    let (mut writes, mut objects, mut journal) = (200_000, 100, 1);
    while let Some(argument) = arguments.next() {
        let mut number = || arguments.next().unwrap().parse().unwrap();
        match argument.as_str() {
            "--writes" => writes = number(),
            "--objects" => objects = number(),
            "--journal" => journal = number(),
            _ => {}
        }
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    if runtime.block_on(run(writes, objects, journal)) {
        std::process::ExitCode::SUCCESS
    } else {
        std::process::ExitCode::FAILURE
    }
}
