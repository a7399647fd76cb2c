//! The fault rules in force.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tower::Layer;
use tower::layer::layer_fn;

use super::action::FaultAction;
use super::cut::{Cut, CutBuilder};
use super::rule::{Matcher, Quota, RuleBuilder, Seen};
use super::service::FaultService;
use crate::clock::{Clock, Seed};
use crate::status::Status;
use crate::target::RequestTarget;
use crate::verb::Verb;

/// The verbs of writes.
const WRITES: [Verb; 5] = [Verb::Create, Verb::Update, Verb::Patch, Verb::Delete, Verb::DeleteCollection];

/// A set of fault rules. It is cheap to clone; clones share the rules. The first matching rule decides about a request.
#[derive(Clone)]
pub struct Faults {
    shared: Arc<SharedFaults>,
}

struct SharedFaults {
    clock: Clock,
    seed: Seed,
    /// True if there may be a rule or cut; read with each request.
    any: AtomicBool,
    state: Mutex<FaultState>,
}

#[derive(Default)]
struct FaultState {
    rules: Vec<FaultRule>,
    next_id: u64,
    cuts: Vec<Cut>,
}

struct FaultRule {
    id: u64,
    matcher: Matcher,
    quota: Quota,
    action: FaultAction,
    /// The number of requests that the rule matched, acted on or not.
    matched: u64,
    /// The number of requests that the rule acted on.
    hits: u64,
    /// The number of requests that the rule acted on by object, if its quota is per object.
    hits_by_object: HashMap<String, u64>,
}

/// The handle of a rule in force.
#[derive(Clone, Debug)]
pub struct RuleHandle {
    faults: Faults,
    id: u64,
    /// The last known hits, which stay readable after the removal of the rule.
    last: Arc<Mutex<u64>>,
}

impl Faults {
    /// Creates an empty set. Delays use the clock, probabilities the seed.
    pub fn new(clock: Clock, seed: Seed) -> Self {
        Self { shared: Arc::new(SharedFaults { clock, seed, any: AtomicBool::new(false), state: Mutex::default() }) }
    }

    /// Returns a layer that applies the rules.
    pub fn layer<S>(&self) -> impl Layer<S, Service = FaultService<S>> + Clone + use<S> {
        let faults = self.clone();
        layer_fn(move |inner| FaultService { inner, faults: faults.clone() })
    }

    /// Begins a rule about requests with this verb.
    pub fn on(&self, verb: Verb) -> RuleBuilder {
        RuleBuilder::new(self.clone(), Some(vec![verb]))
    }

    /// Begins a rule about writes.
    pub fn on_writes(&self) -> RuleBuilder {
        RuleBuilder::new(self.clone(), Some(WRITES.to_vec()))
    }

    /// Begins a rule about updates and patches.
    pub fn on_changes(&self) -> RuleBuilder {
        RuleBuilder::new(self.clone(), Some(vec![Verb::Update, Verb::Patch]))
    }

    /// Begins a rule about requests for resources, not for discovery, health or the version.
    pub fn on_resources(&self) -> RuleBuilder {
        RuleBuilder::new(self.clone(), Some(Verb::ALL.to_vec()))
    }

    /// Begins a rule about all requests.
    pub fn on_any(&self) -> RuleBuilder {
        RuleBuilder::new(self.clone(), None)
    }

    /// Begins a cut: request `k` of one client, counted from 1, is the last that is answered.
    pub fn cut_after(&self, k: u64) -> CutBuilder {
        CutBuilder::new(self.clone(), k)
    }

    /// Removes all rules and cuts.
    pub fn clear(&self) {
        let mut state = self.shared.state.lock();
        state.rules.clear();
        state.cuts.clear();
        self.shared.any.store(false, Ordering::Release);
    }

