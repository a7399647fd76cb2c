//! The interface of controllers.

use std::fmt;
use std::time::Duration;

use futures::future::BoxFuture;
use kubewright_middleware::Status;

use crate::api::Writer;
use crate::store::StoreEvent;

/// A controller, which reacts to committed changes.
pub trait ServerController: fmt::Debug + Send + Sync {
    /// Returns the controller's name; it writes as the service account of this name in `kube-system`.
    fn name(&self) -> &'static str;

    /// Returns the name of the program that it is part of, for `managedFields`.
    fn manager(&self) -> &'static str {
        "kube-controller-manager"
    }

    /// Records a committed change. It is called once per change, in order, and must be quick.
    fn observe(&self, event: &StoreEvent);

    /// Does the work that is known so far. Returns true if there was any. The controller's own writes come back through [`ServerController::observe`].
    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>>;

    /// Returns true if [`ServerController::run`] would find work at `now`. It is called after each write, so it must be quick.
    fn is_due(&self, now: Duration) -> bool {
        let _ = now;
        true
    }

    /// Returns the time on [`Clock::moment`](crate::Clock::moment) at which the controller has to run even if nothing changed.
    fn next_due(&self) -> Option<Duration> {
        None
    }

    /// Returns an independent controller with the same knowledge, for a fork of the server.
    fn fork(&self) -> Box<dyn ServerController>;

    /// Returns true if the API itself is incomplete without the controller, so that it runs even if controllers are off.
    fn is_essential(&self) -> bool {
        false
    }
}
