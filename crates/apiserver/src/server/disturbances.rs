//! Disturbances inside the server for tests (FLT-4), which a layer in front of it cannot cause.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use jiff::SignedDuration;
use parking_lot::RwLock;

use super::ApiServer;
use crate::{clock::Seed, store::Resource};

/// The disturbances in force.
#[derive(Debug, Default)]
pub(crate) struct Disturbances {
    /// True if any disturbance is in force; read with each event.
    any: AtomicBool,
    orders: RwLock<Orders>,
}

#[derive(Debug, Default)]
struct Orders {
    /// The delay of the events of each resource.
    late: HashMap<Resource, Duration>,
    /// The maximum random delay of every event.
    shuffled: Duration,
    /// The age of the lists of each resource, in revisions.
    stale: HashMap<Resource, u64>,
}

impl Disturbances {
    fn change(&self, change: impl FnOnce(&mut Orders)) {
        let mut orders = self.orders.write();
        change(&mut orders);
        let none = orders.late.is_empty() && orders.shuffled.is_zero() && orders.stale.is_empty();
        self.any.store(!none, Ordering::Release);
    }

    /// Returns the delay of an event of a resource.
    pub(crate) fn delay_of(&self, resource: &Resource, seed: &Seed) -> Duration {
        if !self.any.load(Ordering::Acquire) {
            return Duration::ZERO;
        }
        let orders = self.orders.read();
        let late = orders.late.get(resource).copied().unwrap_or_default();
        late + Duration::from_millis(seed.below(orders.shuffled.as_millis().try_into().unwrap_or(u64::MAX)))
    }

    /// Returns the revision that is shown by a list of a resource that need not be the latest, if its cache lags behind.
    pub(crate) fn stale_revision(&self, resource: &Resource, now: u64) -> Option<u64> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        self.orders.read().stale.get(resource).map(|behind| now.saturating_sub(*behind).max(1))
    }
}

impl ApiServer {
    /// Delays the events of a resource on all its watches; a duration of zero ends the delay. The order of its events stays. Watches of other
    /// resources are not delayed, so that a client sees the changes of several kinds in a different order.
    pub fn delay_events(&self, group: &str, plural: &str, delay: Duration) {
        let resource = Resource::new(group, plural);
        self.state().disturbances.change(|orders| {
            if delay.is_zero() {
                orders.late.remove(&resource);
            } else {
                orders.late.insert(resource, delay);
            }
        });
    }

    /// Delays each event by a random time up to this one, drawn from the seed: changes of several kinds arrive in any order, those of one kind in
    /// their own.
    pub fn shuffle_events(&self, up_to: Duration) {
        self.state().disturbances.change(|orders| orders.shuffled = up_to);
    }

    /// Answers lists and reads that do not ask for the latest version (`resourceVersion=0`, or not older than one) with the state of this many
    /// revisions ago, as a server does whose cache lags behind; 0 ends that. The minimum version that a client asks for is respected.
    pub fn serve_stale_lists(&self, group: &str, plural: &str, revisions: u64) {
        let resource = Resource::new(group, plural);
        self.state().disturbances.change(|orders| {
            if revisions == 0 {
                orders.stale.remove(&resource);
            } else {
                orders.stale.insert(resource, revisions);
            }
        });
    }

    /// Pauses the garbage collector, the workload stages and the other controllers, as if their process were down. They catch up when they are
    /// resumed.
    pub fn pause_controllers(&self) {
        self.state().pause(true);
    }

    /// Resumes the controllers, which catch up with missed changes.
    pub async fn resume_controllers(&self) {
        self.state().pause(false);
        self.state().after_write().await;
    }

    /// Sets the skew of the server's wall clock, which affects timestamps of objects and the `Date` header. Timers are not affected.
    pub fn set_clock_skew(&self, skew: SignedDuration) {
        self.state().clock.set_skew(skew);
    }

    /// Makes the next commit fail with 500, once, as if the disk had failed (FLT-7).
    pub fn fail_next_commit(&self) {
        self.state().store.fail_next_commit();
    }
}
