//! Logs of the process. Only the command line sets them up.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args::{LogArgs, LogFormat};

/// What a command logs where neither flag nor variable says anything.
pub(super) struct LogDefaults {
    pub(super) filter: &'static str,
    /// Whether the format `auto` is JSON where the output is no terminal: a service is read by machines, a demonstration by people.
    pub(super) json_in_pipes: bool,
}

/// A filter that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "use the log filter {filter:?} of --log-filter or $RUST_LOG: {source}; write it like `info` or `warn,kubewright_runtime=debug`"
)]
pub(super) struct InvalidFilter {
    filter: String,
    source: tracing_subscriber::filter::ParseError,
}

/// Writes logs to the error output. A subscriber that is there already stays.
pub(super) fn set_up(args: &LogArgs, defaults: &LogDefaults) -> Result<(), InvalidFilter> {
    let filter = args.log_filter.as_deref().filter(|filter| !filter.is_empty()).unwrap_or(defaults.filter);
    let filter = EnvFilter::try_new(filter).map_err(|source| InvalidFilter { filter: filter.to_owned(), source })?;
    let terminal = io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let result = match args.format() {
        LogFormat::Json => builder.json().finish().try_init(),
        LogFormat::Auto if !terminal && defaults.json_in_pipes => builder.json().finish().try_init(),
        LogFormat::Auto | LogFormat::Text => builder.with_ansi(terminal).finish().try_init(),
    };
    if result.is_err() {
        tracing::debug!("logs were set up before");
    }
    Ok(())
}
