//! The ConfigMap `config-observability`: exports of metrics and traces, their endpoints, and the switch for costly diagnoses.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use super::{ConfigErrors, ConfigValue, Field, Parsed, Reader, Unreadable, ValueError};

/// The default name of the ConfigMap with the exports of an operator.
pub const OBSERVABILITY_CONFIG_MAP: &str = "config-observability";

/// The values of the ConfigMap `config-observability`.
#[derive(Clone, Debug, PartialEq)]
pub struct Observability {
    /// `metrics-…`
    pub metrics: MetricsExport,
    /// `tracing-…`
    pub tracing: TracingExport,
    /// `runtime-profiling`: true if profiles and pages that name objects are served.
    pub profiling: bool,
    /// `runtime-export-interval`: the interval between two readings of the metrics of the process.
    pub runtime_export_interval: Duration,
}

/// The export of metrics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsExport {
    /// `metrics-protocol`
    pub protocol: MetricsProtocol,
    /// `metrics-endpoint`: a URL for [`Grpc`](MetricsProtocol::Grpc) and [`HttpProtobuf`](MetricsProtocol::HttpProtobuf), `host:port` of a separate
    /// listener for [`Prometheus`](MetricsProtocol::Prometheus).
    pub endpoint: Option<String>,
    /// `metrics-export-interval`; zero means the interval of the exporter.
    pub interval: Duration,
}

/// The export of traces.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TracingExport {
    /// `tracing-protocol`
    pub protocol: TracingProtocol,
    /// `tracing-endpoint`: a URL for [`Grpc`](TracingProtocol::Grpc) and [`HttpProtobuf`](TracingProtocol::HttpProtobuf).
    pub endpoint: Option<String>,
    /// `tracing-sampling-rate`: the share of passes that are traced, from 0 to 1.
    pub sampling_rate: f64,
}

impl Default for Observability {
    fn default() -> Self {
        Self {
            metrics: MetricsExport::default(),
            tracing: TracingExport::default(),
            profiling: false,
            runtime_export_interval: Duration::from_secs(15),
        }
    }
}

/// A type whose values are a fixed set of words.
trait FixedWords: Copy + 'static {
    const ALL: &'static [(&'static str, Self)];

    fn read(text: &str) -> Result<Self, ValueError> {
        let known = Self::ALL.iter().find(|(word, _)| *word == text).map(|(_, value)| *value);
        known.ok_or_else(|| {
            let words: Vec<&str> = Self::ALL.iter().map(|(word, _)| *word).collect();
            ValueError::new(format_args!("must be one of {}, but is {text:?}", words.join(", ")))
        })
    }
}

/// The values of `metrics-protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MetricsProtocol {
    /// No metrics.
    None,
    /// OTLP over gRPC.
    Grpc,
    /// OTLP over HTTP.
    HttpProtobuf,
    /// Metrics are scraped.
    #[default]
    Prometheus,
}

impl FixedWords for MetricsProtocol {
    const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("grpc", Self::Grpc), ("http/protobuf", Self::HttpProtobuf), ("prometheus", Self::Prometheus)];
}

impl ConfigValue for MetricsProtocol {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Self::read(text)
    }
}

impl fmt::Display for MetricsProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Grpc => "grpc",
            Self::HttpProtobuf => "http/protobuf",
            Self::Prometheus => "prometheus",
        })
    }
}

/// The values of `tracing-protocol`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum TracingProtocol {
    /// No traces.
    #[default]
    None,
    /// OTLP over gRPC.
    Grpc,
    /// OTLP over HTTP.
    HttpProtobuf,
    /// Traces are written to the output.
    Stdout,
}

impl FixedWords for TracingProtocol {
    const ALL: &'static [(&'static str, Self)] =
        &[("none", Self::None), ("grpc", Self::Grpc), ("http/protobuf", Self::HttpProtobuf), ("stdout", Self::Stdout)];
}

impl ConfigValue for TracingProtocol {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Self::read(text)
    }
}

impl fmt::Display for TracingProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Grpc => "grpc",
            Self::HttpProtobuf => "http/protobuf",
            Self::Stdout => "stdout",
        })
    }
}

/// The values of `runtime-profiling`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Profiling(bool);

