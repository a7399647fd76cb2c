//! The expiry of Events (CTL-6, BI-1).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use kubewright_middleware::Status;
use parking_lot::Mutex;

use super::ServerController;
use super::backlog::Backlog;
use crate::api::{DeleteOptions, Writer};
use crate::store::{ObjectName, Resource, StoreEvent};

/// Deletes each Event a fixed time after its last write.
#[derive(Debug)]
pub(super) struct EventTtl {
    ttl: Duration,
    plan: Mutex<EventExpiries>,
    /// Events that have expired.
    overdue: Backlog<ObjectName>,
}

#[derive(Clone, Debug, Default)]
struct EventExpiries {
    /// Events that were written since the last run.
    written: BTreeSet<ObjectName>,
    due: BTreeMap<ObjectName, Duration>,
    /// The expiry times in order, the earliest first.
    order: BTreeSet<(Duration, ObjectName)>,
}

impl EventExpiries {
    fn put(&mut self, name: ObjectName, due: Duration) {
        self.forget(&name);
        self.order.insert((due, name.clone()));
        self.due.insert(name, due);
    }

    fn forget(&mut self, name: &ObjectName) {
        if let Some(due) = self.due.remove(name) {
            self.order.remove(&(due, name.clone()));
        }
    }

    /// Takes the next expired Event.
    fn take_due(&mut self, now: Duration) -> Option<ObjectName> {
        let (due, name) = self.order.first().cloned()?;
        if due > now {
            return None;
        }
        self.forget(&name);
        Some(name)
    }
}

impl EventTtl {
    pub(super) fn new(ttl: Duration) -> Self {
        Self { ttl, plan: Mutex::default(), overdue: Backlog::default() }
    }
}

fn resource() -> Resource {
    Resource::new("", "events")
}

impl ServerController for EventTtl {
    fn name(&self) -> &'static str {
        "event-ttl-controller"
    }

    fn observe(&self, event: &StoreEvent) {
        if event.object.resource.is("", "events") {
            let mut plan = self.plan.lock();
            if event.current.is_some() {
                plan.written.insert(event.object.name.clone());
            } else {
                plan.written.remove(&event.object.name);
                plan.forget(&event.object.name);
                self.overdue.forget(&event.object.name);
            }
        }
    }

    fn run<'a>(&'a self, writer: &'a Writer) -> BoxFuture<'a, Result<bool, Status>> {
        async move {
            let now = writer.clock().moment();
            {
                let mut plan = self.plan.lock();
                for name in std::mem::take(&mut plan.written) {
                    plan.put(name, now + self.ttl);
                }
                while let Some(name) = plan.take_due(now) {
                    self.overdue.add(name);
                }
            }
            let mut worked = false;
            while let Some(name) = self.overdue.next(now) {
                let outcome = writer.delete(&resource(), &name, DeleteOptions::default()).await;
                worked |= self.overdue.finish(name, now, outcome).unwrap_or_default();
            }
            Ok(worked)
        }
        .boxed()
    }

    fn is_due(&self, now: Duration) -> bool {
        let plan = self.plan.lock();
        !plan.written.is_empty() || plan.order.first().is_some_and(|(due, _)| *due <= now) || self.overdue.is_due(now)
    }

    fn fork(&self) -> Box<dyn ServerController> {
        Box::new(Self { ttl: self.ttl, plan: Mutex::new(self.plan.lock().clone()), overdue: self.overdue.clone() })
    }

    fn next_due(&self) -> Option<Duration> {
        let planned = self.plan.lock().order.first().map(|(due, _)| *due);
        planned.into_iter().chain(self.overdue.next_due()).min()
    }
}
