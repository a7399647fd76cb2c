//! What goes wrong inside the server because a test wants it to (FLT-4): what no layer in front of it could do.

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
    /// Whether there are any; asked with each event.
    any: AtomicBool,
    orders: RwLock<Orders>,
}

#[derive(Debug, Default)]
struct Orders {
    /// How late the events of a resource are.
    late: HashMap<Resource, Duration>,
    /// How late every event may be.
    shuffled: Duration,
    /// How many revisions old lists of a resource are.
    stale: HashMap<Resource, u64>,
}

impl Disturbances {
    fn change(&self, change: impl FnOnce(&mut Orders)) {
        let mut orders = self.orders.write();
        change(&mut orders);
        let none = orders.late.is_empty() && orders.shuffled.is_zero() && orders.stale.is_empty();
        self.any.store(!none, Ordering::Release);
    }

    /// How late an event of a resource is shown.
    pub(crate) fn delay_of(&self, resource: &Resource, seed: &Seed) -> Duration {
        if !self.any.load(Ordering::Acquire) {
            return Duration::ZERO;
        }
        let orders = self.orders.read();
        let late = orders.late.get(resource).copied().unwrap_or_default();
        late + Duration::from_millis(seed.below(orders.shuffled.as_millis().try_into().unwrap_or(u64::MAX)))
    }

    /// The revision that a list of a resource shows which need not be the latest.
    pub(crate) fn stale_revision(&self, resource: &Resource, now: u64) -> Option<u64> {
        if !self.any.load(Ordering::Acquire) {
            return None;
        }
        self.orders.read().stale.get(resource).map(|behind| now.saturating_sub(*behind).max(1))
    }
}

impl ApiServer {
    /// Shows events of a resource this much later to everybody who watches it; at once again with a duration of zero. Their order stays.
    /// Watches of other resources are not held up, so that a client sees the changes of several kinds in another order than they were made.
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

    /// Shows each event up to this much later, drawn from the seed: changes of several kinds come in any order, those of one kind in theirs.
    pub fn shuffle_events(&self, up_to: Duration) {
        self.state().disturbances.change(|orders| orders.shuffled = up_to);
    }

    /// Answers lists and reads that do not ask for the latest version (`resourceVersion=0`, or not older than one) with what was this many
    /// revisions ago, as a server does whose cache lags behind; with the latest again when 0. What a client asks for as the least is kept.
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

    /// Lets the garbage collector, the workload stages and the other controllers rest, as if their process were down. What they miss they do
    /// when they work again.
    pub fn pause_controllers(&self) {
        self.state().pause(true);
    }

    /// Lets the controllers work again, and do what they missed.
    pub async fn resume_controllers(&self) {
        self.state().pause(false);
        self.state().after_write().await;
    }

    /// Sets the wall clock of the server wrong by this much: timestamps of objects and the `Date` header. Timers run as before.
    pub fn set_clock_skew(&self, skew: SignedDuration) {
        self.state().clock.set_skew(skew);
    }

    /// Lets the next write fail with 500 as if the disk did, once (FLT-7).
    pub fn fail_next_commit(&self) {
        self.state().store.fail_next_commit();
    }
}
