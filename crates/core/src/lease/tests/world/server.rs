//! The server that stores the leases, and the network to it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;

use super::event::{FATES, LeaseFate, Request, WorldEvent};
use super::state::{Chance, Millis, SECOND, World, labels};
use crate::lease::*;
use crate::time::Timestamp;

impl<C: Chance> World<'_, C> {
    pub(super) fn fate(&mut self) -> LeaseFate {
        self.requests += 1;
        match &self.setup.fates {
            _ if self.is_calm => LeaseFate::Done,
            Some(chosen) if chosen.contains(&self.requests) => FATES[self.chance.pick(FATES.len() as u64) as usize],
            Some(_) => LeaseFate::Done,
            None if self.chance.pick(8) < 7 => LeaseFate::Done,
            // Random worlds have a separate disturbance for freezes.
            None => FATES[1 + self.chance.pick(4) as usize],
        }
    }

    pub(super) fn send(&mut self, index: usize, number: usize, request: Request) {
        let is_cut = self.replicas[index].cut_until > self.now;
        let timeout = self.timing.retry_period().as_millis() as Millis;
        let (there, back) = (1 + self.some(300), 1 + self.some(300));
        let error = match request {
            Request::Read => Input::Read(LeaseAnswer::Error),
            Request::Create(_) | Request::Update(..) => Input::Written(LeaseAnswer::Error),
            Request::Check => Input::OverlapChecked(LeaseAnswer::Error),
        };
        let fate = if is_cut { LeaseFate::Lost } else { self.fate() };
        match fate {
            LeaseFate::Done => self.after(there, WorldEvent::Arrive(index, number, request, true, back)),
            LeaseFate::Lost => self.after(timeout, WorldEvent::Input(index, number, error)),
            LeaseFate::Refused => self.after(there + back, WorldEvent::Input(index, number, error)),
            LeaseFate::Unanswered => {
                self.after(there, WorldEvent::Arrive(index, number, request, false, 0));
                self.after(timeout, WorldEvent::Input(index, number, error));
            }
            LeaseFate::Late => {
                let late = if self.setup.fates.is_some() { 13 * SECOND } else { self.some(40 * SECOND) };
                self.after(timeout + late, WorldEvent::Arrive(index, number, request, false, 0));
                self.after(timeout, WorldEvent::Input(index, number, error));
            }
            LeaseFate::FrozenBefore => {
                self.replicas[index].freeze(self.now + 18 * SECOND);
                self.after(0, WorldEvent::Send(index, number, request));
            }
            LeaseFate::FrozenAfter => {
                self.after(there, WorldEvent::Arrive(index, number, request, true, back));
                self.replicas[index].freeze(self.now + 18 * SECOND);
            }
        }
    }

    pub(super) fn arrive(&mut self, index: usize, number: usize, request: Request, answered: bool, back: Millis) {
        let name = self.replicas[index].buckets[number].name.clone();
        let wall = Timestamp::from_millisecond(self.now as i64 + 1000 * (1_000_000 + self.replicas[index].skew)).unwrap();
        let stored = self.leases.get(&name).map(|(lease, _)| lease.clone());
        let answer = match request {
            Request::Read => Input::Read(LeaseAnswer::Ok(stored)),
            Request::Create(write) => Input::Written(match stored {
                Some(_) => LeaseAnswer::Conflict,
                None => LeaseAnswer::Ok(self.store(index, &name, write.record(wall))),
            }),
            Request::Update(write, over) => Input::Written(match stored {
                Some(stored) if stored.resource_version == over.resource_version => {
                    LeaseAnswer::Ok(self.store(index, &name, write.record(wall)))
                }
                _ => LeaseAnswer::Conflict,
            }),
            Request::Check => {
                let leases = self.leases.iter().map(|(name, (lease, _))| (name.clone(), lease.record.clone())).collect();
                if answered {
                    self.after(back, WorldEvent::Listed(index, number, leases));
                }
                return;
            }
        };
        if answered {
            self.after(back, WorldEvent::Input(index, number, answer));
        }
    }

    pub(super) fn store(&mut self, index: usize, name: &Arc<str>, record: LeaseRecord) -> ObservedLease {
        self.version += 1;
        let object = if let Some((lease, _)) = self.leases.get(name) {
            lease.object.clone()
        } else {
            let labels: BTreeMap<_, _> = labels(self.replicas[index].buckets.len()).into();
            Arc::new(json!({ "metadata": { "name": name, "uid": self.version.to_string(), "labels": labels } }))
        };
        let lease = ObservedLease { record, resource_version: self.version.to_string().into(), object };
        self.leases.insert(name.clone(), (lease.clone(), self.now));
        self.spread(name, Some(&lease));
        lease
    }

    /// Delivers a lease to the watches in order, each with its own delay; replicas that are cut off list again later.
    pub(super) fn spread(&mut self, name: &Arc<str>, lease: Option<&ObservedLease>) {
        for index in 0..self.replicas.len() {
            let replica = &self.replicas[index];
            if replica.is_dead || replica.cut_until > self.now {
                continue;
            }
            let delivered = replica.delivered;
            let delay = self.some(800);
            let at = (self.now + 1 + delay).max(delivered);
            self.replicas[index].delivered = at;
            self.at(at, WorldEvent::Watched(index, name.clone(), lease.cloned()));
        }
    }
}