    /// Returns true if no rule and no cut is in force.
    pub(super) fn are_none(&self) -> bool {
        if !self.shared.any.load(Ordering::Acquire) {
            return true;
        }
        let state = self.shared.state.lock();
        state.rules.is_empty() && state.cuts.is_empty()
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    pub(super) fn add(&self, matcher: Matcher, quota: Quota, action: FaultAction) -> RuleHandle {
        let mut state = self.shared.state.lock();
        self.shared.any.store(true, Ordering::Release);
        state.next_id += 1;
        let id = state.next_id;
        state.rules.push(FaultRule { id, matcher, quota, action, matched: 0, hits: 0, hits_by_object: HashMap::new() });
        RuleHandle { faults: self.clone(), id, last: Arc::default() }
    }

    pub(super) fn start_cut(&self, cut: Cut) {
        let mut state = self.shared.state.lock();
        self.shared.any.store(true, Ordering::Release);
        state.cuts.push(cut);
    }

    pub(super) fn with_cut<T>(&self, id: u64, use_it: impl FnOnce(&mut Cut) -> T) -> Option<T> {
        self.shared.state.lock().cuts.iter_mut().find(|cut| cut.id == id).map(use_it)
    }

    pub(super) fn next_cut_id(&self) -> u64 {
        let mut state = self.shared.state.lock();
        state.next_id += 1;
        state.next_id
    }

    /// Returns true if some rule needs the body to decide about this request, or changes the body.
    pub(super) fn needs_body(&self, target: &RequestTarget) -> bool {
        let state = self.shared.state.lock();
        state.rules.iter().any(|rule| rule.matcher.needs_body(target) || matches!(rule.action, FaultAction::EditRequest(_)))
    }

    /// Returns the action on this request, and counts the request.
    pub(super) fn decide(&self, seen: &Seen<'_>) -> Option<FaultAction> {
        let mut state = self.shared.state.lock();
        let mut cut_off = false;
        for cut in &mut state.cuts {
            cut_off |= cut.counts_out(seen);
        }
        if cut_off {
            return Some(FaultAction::DropBefore);
        }
        state.rules.iter_mut().find_map(|rule| self.acts(rule, seen))
    }

    /// Returns the action of a rule on a request, if any, and counts the request.
    fn acts(&self, rule: &mut FaultRule, seen: &Seen<'_>) -> Option<FaultAction> {
        if rule.hits >= rule.quota.times || !rule.matcher.matches(seen) {
            return None;
        }
        rule.matched += 1;
        if rule.matched <= rule.quota.skip || !self.draws(rule.quota.probability) {
            return None;
        }
        if rule.quota.per_object < u64::MAX {
            let hits = rule.hits_by_object.entry(Matcher::object_of(seen)).or_default();
            if *hits >= rule.quota.per_object {
                return None;
            }
            *hits += 1;
        }
        rule.hits += 1;
        Some(rule.action.clone())
    }

    /// Applies the rules to a write that a server's own controller makes without a request; only rules that name its user match.
    pub async fn disturb_controller(&self, target: &RequestTarget, user: &str) -> Result<(), Status> {
        if self.are_none() {
            return Ok(());
        }
        let seen = Seen { target, user: Some(user), user_agent: "", body: None };
        let action = {
            let mut state = self.shared.state.lock();
            let mut naming = state.rules.iter_mut().filter(|rule| rule.matcher.names_user());
            naming.find_map(|rule| self.acts(rule, &seen))
        };
        match action {
            Some(FaultAction::Respond(status) | FaultAction::RespondAfter(status)) => Err(status),
            Some(FaultAction::Delay(delay)) => {
                self.clock().sleep(delay).await;
                Ok(())
            }
            Some(FaultAction::DropBefore | FaultAction::DropAfter) => {
                Err(Status::internal("the connection was dropped by a fault rule"))
            }
            _ => Ok(()),
        }
    }

    fn draws(&self, probability: f64) -> bool {
        probability >= 1.0 || (self.shared.seed.next_u64() as f64) < probability * (u64::MAX as f64)
    }

    fn hits(&self, id: u64) -> Option<u64> {
        self.shared.state.lock().rules.iter().find(|rule| rule.id == id).map(|rule| rule.hits)
    }
}

impl RuleHandle {
    /// Returns the number of requests that the rule acted on.
    pub fn hits(&self) -> u64 {
        let mut last = self.last.lock();
        if let Some(hits) = self.faults.hits(self.id) {
            *last = hits;
        }
        *last
    }

    /// Removes the rule.
    pub fn remove(&self) {
        self.hits();
        self.faults.shared.state.lock().rules.retain(|rule| rule.id != self.id);
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.state.lock();
        formatter
            .debug_struct("Faults")
            .field("rules", &state.rules.len())
            .field("cuts", &state.cuts.len())
            .finish_non_exhaustive()
    }
}
