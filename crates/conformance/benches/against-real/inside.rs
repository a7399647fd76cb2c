//! The embedded server in this process: the whole pipeline with its journal, without sockets.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Request;
use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::{ApiServer, Identity};
use tokio::task::JoinSet;
use tower::{Service as _, ServiceExt as _};

use crate::measures::map;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn request(method: &str, path: &str, body: String) -> Request<Full<Bytes>> {
    let request =
        Request::builder().method(method).uri(path).header("user-agent", "bench/1").header("content-type", "application/json");
    request.body(Full::from(body)).unwrap()
}

async fn send(server: &ApiServer, request: Request<Full<Bytes>>) -> u16 {
    let response = server.service(Identity::admin()).oneshot(request).await.unwrap();
    let code = response.status().as_u16();
    response.into_body().collect().await.unwrap();
    code
}

/// Measures the time from the construction of a server to its first answer.
pub(crate) async fn start() -> Duration {
    let start = Instant::now();
    let server = ApiServer::builder().build().unwrap();
    assert_eq!(send(&server, request("GET", "/readyz", String::new())).await, 200);
    start.elapsed()
}

/// Measures the creates per second by this many tasks.
pub(crate) async fn create_rate(tasks: usize, span: Duration) -> f64 {
    let server = Arc::new(ApiServer::builder().build().unwrap());
    rate(&server, tasks, span, |number, done| request("POST", MAPS, map(&format!("t{number}-{done}")))).await
}

/// Measures the reads per second by this many tasks.
pub(crate) async fn get_rate(tasks: usize, span: Duration) -> f64 {
    let server = Arc::new(ApiServer::builder().build().unwrap());
    assert_eq!(send(&server, request("POST", MAPS, map("a"))).await, 201);
    rate(&server, tasks, span, |_, _| request("GET", "/api/v1/namespaces/default/configmaps/a", String::new())).await
}

async fn rate(
    server: &Arc<ApiServer>,
    tasks: usize,
    span: Duration,
    request: impl Fn(usize, usize) -> Request<Full<Bytes>> + Copy + Send + Sync + 'static,
) -> f64 {
    let start = Instant::now();
    let mut work = JoinSet::new();
    for number in 0..tasks {
        let mut service = server.service(Identity::admin());
        work.spawn(async move {
            let mut done = 0_usize;
            while !done.is_multiple_of(64) || start.elapsed() < span {
                let response = service.call(request(number, done)).await.unwrap();
                assert!(response.status().is_success());
                response.into_body().collect().await.unwrap();
                done += 1;
                if done.is_multiple_of(64) {
                    tokio::task::yield_now().await;
                }
            }
            done
        });
    }
    let done: usize = work.join_all().await.into_iter().sum();
    done as f64 / start.elapsed().as_secs_f64()
}

/// Measures the time from a POST to the event at one watcher, and returns the median.
pub(crate) async fn watch_delivery() -> Duration {
    let server = ApiServer::builder().build().unwrap();
    let path = format!("{MAPS}?watch=true&resourceVersion={}", server.revision());
    let response = server.service(Identity::admin()).oneshot(request("GET", &path, String::new())).await.unwrap();
    let mut events = response.into_body();
    let mut delays = Vec::new();
    for post in 0..201 {
        let start = Instant::now();
        assert_eq!(send(&server, request("POST", MAPS, map(&format!("w{post}")))).await, 201);
        events.frame().await.unwrap().unwrap();
        delays.push(start.elapsed());
    }
    delays.sort();
    delays[delays.len() / 2]
}
