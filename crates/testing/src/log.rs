//! The log of a test.

use std::sync::Once;

use tracing_subscriber::EnvFilter;

/// The filter, unless `RUST_LOG` names another.
const FILTER: &str = "info";

/// Gives each test its log: the harness keeps the lines of a test and shows them when it fails. A program with a log of its own keeps it.
pub(crate) fn print() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(FILTER));
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().with_ansi(false);
        // Another subscriber may be there already.
        drop(lines.try_init());
    });
}
