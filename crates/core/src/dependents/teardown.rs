//! The delete waves, for redundant objects and for the deletion of a component.

use std::collections::{BTreeMap, HashMap};

use kubewright_machinery::object::ObjectKey;

use super::engine::{is_namespace, is_type};
use super::managed::ManagedIndex;
use super::observe::RemovalCounts;
use super::order::delete_priority;
use super::planner::Planner;
use super::removal_step::RemovalStep;
use super::{Item, Note, ObjectAction, Phase, RequestPurpose};
use crate::health::Health;

/// The reason why objects are removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Removal {
    /// The objects left the manifests.
    Redundant,
    /// The component is being deleted.
    Deletion,
}

impl Removal {
    pub(super) fn orphans(self, item: &Item) -> bool {
        match self {
            Self::Redundant => item.delete_policy.orphans_redundant(),
            Self::Deletion => item.delete_policy.orphans_on_deletion(),
        }
    }
}

/// The items of one delete order: managed instances first, then by priority.
type DeleteWave = BTreeMap<(Rank, i8), Vec<usize>>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Managed,
    Rest,
}

impl Planner<'_> {
    /// Runs the delete waves over these items. Returns true if all objects are gone.
    pub(super) fn tear_down(&mut self, indices: &[usize], managed: &ManagedIndex<'_, ()>, removal: Removal) -> bool {
        let sends_before = self.sends.len();
        let done = self.run_delete_waves(indices, managed, removal);
        self.expect_unavailability(indices, sends_before);
        done
    }

    fn run_delete_waves(&mut self, indices: &[usize], managed: &ManagedIndex<'_, ()>, removal: Removal) -> bool {
        let mut users = self.namespace_users();
        if self.keep_namespaces(indices, removal) {
            return false;
        }
        for wave in self.delete_waves(indices, managed).values() {
            let (mut managed_pending, mut pending) = (false, false);
            for (&(rank, _), batch) in wave {
                if rank == Rank::Rest && managed_pending {
                    return false;
                }
                let outcome = self.tear_down_batch(batch, &mut users, removal);
                pending |= outcome.pending;
                managed_pending |= rank == Rank::Managed && outcome.pending;
                if !outcome.settled {
                    return false;
                }
            }
            if pending {
                return false;
            }
        }
        true
    }

    /// Orphans the namespaces in which an object stays, before all other removals, while the object is still known (DEL-3). Returns true if there are
    /// any.
    fn keep_namespaces(&mut self, indices: &[usize], removal: Removal) -> bool {
        let engine = self.context.engine;
        let mut staying: HashMap<&str, &ObjectKey> = HashMap::new();
        for dependent in indices.iter().map(|&index| &self.dependents[index]) {
            let Some(live) = dependent.live() else { continue };
            let is_foreign = !engine.owns(live) && !live.terminating;
            let stays = is_foreign || engine.owns(live) && removal.orphans(&dependent.item);
            if !dependent.key.namespace.is_empty() && stays {
                staying.entry(&dependent.key.namespace).or_insert(&dependent.key);
            }
        }
        let mut actions = Vec::new();
        for dependent in indices.iter().map(|&index| &self.dependents[index]) {
            let key = &dependent.key;
            let (Some(&object), true) = (staying.get(key.name.as_str()), is_namespace(key)) else { continue };
            if dependent.is_halted() || dependent.results().released {
                continue;
            }
            let owned = dependent.live().filter(|live| engine.owns(live) && !live.terminating);
            let Some(live) = owned else { continue };
            actions.push(if dependent.results().unsure {
                dependent.read_live(&dependent.item.gvk())
            } else {
                let note = Note::NamespaceKept { namespace: key.name.clone(), object: object.clone() };
                ObjectAction { note: Some(note), ..dependent.orphan(live, engine) }
            });
        }
        let any = !actions.is_empty();
        self.sends.extend(actions);
        any
    }

    /// Returns the number of items per namespace whose objects are not gone.
    fn namespace_users(&self) -> HashMap<String, usize> {
        let mut users = HashMap::new();
        for item in self.dependents.iter().map(|dependent| &dependent.item).filter(|item| is_user(item)) {
            *users.entry(item.namespace.clone()).or_insert(0) += 1;
        }
        users
    }

    fn delete_waves(&self, indices: &[usize], managed: &ManagedIndex<'_, ()>) -> BTreeMap<i16, DeleteWave> {
        let mut waves: BTreeMap<i16, DeleteWave> = BTreeMap::new();
        for &index in indices {
            let item = &self.dependents[index].item;
            let rank = if managed.contains(&item.gvk()) { Rank::Managed } else { Rank::Rest };
            let wave = waves.entry(item.delete_order).or_default();
            wave.entry((rank, delete_priority(&item.group, &item.kind))).or_default().push(index);
        }
        waves
    }

    fn tear_down_batch(&mut self, batch: &[usize], users: &mut HashMap<String, usize>, removal: Removal) -> RemovalOutcome {
        let mut outcome = RemovalOutcome { settled: true, pending: false };
        for &index in batch {
            let dependent = &mut self.dependents[index];
            if is_namespace(&dependent.key) && users.get(&dependent.key.name).is_some_and(|&count| count > 0) {
                outcome.pending = true;
                continue;
            }
            let decision = dependent.next_removal_step(removal, &self.context);
            dependent.take_in_removal(&decision, self.context.now);
            self.watch_foreign.extend(decision.watch);
            match decision.step {
                RemovalStep::Gone => {
                    dependent.gone = true;
                    if is_user(&dependent.item)
                        && let Some(count) = users.get_mut(&dependent.key.namespace)
                    {
                        *count -= 1;
                    }
                    continue;
                }
                RemovalStep::Send(action) => {
                    outcome.settled = false;
                    self.send_removal(index, action, removal);
                }
                RemovalStep::Check(check) => {
                    outcome.settled = false;
                    self.checks.push(check);
                }
                RemovalStep::Wait => outcome.settled &= !dependent.is_halted(),
                RemovalStep::Hold => outcome.settled = false,
            }
            outcome.pending = true;
        }
        outcome
    }

    /// Sends the removal of an object. The check whether a redundant type is in use is repeated directly before its DELETE (RED-2). It is also
    /// repeated for any type if an object was orphaned in this pass, because that object may be an instance and would be deleted with its type.
    fn send_removal(&mut self, index: usize, action: ObjectAction, removal: Removal) {
        if action.purpose == RequestPurpose::Delete && is_type(&action.key) {
            let now = self.context.observed.removals;
            let stale = |(_, then): &(_, RemovalCounts)| match removal {
                Removal::Redundant => *then != now,
                Removal::Deletion => then.orphaned != now.orphaned,
            };
            let check = self.dependents[index].check_of_type(self.context.engine);
            if let Some(check) = check.filter(|check| self.context.answer(check).is_some_and(stale)) {
                self.checks.push(check);
                return;
            }
        }
        self.send(action);
    }

    pub(super) fn wait_for_all(&mut self, indices: &[usize]) {
        for &index in indices {
            let dependent = &self.dependents[index];
            if dependent.gone {
                continue;
            }
            let (key, item) = (dependent.key.clone(), &dependent.item);
            // An object that is no longer wanted cannot fail; its removal just has not started.
            let (status, message) = match item.status.unwrap_or(Health::Current) {
                Health::Failed => (Health::Terminating, String::new()),
                status => (status, item.message.clone()),
            };
            self.waiting.push(super::Waiting { key, status, message });
        }
    }
}

/// The result of a batch of removals.
struct RemovalOutcome {
    /// True if no request of the batch is left to be sent.
    settled: bool,
    /// True if an object of the batch still exists.
    pending: bool,
}

/// Returns true if an item keeps its namespace from being deleted. Objects of a deletion stage do not: they are deleted with their namespace (VAL-3).
fn is_user(item: &Item) -> bool {
    !item.namespace.is_empty() && item.phase != Phase::Completed && item.lifecycle.is_none()
}
