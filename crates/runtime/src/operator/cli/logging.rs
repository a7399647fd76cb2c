//! The logs of the process, which only the command line sets up.

use std::io::{self, IsTerminal as _};

use kubewright_core::config::LogLevels;
use tracing_subscriber::layer::{Filter, Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Registry, reload};

use super::args::{LogArgs, LogFormat};
use super::json_lines::json_log_layer;
use super::levels::LevelsFilter;
use crate::operator::Operator;

/// The defaults of a command's logs, for the case that neither a flag nor a variable sets them.
pub(super) struct LogDefaults {
    /// The filter; None for the level info or the levels of the ConfigMap.
    pub(super) filter: Option<&'static str>,
    /// True if the format `auto` means JSON when the output is not a terminal: the logs of a service are read by machines, those of a demonstration by
    /// people.
    pub(super) json_in_pipes: bool,
}

/// The function that puts the levels of a ConfigMap into effect.
pub(super) type LevelControl = Box<dyn Fn(&LogLevels) + Send + Sync>;

/// The error of a filter that cannot be parsed.
#[derive(Debug, thiserror::Error)]
#[error(
    "use the log filter {filter:?} of --log-filter or $RUST_LOG: {source}; write it like `info` or `warn,kubewright_runtime=debug`"
)]
pub(super) struct InvalidFilter {
    filter: String,
    source: tracing_subscriber::filter::ParseError,
}

/// Starts to write logs to the error output, unless a subscriber is already installed. Returns the control of the levels if they are to follow a ConfigMap.
pub(super) fn set_up(operator: &Operator, args: &LogArgs, defaults: &LogDefaults) -> Result<Option<LevelControl>, InvalidFilter> {
    let pinned = args.log_filter.as_deref().filter(|filter| !filter.is_empty());
    let Some(filter) = pinned.or(defaults.filter) else {
        let (filter, handle) = reload::Layer::new(LevelsFilter::new(&LogLevels::default()));
        let is_ours = init(operator, args, defaults, filter);
        let control = move |levels: &LogLevels| {
            if let Err(error) = handle.reload(LevelsFilter::new(levels)) {
                tracing::warn!(%error, "the log levels stay as they are");
            }
        };
        return Ok(is_ours.then(|| Box::new(control) as LevelControl));
    };
    let filter = EnvFilter::try_new(filter).map_err(|source| InvalidFilter { filter: filter.to_owned(), source })?;
    if init(operator, args, defaults, filter) && defaults.filter.is_none() {
        tracing::info!("the log filter is pinned by --log-filter or RUST_LOG; log levels in ConfigMaps are ignored");
    }
    Ok(None)
}

/// Installs the subscriber. Returns true if there was none before.
fn init(
    operator: &Operator,
    args: &LogArgs,
    defaults: &LogDefaults,
    filter: impl Filter<Registry> + Send + Sync + 'static,
) -> bool {
    let terminal = io::stderr().is_terminal();
    let is_json = match args.format() {
        LogFormat::Json => true,
        LogFormat::Auto => !terminal && defaults.json_in_pipes,
        LogFormat::Text => false,
    };
    let lines = if is_json {
        json_log_layer(operator, io::stderr).boxed()
    } else {
        tracing_subscriber::fmt::layer().with_writer(io::stderr).with_ansi(terminal).boxed()
    };
    let is_ours = tracing_subscriber::registry().with(lines.with_filter(filter)).try_init().is_ok();
    if !is_ours {
        tracing::debug!("logs were set up before");
    }
    is_ours
}
