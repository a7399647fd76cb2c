//! Events do not last (CTL-6, BI-1).

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use futures::{FutureExt as _, future::BoxFuture};
use parking_lot::Mutex;

use super::Controller;
use crate::{
    request::delete::DeleteOptions,
    server::Writer,
    status::Status,
    store::{Event, ObjectName, Resource},
};

/// Deletes Events a while after their last write.
#[derive(Debug)]
pub(super) struct EventTtl {
    ttl: Duration,
    plan: Mutex<Plan>,
}

#[derive(Debug, Default)]
struct Plan {
    /// Written since the last run.
    written: BTreeSet<ObjectName>,
    due: BTreeMap<ObjectName, Duration>,
}

impl EventTtl {
    pub(super) fn new(ttl: Duration) -> Self {
        Self { ttl, plan: Mutex::default() }
    }
}

fn resource() -> Resource {
    Resource::new("", "events")
}

impl Controller for EventTtl {
    fn name(&self) -> &'static str {
        "event-ttl-controller"
    }

    fn observe(&self, event: &Event) {
        if event.object.resource == resource() {
            let mut plan = self.plan.lock();
            if event.current.is_some() {
                plan.written.insert(event.object.name.clone());
            } else {
                plan.written.remove(&event.object.name);
                plan.due.remove(&event.object.name);
            }
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            let expired: Vec<_> = {
                let mut plan = self.plan.lock();
                for name in std::mem::take(&mut plan.written) {
                    plan.due.insert(name, now + self.ttl);
                }
                plan.due.iter().filter(|(_, due)| **due <= now).map(|(name, _)| name.clone()).collect()
            };
            for name in &expired {
                self.plan.lock().due.remove(name);
                writer.delete(&resource(), name, DeleteOptions::default()).await?;
            }
            Ok(!expired.is_empty())
        }
        .boxed()
    }

    fn next_due(&self) -> Option<Duration> {
        self.plan.lock().due.values().min().copied()
    }
}
