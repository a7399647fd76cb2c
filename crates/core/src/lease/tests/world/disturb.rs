//! Disturbances: freezes, partitions, ends of replicas, deletions of leases.

use std::sync::Arc;

use kubewright_machinery::object::ObjectExt;

use super::event::WorldEvent;
use super::replica::HookMood;
use super::state::{Chance, Millis, SECOND, World, labels};
use crate::lease::*;

impl<C: Chance> World<'_, C> {
    pub(super) fn disturb(&mut self) {
        if self.is_calm {
            return;
        }
        let next = self.some(8 * SECOND);
        self.after(next, WorldEvent::Disturb);
        let working: Vec<usize> = (0..self.replicas.len()).filter(|index| self.replicas[*index].is_working()).collect();
        let kind = self.chance.pick(10);
        if working.is_empty() || kind == 9 && working.len() < 3 {
            return self.start();
        }
        let index = working[self.chance.pick(working.len() as u64) as usize];
        match kind {
            0..=2 => {
                let freeze = self.chance.pick(40 * SECOND);
                self.replicas[index].freeze(self.now + freeze);
            }
            3..=5 => {
                let cut = self.chance.pick(40 * SECOND);
                self.replicas[index].cut_until = self.now + cut;
                self.after(cut, WorldEvent::Reconnect(index));
            }
            6 => self.stop(index),
            7 => self.replicas[index].is_dead = true,
            _ => self.forget(),
        }
    }

    pub(super) fn stop(&mut self, index: usize) {
        self.replicas[index].is_stopping = true;
        for number in 0..self.replicas[index].buckets.len() {
            self.after(0, WorldEvent::Input(index, number, Input::Shutdown));
        }
    }

    /// Lets the leader of the first bucket delete leases of other numbers of buckets (LDR-34); the requests arrive after some time.
    pub(super) fn clean_up(&mut self, index: usize) {
        let replica = &self.replicas[index];
        if replica.buckets[0].hooks != HookMood::Active || replica.cut_until > self.now {
            return;
        }
        let labels = labels(replica.buckets.len());
        let found = CleanUp::judge(&replica.guard, replica.cache.values(), &labels, replica.local(self.now));
        for lease in found.delete {
            let delay = self.some(40 * SECOND);
            self.after(delay, WorldEvent::Delete(lease));
        }
    }

    /// Deletes a lease that still has the version that the replica observed, and checks that no replica may hold it.
    pub(super) fn delete(&mut self, unused: &UnusedLease) {
        let Some((lease, written)) = self.leases.get(&unused.name) else { return };
        if lease.resource_version != unused.resource_version || lease.object.uid() != &*unused.uid {
            return;
        }
        let held = self.timing.lease_duration().as_millis() as Millis;
        let is_unused = lease.record.is_free() || written + held < self.now;
        assert!(is_unused, "{}: {} is deleted at {} ms, written at {written} ms", self.label, unused.name, self.now);
        self.leases.remove(&unused.name);
        self.deletions += 1;
        self.spread(&unused.name, None);
    }

    /// Deletes all leases that were not written for long, of all numbers of buckets, as a user may do.
    pub(super) fn forget(&mut self) {
        let age = 2 * self.timing.lease_duration().as_millis() as Millis;
        let old: Vec<Arc<str>> =
            self.leases.iter().filter(|(_, (_, written))| written + age < self.now).map(|(name, _)| name.clone()).collect();
        for name in old {
            self.leases.remove(&name);
            self.spread(&name, None);
        }
    }
}