impl FixedWords for Profiling {
    const ALL: &'static [(&'static str, Self)] = &[("disabled", Self(false)), ("enabled", Self(true))];
}

impl ConfigValue for Profiling {
    fn parse(text: &str) -> Result<Self, ValueError> {
        Self::read(text)
    }
}

/// The rule of a protocol for its endpoint.
enum EndpointRule {
    /// A URL.
    Required,
    /// `host:port`, or none.
    Listener,
    Refused,
}

impl Observability {
    /// Reads the data of the ConfigMap. All keys have the prefix before their names, which may be empty (OBS-1).
    pub fn from_data(prefix: &str, data: &BTreeMap<String, String>) -> Result<Parsed<Self>, ConfigErrors> {
        let key = |name: &str| format!("{prefix}{name}");
        let mut reader = Reader::new(data);
        let name = key("metrics-protocol");
        let protocol = reader.read(&Field::<MetricsProtocol>::new(&name).default("prometheus"));
        let endpoint = read_endpoint(&mut reader, &key("metrics-endpoint"), protocol, |protocol| match protocol {
            MetricsProtocol::None => EndpointRule::Refused,
            MetricsProtocol::Grpc | MetricsProtocol::HttpProtobuf => EndpointRule::Required,
            MetricsProtocol::Prometheus => EndpointRule::Listener,
        });
        let interval = reader.read(&Field::<Duration>::new(&key("metrics-export-interval")).default("0s"));
        let metrics = || Ok(MetricsExport { protocol: protocol?, endpoint: endpoint?, interval: interval? });

        let name = key("tracing-protocol");
        let protocol = reader.read(&Field::<TracingProtocol>::new(&name).default("none"));
        let endpoint = read_endpoint(&mut reader, &key("tracing-endpoint"), protocol, |protocol| match protocol {
            TracingProtocol::None | TracingProtocol::Stdout => EndpointRule::Refused,
            TracingProtocol::Grpc | TracingProtocol::HttpProtobuf => EndpointRule::Required,
        });
        let rate = reader.read(&Field::<f64>::new(&key("tracing-sampling-rate")).default("0").range("0..=1"));
        let tracing = || Ok(TracingExport { protocol: protocol?, endpoint: endpoint?, sampling_rate: rate? });

        let profiling = reader.read(&Field::<Profiling>::new(&key("runtime-profiling")).default("disabled"));
        let runtime = reader.read(&Field::<Duration>::new(&key("runtime-export-interval")).default("15s"));
        reader.finish(|| {
            Ok(Self { metrics: metrics()?, tracing: tracing()?, profiling: profiling?.0, runtime_export_interval: runtime? })
        })
    }
}

/// Reads an endpoint by the rule of its protocol. Without a readable protocol, any endpoint is accepted.
fn read_endpoint<P: Copy + fmt::Display>(
    reader: &mut Reader<'_>,
    key: &str,
    protocol: Result<P, Unreadable>,
    rule: impl Fn(P) -> EndpointRule,
) -> Result<Option<String>, Unreadable> {
    let found = reader.read(&Field::<Option<String>>::new(key))?;
    let protocol = protocol?;
    let checked = match (rule(protocol), found) {
        (EndpointRule::Required, Some(endpoint)) => Ok(Some(with_scheme(endpoint))),
        (EndpointRule::Required, None) => Err(format!("it is missing, and the protocol {protocol} needs it")),
        (EndpointRule::Listener, Some(endpoint)) if !is_address(&endpoint) => {
            Err(format!("must be <host>:<port> for the protocol {protocol}, but is {endpoint:?}"))
        }
        (EndpointRule::Listener, endpoint) => Ok(endpoint),
        (EndpointRule::Refused, None) => Ok(None),
        (EndpointRule::Refused, Some(_)) => Err(format!("must be absent, since the protocol {protocol} has no endpoint")),
    };
    checked.map_err(|problem| reader.fail(key, ValueError::new(problem)))
}

fn with_scheme(endpoint: String) -> String {
    if endpoint.contains("://") { endpoint } else { format!("https://{endpoint}") }
}

/// Returns true if a text ends in a port; the host before it may be empty.
fn is_address(text: &str) -> bool {
    text.rsplit_once(':').is_some_and(|(host, port)| !host.contains('/') && port.parse::<u16>().is_ok_and(|port| port > 0))
}
