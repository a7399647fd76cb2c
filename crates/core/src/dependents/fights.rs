//! The corrections of fields that other programs change again and again: their number, and the time of the next one (DRIFT-5).

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use kubewright_machinery::object::ObjectKey;
use serde_json::Value;

use super::Projection;
use super::observe::{FieldClaim, own_fields};
use super::state::seconds_between;
use crate::seconds::Seconds;

/// The shortest time without a change after which the corrections of a field are forgotten, in seconds.
const PEACE: i64 = 300;
/// The number of corrections after which the next one is reported as a fight.
const TOLD_AT: u32 = 2;
/// The number of fields and managers that a message names.
const SHOWN: usize = 3;

/// Returns the pause in seconds after this number of corrections; `None` means until a reapply is due.
const fn pause_after(corrections: u32) -> Option<i64> {
    match corrections {
        0 | 1 => Some(10),
        2 => Some(60),
        _ => None,
    }
}

/// The cause of a correction. Corrections are spaced separately for each cause.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum CorrectionCause {
    /// Another manager took over a field of ours.
    Field(FieldClaim),
    /// Our label or digest was changed.
    Marks,
    /// No manager holds the changed field, the server refused the correction, or the correction recreates the object.
    Object,
}

/// The corrections for one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CauseTally {
    count: u32,
    last: Timestamp,
    /// The time of the correction or of the observation since which the cause has been absent.
    quiet_since: Option<Timestamp>,
    /// The text that reported the cause as a fight.
    told: Option<String>,
}

/// The corrections of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Corrections {
    /// The UID of the object. `None` when corrections recreate it: each correction of this or another replica then makes another UID.
    uid: Option<String>,
    /// The digest with which the object was written when it did not keep our marks.
    pub(super) unkept: Option<String>,
    tallies: BTreeMap<CorrectionCause, CauseTally>,
    /// The claims of other managers when the current correction was decided.
    seen: BTreeSet<FieldClaim>,
    /// The field owners as the last correction left them.
    settled: Option<Settled>,
    /// Set when the last correction failed. Until one succeeds, corrections are spaced for the object as a whole.
    failed: bool,
}

/// The owners of the fields of an object in sync.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Settled {
    ours: BTreeSet<String>,
    claims: BTreeSet<FieldClaim>,
}

/// Returns the instant so many seconds later, or the last possible instant on overflow.
fn after(instant: Timestamp, seconds: i64) -> Timestamp {
    instant.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}

impl Corrections {
    /// Creates the state of an object without corrections.
    pub(super) fn none(uid: &str) -> Self {
        Self {
            uid: Some(uid.to_owned()),
            unkept: None,
            tallies: BTreeMap::new(),
            seen: BTreeSet::new(),
            settled: None,
            failed: false,
        }
    }

    /// Returns true if these corrections belong to this object, and not to an earlier one of the same name.
    pub(super) fn is_about(&self, live: &Projection) -> bool {
        self.uid.as_deref().is_none_or(|uid| uid == live.uid())
    }

    /// Returns the causes of a drift: the fields that were ours after the last correction and that other managers hold now.
    pub(super) fn causes(&self, live: &Projection) -> BTreeSet<CorrectionCause> {
        let settled = self.settled.as_ref().filter(|_| !self.failed);
        let lost = settled.into_iter().flat_map(|settled| {
            live.claims().filter(|claim| settled.ours.contains(&claim.field) && !settled.claims.contains(claim))
        });
        let causes: BTreeSet<CorrectionCause> = lost.map(CorrectionCause::Field).collect();
        if causes.is_empty() { BTreeSet::from([CorrectionCause::Object]) } else { causes }
    }

    /// Returns the instant of the last correction.
    pub(super) fn last(&self) -> Option<Timestamp> {
        self.tallies.values().map(|tally| tally.last).max()
    }

    /// Returns the instant from which a correction for one of these causes may be sent. `reapply` is the instant of the next reapply.
    pub(super) fn next(&self, causes: &BTreeSet<CorrectionCause>, reapply: Timestamp) -> Timestamp {
        let next = |cause: &CorrectionCause| match self.tallies.get(cause) {
            Some(tally) if tally.count > 0 => tally.next().unwrap_or(reapply),
            _ => Timestamp::MIN,
        };
        causes.iter().map(next).min().unwrap_or(Timestamp::MIN)
    }

    /// Returns the instant from which an object that does not keep our marks may be written again, and the instant of its last write.
    pub(super) fn marks(&self) -> Option<(Option<Timestamp>, Timestamp)> {
        self.tallies.get(&CorrectionCause::Marks).map(|tally| (tally.next(), tally.last))
    }

    /// Records the claims of other managers when a correction is decided.
    pub(super) fn decide(&mut self, live: &Projection) {
        if self.seen.is_empty() {
            self.seen = live.claims().collect();
        }
    }

