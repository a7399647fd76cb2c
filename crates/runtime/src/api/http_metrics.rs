//! Metrics of HTTP requests: those of the framework, and those that users send with the clients that they are given.

use http::{Method, StatusCode, Uri};
use kubewright_core::time::Moment;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

use super::ClusterOptions;
use super::own_write::ObjectPath;
use crate::clock::Clock;
use crate::metrics::{Metrics, SECONDS};

/// Durations and status codes of HTTP requests. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct HttpMetrics {
    durations: Family<DurationLabels, Histogram, fn() -> Histogram>,
    codes: Family<CodeLabels, Counter>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DurationLabels {
    http_request_method: String,
    server_address: String,
    server_port: String,
    url_scheme: String,
    url_template: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CodeLabels {
    http_request_method: String,
    http_response_status_code: u64,
    server_address: String,
}

/// A request that is under way. Its duration is recorded when it is dropped, so that an abandoned request counts with the time that it was waited for.
#[derive(Debug)]
pub(crate) struct Exchange {
    metrics: HttpMetrics,
    labels: DurationLabels,
    clock: Clock,
    started: Moment,
}

impl Default for HttpMetrics {
    fn default() -> Self {
        Self { durations: Family::new_with_constructor(|| Histogram::new(SECONDS)), codes: Family::default() }
    }
}

impl HttpMetrics {
    /// Registers the metrics without a prefix, because their names are those of OpenTelemetry (OBS-6).
    pub(crate) fn register(&self, metrics: &Metrics) {
        metrics.register_bare(
            "http_client_request_duration_seconds",
            "Time until an HTTP request was answered or given up; of watches, until they were opened",
            self.durations.clone(),
        );
        metrics.register("k8s_client_http_response_status_code", "Answers of API servers by status code", self.codes.clone());
    }
}

impl Exchange {
    /// Begins the measurement of a request to the cluster with these options.
    pub(crate) fn begin(options: &ClusterOptions, method: &Method, uri: &Uri) -> Self {
        let (server_address, server_port, url_scheme) = options.server.as_ref().map(address).unwrap_or_default();
        let url_template = template(uri.path());
        let http_request_method = method.to_string();
        let labels = DurationLabels { http_request_method, server_address, server_port, url_scheme, url_template };
        let clock = options.clock.clone();
        Self { metrics: options.requests.http.clone(), labels, started: clock.moment(), clock }
    }

    /// Counts the status of the answer.
    pub(crate) fn answered(&self, status: StatusCode) {
        let DurationLabels { http_request_method, server_address, .. } = self.labels.clone();
        let labels = CodeLabels { http_request_method, server_address, http_response_status_code: status.as_u16().into() };
        self.metrics.codes.get_or_create(&labels).inc();
    }
}

impl Drop for Exchange {
    fn drop(&mut self) {
        let took = self.clock.moment().since(self.started);
        self.metrics.durations.get_or_create(&self.labels).observe(took.as_secs_f64());
    }
}

/// Returns host, port and scheme of a server. The port defaults to that of the scheme.
fn address(server: &Uri) -> (String, String, String) {
    let scheme = server.scheme_str().unwrap_or("https");
    let usual = if scheme == "http" { 80 } else { 443 };
    let host = server.host().unwrap_or_default();
    (host.to_owned(), server.port_u16().unwrap_or(usual).to_string(), scheme.to_owned())
}

/// Returns a path without the names of namespaces and objects.
fn template(path: &str) -> String {
    let Some(object) = ObjectPath::parse(path) else {
        let mut segments = path.trim_start_matches('/').splitn(2, '/');
        return match (segments.next().unwrap_or_default(), segments.next()) {
            // There are only few groups and versions, so they may be labels.
            ("api" | "apis", _) | (_, None) => path.to_owned(),
            (first, Some(_)) => format!("/{first}/{{path}}"),
        };
    };
    let ObjectPath { group, version, namespace, plural, name, subresource } = object;
    let mut template = if group.is_empty() { format!("/api/{version}") } else { format!("/apis/{group}/{version}") };
    if !namespace.is_empty() {
        template.push_str("/namespaces/{namespace}");
    }
    template.extend(["/", &plural]);
    if !name.is_empty() {
        template.push_str("/{name}");
    }
    if !subresource.is_empty() {
        template.extend(["/", &subresource]);
    }
    template
}

#[cfg(test)]
mod tests {
    use super::*;

    // OBS-6
    #[test]
    fn templates_name_no_object() {
        for (path, expected) in [
            ("/api/v1/namespaces/demo/pods/web-0", "/api/v1/namespaces/{namespace}/pods/{name}"),
            ("/apis/apps/v1/namespaces/demo/deployments", "/apis/apps/v1/namespaces/{namespace}/deployments"),
            (
                "/apis/apps/v1/namespaces/demo/deployments/a/status",
                "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status",
            ),
            ("/api/v1/namespaces/demo", "/api/v1/namespaces/{name}"),
            ("/api/v1/namespaces/demo/services/web/proxy/secret/page", "/api/v1/namespaces/{namespace}/services/{name}/proxy"),
            ("/api/v1/nodes", "/api/v1/nodes"),
            ("/apis/apps/v1", "/apis/apps/v1"),
            ("/version", "/version"),
            ("/openapi/v3/apis/apps/v1", "/openapi/{path}"),
        ] {
            assert_eq!(template(path), expected);
        }
    }

    #[test]
    fn a_port_that_is_written_stays() {
        let of = |uri: &'static str| address(&Uri::from_static(uri));
        let expected = |host: &str, port: &str, scheme: &str| (host.to_owned(), port.to_owned(), scheme.to_owned());
        assert_eq!(of("https://api.example.com:6443/base"), expected("api.example.com", "6443", "https"));
        assert_eq!(of("https://api.example.com:443"), expected("api.example.com", "443", "https"));
        assert_eq!(of("https://api.example.com"), expected("api.example.com", "443", "https"));
        assert_eq!(of("http://127.0.0.1"), expected("127.0.0.1", "80", "http"));
    }
}
