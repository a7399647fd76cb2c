//! Search for a planted value in all output of the operator: requests, log lines, pages of the admin server.

use std::fmt::{self, Write as _};

use kubewright::runtime::admin::CheckKind;
use kubewright::runtime::operator::RunningOperator;
use kubewright_middleware::journal::Records;
use parking_lot::Mutex;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::layer::{Context, Layer};

/// The prefix of the values of Secrets.
pub(crate) const CANARY: &str = "canary-4f";
/// The beginning of its base64 encoding.
const ENCODED: &str = "Y2FuYXJ5LTRm";

/// The log lines that contain the planted value. No test of this binary may write one.
static LOGGED: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// A layer that reads the log lines of the operator, including those that are not printed.
pub(crate) struct Watchman;

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl<S: Subscriber> Layer<S> for Watchman {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let target = event.metadata().target();
        let is_server = target.starts_with("kubewright_apiserver");
        if is_server || *event.metadata().level() > Level::DEBUG {
            return;
        }
        let mut line = Line(target.to_owned());
        event.record(&mut line);
        if holds(&line.0) {
            LOGGED.lock().push(line.0);
        }
    }
}

fn holds(text: &str) -> bool {
    text.contains(CANARY) || text.contains(ENCODED)
}

/// Returns the content of the admin server's pages: the metrics, each check with its reason, and the remembered passes.
pub(crate) fn pages(running: &RunningOperator) -> String {
    let mut pages = running.metrics().encode().unwrap_or_default();
    for kind in [CheckKind::Live, CheckKind::Ready, CheckKind::Note] {
        for (name, result) in running.checks().results(kind) {
            let _ = writeln!(pages, "{name}: {result:?}");
        }
    }
    for pass in running.why().all() {
        let _ = writeln!(pages, "{pass} {}", pass.to_json());
    }
    pages
}

/// Returns the requests, log lines and lines of pages that contain the planted value. Requests for the resources in `but` may contain it.
pub(crate) fn found(requests: &Records, but: &[&str], pages: &str) -> Vec<String> {
    let meant = |resource: &str| but.contains(&resource);
    let leaking = requests.iter().filter(|record| {
        let body = record.body.as_ref().map(ToString::to_string).unwrap_or_default();
        let is_meant =
            record.target.resource().is_some_and(|resource| resource.subresource.is_empty() && meant(&resource.resource));
        !is_meant && (holds(&body) || holds(&record.query) || holds(&record.target.to_string()))
    });
    let mut found: Vec<String> = leaking.map(|record| format!("{record}: {:?}", record.body)).collect();
    found.extend(LOGGED.lock().iter().cloned());
    found.extend(pages.lines().filter(|line| holds(line)).map(|line| format!("admin page: {line}")));
    found
}