    /// Counts a correction that restored our ownership of fields.
    pub(super) fn restored(&mut self, body: &Value, live: &Projection, field_manager: &str, now: Timestamp) {
        let ours = own_fields(body, field_manager).map(|fields| fields.leaves()).unwrap_or_default();
        let ours: BTreeSet<String> = ours.iter().map(ToString::to_string).collect();
        let claims: BTreeSet<FieldClaim> = live.claims().collect();
        let restored = std::mem::take(&mut self.seen).into_iter();
        let restored = restored.filter(|claim| ours.contains(&claim.field) && !claims.contains(claim));
        let mut causes: BTreeSet<CorrectionCause> = restored.map(CorrectionCause::Field).collect();
        if causes.is_empty() {
            causes.insert(CorrectionCause::Object);
        }
        self.failed = false;
        self.settled = Some(Settled { ours, claims });
        self.count(causes, now);
    }

    /// Records that a correction deletes the object to create it again.
    pub(super) fn outlive_object(&mut self) {
        self.uid = None;
    }

    /// Counts a correction that the server refused.
    pub(super) fn refused(&mut self, now: Timestamp) {
        self.failed = true;
        self.seen.clear();
        self.count([CorrectionCause::Object], now);
    }

    /// Counts a correction. A correction that was sent early because another cause was due does not shorten the next pause.
    pub(super) fn count(&mut self, causes: impl IntoIterator<Item = CorrectionCause>, now: Timestamp) {
        for cause in causes {
            let tally = self.tallies.entry(cause).or_insert(CauseTally { count: 0, last: now, quiet_since: None, told: None });
            if tally.count == 0 || tally.next().is_some_and(|next| now >= next) {
                tally.count += 1;
            }
            tally.last = now;
            tally.quiet_since = Some(now);
        }
    }

    /// Resets the count for our marks, because the object gets other marks from now on.
    pub(super) fn forget_marks(&mut self) {
        self.tallies.remove(&CorrectionCause::Marks);
    }

    /// Returns the causes whose next correction must be reported as a fight.
    pub(super) fn untold(&self, causes: &BTreeSet<CorrectionCause>) -> Vec<CorrectionCause> {
        let is_untold = |cause: &&CorrectionCause| {
            self.tallies
                .get(cause)
                .is_some_and(|tally| tally.count >= TOLD_AT && tally.told.is_none() && tally.quiet_since.is_none())
        };
        causes.iter().filter(is_untold).cloned().collect()
    }

    /// Stores the text with which a fight is reported.
    pub(super) fn tell(&mut self, causes: &[CorrectionCause], text: &str) {
        for cause in causes {
            if let Some(tally) = self.tallies.get_mut(cause) {
                tally.told = Some(text.to_owned());
            }
        }
    }

    /// Returns the texts of the fights that were reported.
    pub(super) fn told(&self) -> BTreeSet<&str> {
        self.tallies.values().filter_map(|tally| tally.told.as_deref()).collect()
    }

    /// Records the present causes, and forgets those that have been absent for as long as their last pause, and at least five minutes. Returns the
    /// instant at which the first of the reported fights is over.
    pub(super) fn look(&mut self, causes: &BTreeSet<CorrectionCause>, now: Timestamp, interval: i64) -> Option<Timestamp> {
        let peace = |tally: &CauseTally| pause_after(tally.count).unwrap_or(interval).max(PEACE);
        self.tallies.retain(|_, tally| tally.quiet_since.is_none_or(|since| seconds_between(since, now) < peace(tally)));
        if causes.is_empty() {
            self.seen.clear();
        }
        let mut over = None;
        for (cause, tally) in &mut self.tallies {
            if causes.contains(cause) {
                tally.quiet_since = None;
            } else {
                let since = *tally.quiet_since.get_or_insert(now);
                let end = tally.told.is_some().then(|| after(since, peace(tally)));
                over = [over, end].into_iter().flatten().min();
            }
        }
        over
    }

    /// Returns true if nothing is recorded.
    pub(super) fn is_empty(&self) -> bool {
        self.tallies.is_empty() && self.seen.is_empty()
    }
}

impl CauseTally {
    /// Returns the instant of the next correction; `None` means that of the next reapply.
    fn next(&self) -> Option<Timestamp> {
        pause_after(self.count).map(|pause| after(self.last, pause))
    }
}

/// Returns the fields and the managers of causes, comma separated; empty if no manager holds a field.
pub(super) fn named(causes: &[CorrectionCause]) -> (String, String) {
    let claims = || causes.iter().filter_map(|cause| if let CorrectionCause::Field(claim) = cause { Some(claim) } else { None });
    let joined = |texts: BTreeSet<&str>| texts.into_iter().take(SHOWN).collect::<Vec<_>>().join(", ");
    (joined(claims().map(|claim| claim.field.as_str()).collect()), joined(claims().map(|claim| claim.manager.as_str()).collect()))
}

/// Returns the text about a drift that waits for its correction.
pub(super) fn pending(key: &ObjectKey, fields: &str, managers: &str, next: Timestamp) -> String {
    let fields = if fields.is_empty() { "fields of the manifest" } else { fields };
    let managers = if managers.is_empty() { "an unknown manager" } else { managers };
    format!("{key}: {managers} changed {fields}, which is corrected at {}", Seconds::from(next))
}
