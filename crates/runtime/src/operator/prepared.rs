//! An operator whose controllers are constructed but do not run, for table tests.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use futures::future::join_all;
use kubewright_machinery::object::Key;

use crate::controller::{OnePass, Runner};
use crate::task::Tasks;

/// An operator whose controllers are constructed and whose caches are filled. Passes are run one by one.
pub struct PreparedOperator {
    runners: Vec<Runner>,
    tasks: [Tasks; 2],
}

impl PreparedOperator {
    pub(super) fn new(runners: Vec<Runner>, tasks: [Tasks; 2]) -> Self {
        Self { runners, tasks }
    }

    /// Runs one pass of a controller for a key. Returns None if there is no controller of this name.
    pub async fn pass(&self, controller: &str, key: Key) -> Option<OnePass> {
        let runner = self.runners.iter().find(|runner| runner.name() == controller)?;
        Some(runner.one_pass(key).await)
    }

    /// Returns the names of the controllers.
    pub fn controllers(&self) -> impl Iterator<Item = &str> {
        self.runners.iter().map(Runner::name)
    }

    /// Asks all tasks of the operator to end, and returns the names of those that did not within `grace`.
    pub async fn stop(self, grace: Duration) -> Vec<Cow<'static, str>> {
        drop(self.runners);
        let stuck = join_all(self.tasks.iter().map(|tasks| tasks.stop(grace))).await;
        stuck.concat()
    }
}

impl fmt::Debug for PreparedOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PreparedOperator").field("controllers", &self.controllers().collect::<Vec<_>>()).finish_non_exhaustive()
    }
}
