//! The correlation of events: repeats are counted in series, similar events are combined, and each object has a budget.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectReference;
use kubewright_machinery::object::names::dns_1123_subdomain;

use crate::backoff::TokenBucket;
use crate::flow::{Event, EventType, Reason};
use crate::time::Moment;

/// The time without occurrences after which a series is over.
const SILENCE: Duration = Duration::from_secs(6 * 60);
/// The interval between two writes of a running series.
const REFRESH: Duration = Duration::from_secs(5 * 60);
/// The number of similar events within [`SIMILAR_WINDOW`] above which they are combined.
const SIMILAR: usize = 10;
/// The time within which similar events are counted.
const SIMILAR_WINDOW: Duration = Duration::from_secs(600);
const COMBINED: &str = "(combined from similar events): ";
/// The number of new events per object that are allowed at once; one more is allowed per [`BUDGET_INTERVAL`].
const BUDGET: u32 = 25;
const BUDGET_INTERVAL: Duration = Duration::from_secs(300);
/// The maximal number of series, of groups of similar events, and of budgets that are remembered.
const CAPACITY: usize = 4096;
/// The longest note, in bytes.
const MAX_NOTE: usize = 1024;
/// The beginning of the text that the runner appends to notes. It is ignored when events are compared.
const SUFFIX: &str = "; next try in ";

/// An occurrence of an event about an object.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// The controller that reports the event.
    pub reporter: String,
    /// The object.
    pub regarding: ObjectReference,
    /// Another object that is related to the event.
    pub related: Option<ObjectReference>,
    /// The event.
    pub event: Event,
    /// Annotations of the event object.
    pub annotations: BTreeMap<String, String>,
}

/// The decision about an occurrence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum EventDecision {
    /// An event object is created.
    Create(Box<EventRecord>),
    /// The count of an event object is written.
    Count {
        /// The namespace of the event object.
        namespace: String,
        /// The name of the event object.
        name: String,
        /// The number of occurrences.
        count: u32,
        /// The time of the last occurrence.
        last: Timestamp,
    },
    /// The occurrence was counted; the count is written later.
    Held,
    /// The occurrence is dropped, because the object has used up its budget.
    Dropped,
}

/// A new event object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EventRecord {
    /// The namespace of the event object.
    pub namespace: String,
    /// The name of the event object.
    pub name: String,
    /// The time of the occurrence.
    pub time: Timestamp,
    /// The occurrence, with the note as it is written.
    pub occurrence: Occurrence,
}

/// The correlator, which decides which events are written. One instance serves all reporters of a process.
#[derive(Clone, Debug)]
pub struct Correlator {
    series: HashMap<Digest, CorrelatedSeries>,
    /// The series by the time of their last occurrence: the first one is both the next to end and the least recently used.
    order: BTreeMap<(Moment, u64), Digest>,
    /// The last counts of series that were evicted.
    closed: Vec<EventDecision>,
    /// The notes of similar events.
    groups: HashMap<Digest, Vec<(Digest, Moment)>>,
    budgets: HashMap<Digest, (TokenBucket, Moment)>,
    /// The sizes of groups and of budgets at which their outdated entries are removed.
    prune_at: (usize, usize),
    names: u64,
    ticks: u64,
}

/// The hash that stands for the identity of an event, whose texts would take kilobytes per object. A collision, which is unlikely with 64 bits,
/// counts one event as another.
type Digest = u64;

/// The fields that two equal events share. Without the note, they are the fields that similar events share.
#[derive(Hash)]
struct EventIdentity<'a> {
    reporter: &'a str,
    regarding: &'a ObjectReference,
    related: Option<&'a ObjectReference>,
    kind: EventType,
    reason: &'a Reason,
    action: &'a Reason,
    note: Option<&'a str>,
}

#[derive(Clone, Debug)]
struct CorrelatedSeries {
    namespace: String,
    name: String,
    count: u32,
    written: u32,
    last: (Moment, u64),
    last_time: Timestamp,
    refreshed: Option<Moment>,
}

