//! Tests of the metrics of requests.

use std::time::Duration;

use super::super::ApiRequest;
use super::{config_maps, list};
use crate::metrics::Metrics;
use crate::testing::{Fault, Server};

// 8.2, OBS-6
#[tokio::test(start_paused = true)]
async fn every_request_is_measured_and_every_status_counted() {
    let (server, metrics) = (Server::new(), Metrics::new("test"));
    let cluster = server.cluster_with(|options| options.server = Some("https://api.example.com:6443".parse().unwrap()));
    cluster.requests().register(&metrics);
    cluster.send(&list()).await.unwrap();
    cluster.send(&ApiRequest::get(&config_maps(), "demo", "a")).await.unwrap_err();
    server.fail_next("GET", Fault::Status(503, "ServiceUnavailable"));
    cluster.send(&list()).await.unwrap_err();
    server.fail_next("GET", Fault::Late(2));
    let of_a_user = http::Request::get("/api/v1/configmaps").body(Vec::new()).unwrap();
    cluster.client().request_text(of_a_user).await.unwrap();
    // A request without an answer is measured, but has no status.
    server.fail_next("GET", Fault::Hang);
    cluster.send(&list().deadline(Duration::from_secs(6))).await.unwrap_err();
    let text = metrics.encode().unwrap();
    let code = |code: u16| {
        let labels =
            format!("http_request_method=\"GET\",http_response_status_code=\"{code}\",server_address=\"api.example.com\"");
        let series = format!("test_k8s_client_http_response_status_code_total{{{labels}}} ");
        text.lines().find_map(|line| line.strip_prefix(&series)).map(str::to_owned)
    };
    assert_eq!([code(200), code(404), code(503)].map(Option::unwrap), ["2", "1", "1"], "{text}");
    for (template, buckets) in [
        ("/api/v1/configmaps", [("1.0", 2), ("2.5", 3), ("5.0", 3), ("7.5", 4)]),
        ("/api/v1/namespaces/{namespace}/configmaps/{name}", [("1.0", 1), ("2.5", 1), ("5.0", 1), ("7.5", 1)]),
    ] {
        let labels = "http_request_method=\"GET\",server_address=\"api.example.com\",server_port=\"6443\",url_scheme=\"https\"";
        for (bound, count) in buckets {
            let bucket = format!("{{le=\"{bound}\",{labels},url_template=\"{template}\"}} {count}");
            let line = format!("http_client_request_duration_seconds_bucket{bucket}");
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
    assert!(text.ends_with("# EOF\n") && text.matches("# EOF").count() == 1);
}

// MET
#[tokio::test(start_paused = true)]
async fn requests_are_counted_by_verb_and_answer() {
    let server = Server::new();
    server.fail_next("configmaps", Fault::Status(403, "Forbidden"));
    server.fail_next("configmaps", Fault::Reset);
    let cluster = server.cluster();
    let metrics = Metrics::new("test");
    cluster.requests().register(&metrics);
    for _ in 0..4 {
        drop(cluster.send(&list()).await);
    }
    let text = metrics.encode().unwrap();
    for (code, count) in [(403, 1), (0, 1), (200, 2)] {
        let line = format!("test_requests_total{{controller=\"\",method=\"GET\",verb=\"list\",code=\"{code}\"}} {count}");
        assert!(text.contains(&line), "{line} in {text}");
    }
}
