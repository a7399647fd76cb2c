//! Measures the cost of one request through the whole pipeline in this process, including the journal and the controllers, without sockets.
//!
//! `cargo bench -p kubewright-apiserver --bench in-process [-- <part of a name>...] [--requests <n>] [--threads <n>]`. Prints requests per second and
//! the processor time of one request; the latter is the more reliable number on a machine that other processes use too.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark that fails has failed")]
#![allow(clippy::disallowed_methods, reason = "what is measured is the time of this machine")]
#![allow(missing_docs, reason = "a program")]

use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::server::Front;
use kubewright_apiserver::{ApiServer, Identity};
use tower::{Service, ServiceExt as _};

const MAPS: &str = "/api/v1/namespaces/default/configmaps";
/// The number of existing objects when lists are read.
const LISTED: usize = 600;

type Client = Front;

#[derive(Clone, Copy, Debug)]
enum Measure {
    Create,
    Update,
    Patch,
    Apply,
    Get,
    List,
    /// A create, and its events on this number of watches.
    Watch(usize),
}

const MEASURES: [Measure; 8] = [
    Measure::Create,
    Measure::Update,
    Measure::Patch,
    Measure::Apply,
    Measure::Get,
    Measure::List,
    Measure::Watch(1),
    Measure::Watch(500),
];

impl Measure {
    fn name(self) -> String {
        match self {
            Self::Watch(watchers) => format!("create seen by {watchers}"),
            other => format!("{other:?}").to_lowercase(),
        }
    }

    fn share_of_requests(self, requests: usize) -> usize {
        match self {
            Self::List => requests / 100,
            Self::Watch(watchers) => requests / (4 * watchers.min(100)),
            _ => requests,
        }
    }

    fn request(self, thread: usize, number: usize) -> Request<Full<Bytes>> {
        let one = format!("{MAPS}/m{thread}");
        match self {
            Self::Create | Self::Watch(_) => {
                request(Method::POST, MAPS, "application/json", map(&format!("t{thread}-{number}"), number))
            }
            Self::Update => request(Method::PUT, &one, "application/json", map(&format!("m{thread}"), number)),
            Self::Patch => {
                request(Method::PATCH, &one, "application/merge-patch+json", format!(r#"{{"data":{{"n":"{number}"}}}}"#))
            }
            Self::Apply => {
                let path = format!("{one}?fieldManager=bench&force=true");
                request(Method::PATCH, &path, "application/apply-patch+yaml", map(&format!("m{thread}"), number))
            }
            Self::Get => request(Method::GET, &one, "application/json", String::new()),
            Self::List => request(Method::GET, &format!("{MAPS}?limit=500"), "application/json", String::new()),
        }
    }
}

/// Returns a ConfigMap of 100 bytes.
fn map(name: &str, number: usize) -> String {
    let filler = "x".repeat(92);
    format!(r#"{{"apiVersion":"v1","kind":"ConfigMap","metadata":{{"name":"{name}"}},"data":{{"k":"{filler}{number:08}"}}}}"#)
}

fn request(method: Method, path: &str, content_type: &str, body: String) -> Request<Full<Bytes>> {
    let request =
        Request::builder().method(method).uri(path).header("user-agent", "bench/1").header("content-type", content_type);
    request.body(Full::from(body)).unwrap()
}

async fn send(client: &mut Client, request: Request<Full<Bytes>>) {
    let response = client.call(request).await.unwrap();
    assert!(response.status().is_success(), "{}", response.status());
    response.into_body().collect().await.unwrap();
}

async fn watch(server: &ApiServer) -> impl http_body::Body<Data = Bytes, Error: std::fmt::Debug> + Unpin + use<> {
    let path = format!("{MAPS}?watch=true&resourceVersion={}", server.revision());
    let answer = server.service(Identity::admin()).oneshot(request(Method::GET, &path, "application/json", String::new()));
    answer.await.unwrap().into_body()
}

async fn run(measure: Measure, threads: usize, requests: usize) -> (f64, Duration) {
    let server = ApiServer::builder().build().unwrap();
    let mut client = server.service(Identity::admin());
    for number in 0..LISTED.max(threads) {
        send(&mut client, request(Method::POST, MAPS, "application/json", map(&format!("m{number}"), number))).await;
    }
    let mut watches = Vec::new();
    if let Measure::Watch(watchers) = measure {
        for _ in 0..watchers {
            watches.push(watch(&server).await);
        }
    }
    let threads = if watches.is_empty() { threads } else { 1 };
    let each = measure.share_of_requests(requests).max(1) / threads;
    let (start, busy) = (Instant::now(), processor_time());
    let mut work = tokio::task::JoinSet::new();
    for thread in 0..threads {
        let mut client = server.service(Identity::admin());
        let mut watches = std::mem::take(&mut watches);
        work.spawn(async move {
            for number in 0..each {
                send(&mut client, measure.request(thread, number)).await;
                for watch in &mut watches {
                    watch.frame().await.unwrap().unwrap();
                }
                if number.is_multiple_of(64) {
                    tokio::task::yield_now().await;
                }
            }
        });
    }
    work.join_all().await;
    let done = each * threads;
    (done as f64 / start.elapsed().as_secs_f64(), processor_time().saturating_sub(busy) / u32::try_from(done).unwrap())
}

/// Returns the processor time that all threads of this process have used.
fn processor_time() -> Duration {
    let tasks = std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten();
    let used = |task: std::fs::DirEntry| {
        std::fs::read_to_string(task.path().join("schedstat")).ok()?.split_whitespace().next()?.parse::<u64>().ok()
    };
    Duration::from_nanos(tasks.filter_map(used).sum())
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut wanted, mut requests, mut threads) = (Vec::new(), 100_000, 2);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--requests" => requests = arguments.next().unwrap().parse().unwrap(),
            "--threads" => threads = arguments.next().unwrap().parse().unwrap(),
            flag if flag.starts_with('-') => {}
            name => wanted.push(name.to_owned()),
        }
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build().unwrap();
    for measure in MEASURES {
        let name = measure.name();
        if wanted.is_empty() || wanted.iter().any(|text| name.contains(text)) {
            let (rate, each) = runtime.block_on(async { tokio::spawn(run(measure, threads, requests)).await.unwrap() });
            println!("{name:<24} {rate:>9.0}/s {each:>12.2?} of processor time each");
        }
    }
}
