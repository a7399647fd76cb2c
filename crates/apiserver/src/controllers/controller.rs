//! What a controller is to the server.

use std::{fmt, time::Duration};

use futures::future::BoxFuture;

use crate::{server::Writer, status::Status, store::Event};

/// Reacts to changes.
pub trait Controller: fmt::Debug + Send + Sync {
    /// Its name; it writes as the service account of this name in `kube-system`.
    fn name(&self) -> &'static str;

    /// The program that it is a part of, as `managedFields` name it.
    fn manager(&self) -> &'static str {
        "kube-controller-manager"
    }

    /// Takes note of a committed change. Called once per change, in order; must be quick.
    fn observe(&self, event: &Event);

    /// Does the work known by now; returns whether there was any. Its own writes come back through [`Controller::observe`].
    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>>;

    /// Whether [`Controller::run`] would find anything to do now. Asked after each write, so it must be quick.
    fn is_due(&self, now: Duration) -> bool {
        let _ = now;
        true
    }

    /// When it wants to run although nothing changed, on [`Clock::moment`](crate::Clock::moment).
    fn next_due(&self) -> Option<Duration> {
        None
    }

    /// A controller of its own that knows as much: it goes with a fork of the server.
    fn fork(&self) -> Box<dyn Controller>;

    /// Whether the API itself is incomplete without it, so that it runs even if controllers are off.
    fn is_essential(&self) -> bool {
        false
    }
}
