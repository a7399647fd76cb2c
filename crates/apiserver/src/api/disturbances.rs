//! Disturbances of watches and lists for tests (FLT-4), which a layer in front of the API cannot cause.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use kubewright_middleware::Seed;
use parking_lot::RwLock;

use crate::store::Resource;

/// The disturbances in force.
#[derive(Debug, Default)]
pub(crate) struct Disturbances {
    /// True if any disturbance is in force; read with each event.
    any: AtomicBool,
    orders: RwLock<Orders>,
}

#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// The delay of the events of each resource.
    pub(crate) late: HashMap<Resource, Duration>,
    /// The maximum random delay of every event.
    pub(crate) shuffled: Duration,
    /// The age of the lists of each resource, in revisions.
    pub(crate) stale: HashMap<Resource, u64>,
}

impl Disturbances {
    /// Changes the disturbances in force.
    pub(crate) fn change(&self, change: impl FnOnce(&mut Orders)) {
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
