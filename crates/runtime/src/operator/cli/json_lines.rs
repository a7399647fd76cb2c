//! Logs as JSON, one object per line (LOG-2).

use std::fmt::{self, Write as _};
use std::sync::Arc;

use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields, MakeWriter};
use tracing_subscriber::layer::Layer;
use tracing_subscriber::registry::LookupSpan;

use crate::clock::Clock;
use crate::operator::Operator;

/// The names of fields to which the framework gives a meaning. The field prefix of the operator is put before them (LOG-1).
const STANDARD: [&str; 18] = [
    "attempt",
    "bucket",
    "controller",
    "deployment",
    "key",
    "kind",
    "method",
    "name",
    "namespace",
    "operation",
    "pod",
    "resource",
    "service",
    "subresource",
    "trace",
    "trace_id",
    "userinfo",
    "why",
];

/// Returns a layer that writes the log lines of an operator as JSON objects with the keys `timestamp`, `severity`, `logger`, `caller` and `message`, followed
/// by the fields of the spans and of the line. It is for programs that set up logging on their own; the standard command line uses it if logs are JSON.
pub fn json_log_layer<S, W>(operator: &Operator, writer: W) -> impl Layer<S> + Send + Sync + use<S, W>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    W: for<'w> MakeWriter<'w> + Send + Sync + 'static,
{
    let lines = JsonLines::of(operator);
    tracing_subscriber::fmt::layer().fmt_fields(JsonFields::new()).event_format(lines).with_writer(writer)
}

/// The format of the log lines of an operator.
struct JsonLines {
    operator: Arc<str>,
    /// The fields that every line has.
    fixed: Vec<(&'static str, Arc<str>)>,
    /// The prefix of the names in [`STANDARD`].
    prefix: Arc<str>,
    clock: Clock,
}

impl JsonLines {
    fn of(operator: &Operator) -> Self {
        let mut fixed = vec![("commit", operator.program_commit().into())];
        fixed.extend(operator.instance().map(|instance| ("pod", instance.into())));
        Self { operator: operator.name().into(), fixed, prefix: operator.log_field_prefix_or_none(), clock: Clock::system() }
    }

    /// Returns the name of a field in a line. In prefixed lines the trace id has the name that Knative uses.
    fn key(&self, name: &str) -> String {
        if self.prefix.is_empty() || !STANDARD.contains(&name) {
            return name.to_owned();
        }
        let name = if matches!(name, "trace" | "trace_id") { "traceid" } else { name };
        format!("{}{name}", self.prefix)
    }

    fn line<'f>(&self, metadata: &Metadata<'_>, found: impl Iterator<Item = (String, Value)> + 'f) -> Result<String, fmt::Error> {
        let mut rest: Map<String, Value> =
            self.fixed.iter().map(|(name, value)| (self.key(name), Value::from(&**value))).collect();
        let (mut message, mut file, mut number) = (Value::from(""), metadata.file().map(str::to_owned), metadata.line());
        for (name, value) in found {
            match name.as_str() {
                "message" => message = value,
                // Lines of the crate `log` carry file and line as fields.
                "log.file" => file = value.as_str().map(str::to_owned),
                "log.line" => number = value.as_u64().and_then(|line| u32::try_from(line).ok()),
                name if name.starts_with("log.") => {}
                name => _ = rest.insert(self.key(name), value),
            }
        }
        let caller = format!("{}:{}", file.unwrap_or_default(), number.unwrap_or_default());
        let mut line = String::new();
        let time = self.clock.now();
        write!(line, r#"{{"timestamp":"{time:.9}","severity":"{}","#, severity(*metadata.level()))?;
        write!(line, r#""logger":{},"caller":{},"message":{message}"#, Value::from(&*self.operator), Value::from(caller))?;
        for (name, value) in rest {
            write!(line, ",{}:{value}", Value::from(name))?;
        }
        line.push('}');
        Ok(line)
    }
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'w> FormatFields<'w> + 'static,
{
    fn format_event(&self, context: &FmtContext<'_, S, N>, mut writer: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let mut fields = LogFields::default();
        for span in context.event_scope().into_iter().flat_map(tracing_subscriber::registry::Scope::from_root) {
            let extensions = span.extensions();
            let text = extensions.get::<FormattedFields<N>>().map_or("", |fields| fields.as_str());
            if let Ok(of_span) = serde_json::from_str::<Map<String, Value>>(text) {
                fields.0.extend(of_span);
            }
        }
        event.record(&mut fields);
        writeln!(writer, "{}", self.line(event.metadata(), fields.0.into_iter())?)
    }
}

fn severity(level: Level) -> &'static str {
    match level {
        Level::ERROR => "ERROR",
        Level::WARN => "WARNING",
        Level::INFO => "INFO",
        _ => "DEBUG",
    }
}

/// The fields of spans and of a line, in this order.
#[derive(Default)]
struct LogFields(Vec<(String, Value)>);

impl LogFields {
    fn add(&mut self, field: &Field, value: impl Into<Value>) {
        self.0.push((field.name().to_owned(), value.into()));
    }
}

impl Visit for LogFields {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.add(field, value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, value);
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, value);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, value);
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, format!("{value:?}"));
    }
}

impl fmt::Debug for JsonLines {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonLines").field("operator", &self.operator).field("prefix", &self.prefix).finish_non_exhaustive()
    }
}