impl Correlator {
    /// Creates a correlator. The seed distinguishes the names of this process's events from those of other processes.
    pub fn new(seed: u64) -> Self {
        Self {
            series: HashMap::new(),
            order: BTreeMap::new(),
            closed: Vec::new(),
            groups: HashMap::new(),
            budgets: HashMap::new(),
            prune_at: (CAPACITY, CAPACITY),
            names: seed,
            ticks: 0,
        }
    }

    /// Decides about an occurrence.
    pub fn observe(&mut self, mut occurrence: Occurrence, time: Timestamp, now: Moment) -> EventDecision {
        let identity = self.identify(&mut occurrence, now);
        let at = (now, self.tick());
        if let Some(series) = self.series.get_mut(&identity).filter(|series| now.since(series.last.0) < SILENCE) {
            self.order.remove(&series.last);
            self.order.insert(at, identity);
            series.count = series.count.saturating_add(1);
            series.last = at;
            series.last_time = time;
            let due = series.refreshed.is_none_or(|refreshed| now.since(refreshed) >= REFRESH);
            if !due {
                return EventDecision::Held;
            }
            series.refreshed = Some(now);
            return series.write();
        }
        if !self.take_from_budget(&occurrence, now) {
            return EventDecision::Dropped;
        }
        let (namespace, name) = self.namespace_and_name(&occurrence.regarding);
        let series = CorrelatedSeries {
            namespace: namespace.clone(),
            name: name.clone(),
            count: 1,
            written: 1,
            last: at,
            last_time: time,
            refreshed: None,
        };
        if let Some(former) = self.series.insert(identity, series) {
            self.order.remove(&former.last);
        }
        self.order.insert(at, identity);
        self.forget_oldest();
        EventDecision::Create(Box::new(EventRecord { namespace, name, time, occurrence }))
    }

    /// Returns the time at which the next series ends.
    pub fn next_due(&self) -> Option<Moment> {
        self.order.first_key_value().map(|((last, _), _)| *last + SILENCE)
    }

    /// Returns the last counts of the series that have ended, or that were evicted because there are too many.
    pub fn flush(&mut self, now: Moment) -> Vec<EventDecision> {
        let mut decisions = std::mem::take(&mut self.closed);
        while let Some(entry) = self.order.first_entry().filter(|entry| now.since(entry.key().0) >= SILENCE) {
            let identity = entry.remove();
            decisions.extend(self.series.remove(&identity).and_then(CorrelatedSeries::close));
        }
        decisions
    }

    /// Returns the last counts of all series, and ends them: a later occurrence is a new event.
    pub fn finish(&mut self) -> Vec<EventDecision> {
        let mut decisions = std::mem::take(&mut self.closed);
        let order = std::mem::take(&mut self.order);
        decisions.extend(order.into_values().filter_map(|identity| self.series.remove(&identity)?.close()));
        decisions
    }

    /// Forgets the series of an event object that does not exist: the next occurrence is a new event. The call is rare, so it may search all series.
    pub fn forget(&mut self, name: &str) {
        let found = self.series.iter().find(|(_, series)| series.name == name).map(|(identity, series)| (*identity, series.last));
        if let Some((identity, last)) = found {
            self.series.remove(&identity);
            self.order.remove(&last);
        }
    }

    /// Cuts the note, combines similar events, and returns the identity of the occurrence.
    fn identify(&mut self, occurrence: &mut Occurrence, now: Moment) -> Digest {
        let event = &occurrence.event;
        let note = event.note.rfind(SUFFIX).map_or(event.note.as_str(), |end| &event.note[..end]);
        let (regarding, related) = (&occurrence.regarding, occurrence.related.as_ref());
        let (regarding, related) = (regarding.without_version(), related.map(ObjectReference::without_version));
        let similar = EventIdentity {
            reporter: &occurrence.reporter,
            regarding: &regarding,
            related: related.as_ref(),
            kind: event.kind,
            reason: &event.reason,
            action: &event.action,
            note: None,
        };
        let (group, note, same) = (digest(&similar), digest(note), digest(EventIdentity { note: Some(note), ..similar }));
        self.prune_groups(now);
        let notes = self.groups.entry(group).or_default();
        notes.retain(|(_, last)| now.since(*last) < SIMILAR_WINDOW);
        if let Some((_, last)) = notes.iter_mut().find(|(known, _)| *known == note) {
            *last = now;
        } else if notes.len() <= SIMILAR {
            // A full group remembers no further notes, because its events are combined anyway.
            notes.push((note, now));
        }
        let combined = notes.len() > SIMILAR;
        let event = &mut occurrence.event;
        let text = std::mem::take(&mut event.note);
        event.note = cut(if combined { format!("{COMBINED}{text}") } else { text });
        if combined { group } else { same }
    }

