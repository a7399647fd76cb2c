//! Logs of the process. Only the command line sets them up.

use std::io::{self, IsTerminal as _};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::args::{LogArgs, LogFormat};

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
pub(super) fn set_up(args: &LogArgs, default_filter: &str) -> Result<(), InvalidFilter> {
    let filter = args.log_filter.as_deref().filter(|filter| !filter.is_empty()).unwrap_or(default_filter);
    let filter = EnvFilter::try_new(filter).map_err(|source| InvalidFilter { filter: filter.to_owned(), source })?;
    let terminal = io::stderr().is_terminal();
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let result = match args.format() {
        LogFormat::Json => builder.json().finish().try_init(),
        LogFormat::Auto if !terminal => builder.json().finish().try_init(),
        LogFormat::Auto | LogFormat::Text => builder.with_ansi(terminal).finish().try_init(),
    };
    if result.is_err() {
        tracing::debug!("logs were set up before");
    }
    Ok(())
}
