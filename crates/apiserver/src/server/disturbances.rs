//! The methods of a server that disturb it, for tests (FLT-4).

use std::time::Duration;

use jiff::SignedDuration;

use super::ApiServer;
use crate::store::Resource;

impl ApiServer {
    /// Delays the events of a resource on all its watches; a duration of zero ends the delay. The order of its events stays. Watches of other
    /// resources are not delayed, so that a client sees the changes of several kinds in a different order.
    pub fn delay_events(&self, group: &str, plural: &str, delay: Duration) {
        let resource = Resource::new(group, plural);
        self.state().api.disturbances.change(|orders| {
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
        self.state().api.disturbances.change(|orders| orders.shuffled = up_to);
    }

    /// Answers lists and reads that do not ask for the latest version (`resourceVersion=0`, or not older than one) with the state of this many
    /// revisions ago, as a server does whose cache lags behind; 0 ends that. The minimum version that a client asks for is respected.
    pub fn serve_stale_lists(&self, group: &str, plural: &str, revisions: u64) {
        let resource = Resource::new(group, plural);
        self.state().api.disturbances.change(|orders| {
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
        self.state().schedule.pause(true);
    }

    /// Resumes the controllers, which catch up with missed changes.
    pub async fn resume_controllers(&self) {
        self.state().schedule.pause(false);
        self.state().schedule.run_inline().await;
    }

    /// Sets the skew of the server's wall clock, which affects timestamps of objects and the `Date` header. Timers are not affected.
    pub fn set_clock_skew(&self, skew: SignedDuration) {
        self.state().api.clock.set_skew(skew);
    }

    /// Makes the next commit fail with 500, once, as if the disk had failed (FLT-7).
    pub fn fail_next_commit(&self) {
        self.state().api.store.fail_next_commit();
    }
}
