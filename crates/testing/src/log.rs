//! The log of a test.

use std::sync::Once;

use tracing_subscriber::EnvFilter;

/// The log filter, unless `RUST_LOG` names another.
const FILTER: &str = "info";

/// Installs a subscriber that prints the log, so that the test harness shows the lines of a test that fails. A program that already has a subscriber keeps it.
pub(crate) fn print() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(FILTER));
        let lines = tracing_subscriber::fmt().with_env_filter(filter).with_test_writer().with_ansi(false);
        // The program may have installed another subscriber already.
        drop(lines.try_init());
    });
}
