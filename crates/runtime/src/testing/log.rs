//! The capture of logs of a test's own thread.

use std::io;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;
use tracing::subscriber::{DefaultGuard, NoSubscriber, set_default};
use tracing::{Dispatch, Level};

/// A second subscriber for the whole process. If there is only one, the first thread that meets a span or event decides for all threads if it is of interest,
/// even if that thread does not have the subscriber.
static SECOND: LazyLock<Dispatch> = LazyLock::new(|| Dispatch::new(NoSubscriber::new()));

/// Sets the subscriber of this thread until the guard is dropped.
pub(crate) fn subscribe(subscriber: impl tracing::Subscriber + Send + Sync + 'static) -> DefaultGuard {
    LazyLock::force(&SECOND);
    set_default(subscriber)
}

/// The captured lines of a log: warnings and errors, or all.
#[derive(Clone, Default)]
pub(crate) struct CapturedLog(Arc<Mutex<Vec<u8>>>);

impl CapturedLog {
    /// Captures the warnings and errors that this thread logs until the guard is dropped.
    pub(crate) fn start() -> (Self, DefaultGuard) {
        Self::at(Level::WARN)
    }

    /// Captures the lines that this thread logs at this level or a more severe one, with the fields of its spans.
    pub(crate) fn at(level: Level) -> (Self, DefaultGuard) {
        let log = Self::default();
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().with_max_level(level).with_ansi(false).with_writer(move || writer.clone()).finish();
        (log, subscribe(subscriber))
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock()).into_owned()
    }
}

impl io::Write for CapturedLog {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
