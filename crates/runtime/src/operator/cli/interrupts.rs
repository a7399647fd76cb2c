//! The signals that end the process.

use std::io;

/// The stream of SIGINT and SIGTERM (Ctrl-C on systems other than Unix).
#[derive(Debug)]
pub struct Interrupts {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl Interrupts {
    /// Starts to receive the signals. From then on they no longer end the process by themselves.
    #[cfg(unix)]
    pub fn listen() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        Ok(Self { interrupt: signal(SignalKind::interrupt())?, terminate: signal(SignalKind::terminate())? })
    }

    /// Starts to receive Ctrl-C. From then on it no longer ends the process by itself.
    #[cfg(not(unix))]
    pub fn listen() -> io::Result<Self> {
        Ok(Self {})
    }

    /// Waits for the next signal, and returns its name.
    #[cfg(unix)]
    pub async fn next(&mut self) -> &'static str {
        tokio::select! {
            _ = self.interrupt.recv() => "SIGINT",
            _ = self.terminate.recv() => "SIGTERM",
        }
    }

    /// Waits for the next signal, and returns its name.
    #[cfg(not(unix))]
    pub async fn next(&mut self) -> &'static str {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
        "Ctrl-C"
    }
}
