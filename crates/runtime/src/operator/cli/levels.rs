//! The log filter with the levels of an operator and of its controllers.

use std::collections::HashMap;
use std::fmt;

use kubewright_core::config::{LogLevel, LogLevels};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id};
use tracing::subscriber::Interest;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Filter};
use tracing_subscriber::registry::LookupSpan;

/// The level if the ConfigMap sets none.
const BASE: LevelFilter = LevelFilter::INFO;
/// The target of kube's client, which logs errors that the operator reports itself.
const SILENT: &str = "kube_client";
/// The name of the span of a pass, and the crate that creates it.
const PASS: (&str, &str) = ("pass", "kubewright_runtime");

/// The filter that passes a line by the level of the controller in whose pass it is written, or else by the level of the operator.
#[derive(Clone, Debug)]
pub(super) struct LevelsFilter {
    operator: LevelFilter,
    controllers: HashMap<String, LevelFilter>,
}

/// The controller of a pass, stored with its span.
struct PassOf(String);

impl LevelsFilter {
    pub(super) fn new(levels: &LogLevels) -> Self {
        let controllers = levels.controllers().map(|(name, level)| (name.to_owned(), filter_of(level))).collect();
        Self { operator: levels.operator().map_or(BASE, filter_of), controllers }
    }

    fn level_at<S>(&self, context: &Context<'_, S>) -> LevelFilter
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        if self.controllers.is_empty() {
            return self.operator;
        }
        let spans = context.lookup_current().into_iter().flat_map(|span| span.scope());
        let level = |span: tracing_subscriber::registry::SpanRef<'_, S>| {
            let extensions = span.extensions();
            let PassOf(controller) = extensions.get()?;
            Some(self.controllers.get(controller).copied().unwrap_or(self.operator))
        };
        spans.into_iter().find_map(level).unwrap_or(self.operator)
    }

    /// Iterates over the levels of all controllers and of the operator.
    fn levels(&self) -> impl Iterator<Item = LevelFilter> {
        self.controllers.values().copied().chain([self.operator])
    }
}

impl<S> Filter<S> for LevelsFilter
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn enabled(&self, metadata: &Metadata<'_>, context: &Context<'_, S>) -> bool {
        !is_silent(metadata) && (is_pass(metadata) || *metadata.level() <= self.level_at(context))
    }

    fn callsite_enabled(&self, metadata: &'static Metadata<'static>) -> Interest {
        if is_silent(metadata) {
            Interest::never()
        } else if is_pass(metadata) || self.levels().all(|level| *metadata.level() <= level) {
            Interest::always()
        } else if self.levels().any(|level| *metadata.level() <= level) {
            Interest::sometimes()
        } else {
            Interest::never()
        }
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        // The spans of passes, which have the level info, are always tracked.
        self.levels().chain([LevelFilter::INFO]).max()
    }

    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if is_pass(attributes.metadata())
            && let Some(span) = context.span(id)
        {
            let mut controller = ControllerOf(None);
            attributes.record(&mut controller);
            if let Some(name) = controller.0 {
                drop(span.extensions_mut().replace(PassOf(name)));
            }
        }
    }
}

fn is_silent(metadata: &Metadata<'_>) -> bool {
    metadata.target().starts_with(SILENT)
}

fn is_pass(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.name() == PASS.0 && metadata.target().starts_with(PASS.1)
}

fn filter_of(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Trace => LevelFilter::TRACE,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Error => LevelFilter::ERROR,
    }
}

/// A visitor that finds the field `controller` of a span.
struct ControllerOf(Option<String>);

impl Visit for ControllerOf {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "controller" {
            self.0 = Some(value.to_owned());
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn fmt::Debug) {}
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io;
    use std::sync::Arc;

    use parking_lot::Mutex;
    use tracing::subscriber::with_default;
    use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
    use tracing_subscriber::reload;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Lines {
        fn take(&self) -> Vec<String> {
            let bytes = std::mem::take(&mut *self.0.lock());
            let words = |line: &str| line.split_whitespace().last().map(str::to_owned);
            String::from_utf8(bytes).unwrap().lines().filter_map(words).collect()
        }
    }

    fn levels(data: &[(&str, &str)]) -> LogLevels {
        let data: BTreeMap<String, String> = data.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
        LogLevels::from_data("demo", &data).0
    }

    /// Writes lines outside of passes, in passes of `shop.example.com` and in passes of `cart`, one each at the levels debug, info and warn, and one of the
    /// client.
    fn write() {
        let some = |prefix: &str| {
            tracing::debug!("{prefix}-debug");
            tracing::info!("{prefix}-info");
            tracing::warn!("{prefix}-warn");
            tracing::warn!(target: "kube_client::client", "{prefix}-client");
        };
        some("none");
        for controller in ["shop.example.com", "cart"] {
            let pass = tracing::info_span!(target: "kubewright_runtime::controller::runner", "pass", controller);
            pass.in_scope(|| tracing::info_span!("method").in_scope(|| some(controller)));
        }
    }

    // LOG-3: levels change while the operator runs, in both directions, for the operator and for one controller.
    #[test]
    fn levels_follow_the_operator_and_its_controllers() {
        let lines = Lines::default();
        let (filter, handle) = reload::Layer::new(LevelsFilter::new(&LogLevels::default()));
        let writer = lines.clone();
        let layer = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(move || writer.clone()).with_filter(filter);
        let told = |data: &[(&str, &str)]| {
            handle.reload(LevelsFilter::new(&levels(data))).unwrap();
            write();
            lines.take().join(" ")
        };
        with_default(tracing_subscriber::registry().with(layer), || {
            write();
            let base = "none-info none-warn shop.example.com-info shop.example.com-warn cart-info cart-warn";
            assert_eq!(lines.take().join(" "), base);
            assert_eq!(told(&[("loglevel.demo", "warn")]), "none-warn shop.example.com-warn cart-warn");
            assert_eq!(
                told(&[("loglevel.demo", "warn"), ("loglevel.demo.shop.example.com", "debug")]),
                "none-warn shop.example.com-debug shop.example.com-info shop.example.com-warn cart-warn"
            );
            assert_eq!(
                told(&[("loglevel.demo.cart", "error")]),
                "none-info none-warn shop.example.com-info shop.example.com-warn"
            );
            assert_eq!(told(&[]), base, "without the keys the base level returns");
        });
    }
}