    fn take_from_budget(&mut self, occurrence: &Occurrence, now: Moment) -> bool {
        if self.budgets.len() >= self.prune_at.1 {
            let full_again = BUDGET_INTERVAL.saturating_mul(BUDGET);
            self.budgets.retain(|_, (_, used)| now.since(*used) < full_again);
            self.prune_at.1 = CAPACITY.max(2 * self.budgets.len());
        }
        let key = digest((&occurrence.reporter, occurrence.regarding.without_version()));
        let (bucket, used) = self.budgets.entry(key).or_insert_with(|| (TokenBucket::new(BUDGET_INTERVAL, BUDGET), now));
        *used = now;
        bucket.try_take(now)
    }

    fn namespace_and_name(&mut self, regarding: &ObjectReference) -> (String, String) {
        let namespace = if regarding.namespace.is_empty() { "default" } else { &regarding.namespace };
        self.names = self.names.wrapping_add(1);
        // The longest name of an object has 253 bytes, of which the suffix takes 17.
        let room = 253 - 17;
        let stem = cut_at(&regarding.name, room).trim_end_matches(['.', '-']);
        let stem = if dns_1123_subdomain(stem).is_empty() { stem.to_owned() } else { plain(stem) };
        (namespace.to_owned(), format!("{stem}.{:016x}", self.names))
    }

    fn tick(&mut self) -> u64 {
        self.ticks += 1;
        self.ticks
    }

    fn forget_oldest(&mut self) {
        while self.series.len() > CAPACITY {
            let Some((_, identity)) = self.order.pop_first() else {
                return;
            };
            self.closed.extend(self.series.remove(&identity).and_then(CorrelatedSeries::close));
        }
    }

    fn prune_groups(&mut self, now: Moment) {
        if self.groups.len() >= self.prune_at.0 {
            self.groups.retain(|_, notes| notes.iter().any(|(_, last)| now.since(*last) < SIMILAR_WINDOW));
            self.prune_at.0 = CAPACITY.max(2 * self.groups.len());
        }
    }
}

impl CorrelatedSeries {
    /// Returns the last count, if it is not written yet.
    fn close(mut self) -> Option<EventDecision> {
        (self.count > self.written).then(|| self.write())
    }

    fn write(&mut self) -> EventDecision {
        self.written = self.count;
        EventDecision::Count {
            namespace: self.namespace.clone(),
            name: self.name.clone(),
            count: self.count,
            last: self.last_time,
        }
    }
}

fn digest(what: impl Hash) -> Digest {
    let mut hasher = DefaultHasher::new();
    what.hash(&mut hasher);
    hasher.finish()
}

fn cut(note: String) -> String {
    if note.len() <= MAX_NOTE {
        return note;
    }
    format!("{}...", cut_at(&note, MAX_NOTE - 3))
}

/// Returns the longest prefix of at most `limit` bytes.
fn cut_at(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    &text[..end]
}

/// Converts the name of an object to a DNS subdomain: roles and other objects may have names that an event must not have.
fn plain(name: &str) -> String {
    let sign = |sign: char| {
        let sign = sign.to_ascii_lowercase();
        if sign.is_ascii_lowercase() || sign.is_ascii_digit() { sign } else { '-' }
    };
    let plain: String = name.chars().map(sign).collect();
    match plain.trim_matches('-') {
        "" => "event".to_owned(),
        plain => plain.to_owned(),
    }
}
