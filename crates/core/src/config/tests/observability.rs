use std::time::Duration;

use super::data;
use crate::config::{MetricsExport, MetricsProtocol, Observability, Parsed, TracingExport, TracingProtocol};

fn read(entries: &[(&str, &str)]) -> Observability {
    Observability::from_data("", &data(entries.iter().copied())).unwrap().value
}

fn problem(entries: &[(&str, &str)]) -> String {
    Observability::from_data("", &data(entries.iter().copied())).unwrap_err().to_string()
}

#[test]
fn without_keys_metrics_are_scraped_and_nothing_is_traced() {
    let expected = Observability {
        metrics: MetricsExport { protocol: MetricsProtocol::Prometheus, endpoint: None, interval: Duration::ZERO },
        tracing: TracingExport { protocol: TracingProtocol::None, endpoint: None, sampling_rate: 0.0 },
        profiling: false,
        runtime_export_interval: Duration::from_secs(15),
    };
    assert_eq!(read(&[]), expected);
    assert_eq!(Observability::default(), expected);
}

// OBS-1
#[test]
fn all_keys_are_read_and_an_endpoint_gets_a_scheme() {
    let found = read(&[
        ("metrics-protocol", "grpc"),
        ("metrics-endpoint", "collector:4317"),
        ("metrics-export-interval", "1m"),
        ("tracing-protocol", "http/protobuf"),
        ("tracing-endpoint", "http://collector:4318"),
        ("tracing-sampling-rate", "0.25"),
        ("runtime-profiling", " enabled "),
        ("runtime-export-interval", "0"),
        ("_example", "runtime-profiling: disabled"),
    ]);
    let expected = Observability {
        metrics: MetricsExport {
            protocol: MetricsProtocol::Grpc,
            endpoint: Some("https://collector:4317".to_owned()),
            interval: Duration::from_secs(60),
        },
        tracing: TracingExport {
            protocol: TracingProtocol::HttpProtobuf,
            endpoint: Some("http://collector:4318".to_owned()),
            sampling_rate: 0.25,
        },
        profiling: true,
        runtime_export_interval: Duration::ZERO,
    };
    assert_eq!(found, expected);
}

// OBS-1
#[test]
fn a_prefix_stands_before_all_keys() {
    let entries =
        data([("shop-runtime-profiling", "enabled"), ("runtime-profiling", "nonsense"), ("metrics-protocol", "nonsense")]);
    let Parsed { value, unknown_keys } = Observability::from_data("shop-", &entries).unwrap();
    assert!(value.profiling);
    assert_eq!(unknown_keys.into_iter().collect::<Vec<_>>(), ["metrics-protocol", "runtime-profiling"]);
    let error = Observability::from_data("shop-", &data([("shop-tracing-endpoint", "x")])).unwrap_err().to_string();
    assert!(error.starts_with("failed to parse \"shop-tracing-endpoint\": "), "{error}");
}

#[test]
fn an_endpoint_is_there_where_its_protocol_has_one() {
    for (key, protocol) in [("metrics", "grpc"), ("metrics", "http/protobuf"), ("tracing", "grpc"), ("tracing", "http/protobuf")]
    {
        assert_eq!(
            problem(&[(&format!("{key}-protocol"), protocol)]),
            format!("failed to parse \"{key}-endpoint\": it is missing, and the protocol {protocol} needs it")
        );
    }
    for (key, protocol) in [("metrics", "none"), ("tracing", "none"), ("tracing", "stdout")] {
        assert_eq!(
            problem(&[(&format!("{key}-protocol"), protocol), (&format!("{key}-endpoint"), "collector:4317")]),
            format!("failed to parse \"{key}-endpoint\": must be absent, since the protocol {protocol} has no endpoint")
        );
    }
    for address in [":9090", "0.0.0.0:9090", "[::]:9090", "localhost:1"] {
        assert_eq!(read(&[("metrics-endpoint", address)]).metrics.endpoint.as_deref(), Some(address));
    }
    for other in ["9090", "localhost", "localhost:0", "localhost:99999", "http://localhost:9090/", "/a:1"] {
        assert_eq!(
            problem(&[("metrics-endpoint", other)]),
            format!("failed to parse \"metrics-endpoint\": must be <host>:<port> for the protocol prometheus, but is {other:?}")
        );
    }
}

#[test]
fn each_invalid_observability_key_is_reported_with_its_cause() {
    assert_eq!(
        problem(&[
            ("metrics-protocol", "opencensus"),
            ("metrics-endpoint", "x"),
            ("metrics-export-interval", "-1s"),
            ("tracing-protocol", ""),
            ("tracing-sampling-rate", "1.5"),
            ("runtime-profiling", "true"),
            ("runtime-export-interval", "often"),
        ])
        .lines()
        .map(|line| line.split_once(": ").unwrap())
        .map(|(key, cause)| (key.trim_start_matches("failed to parse "), cause.split(", but").next().unwrap()))
        .collect::<Vec<_>>(),
        [
            ("\"metrics-export-interval\"", "must be a duration of zero or more"),
            ("\"metrics-protocol\"", "must be one of none, grpc, http/protobuf, prometheus"),
            ("\"runtime-export-interval\"", "time: invalid duration \"often\""),
            ("\"runtime-profiling\"", "must be one of disabled, enabled"),
            ("\"tracing-protocol\"", "must be one of none, grpc, http/protobuf, stdout"),
            ("\"tracing-sampling-rate\"", "must be at least 0 and at most 1"),
        ]
    );
}
