//! Correlation of events.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectReference;
use kubewright_machinery::object::names::dns_1123_subdomain;

use crate::backoff::TokenBucket;
use crate::flow::{Event, EventType, Reason};
use crate::time::Moment;

/// A series is over when nothing was added to it for this time.
const SILENCE: Duration = Duration::from_secs(6 * 60);
/// A running series is written this often.
const REFRESH: Duration = Duration::from_secs(5 * 60);
/// More than this many similar events ...
const SIMILAR: usize = 10;
/// ... within this time are combined.
const SIMILAR_WINDOW: Duration = Duration::from_secs(600);
const COMBINED: &str = "(combined from similar events): ";
/// New events per object: this many at once, one more per interval.
const BUDGET: u32 = 25;
const BUDGET_INTERVAL: Duration = Duration::from_secs(300);
/// How many series, groups of similar events and budgets are remembered.
const CAPACITY: usize = 4096;
/// The longest note, in bytes.
const MAX_NOTE: usize = 1024;
/// What the runner appends to notes; it does not tell events apart.
const SUFFIX: &str = "; next try in ";

/// Something that happened to an object.
#[derive(Clone, Debug)]
pub struct Occurrence {
    /// Who tells.
    pub reporter: String,
    /// The object.
    pub regarding: ObjectReference,
    /// Another object that has to do with it.
    pub related: Option<ObjectReference>,
    /// What happened.
    pub event: Event,
    /// Annotations of the event object.
    pub annotations: BTreeMap<String, String>,
}

/// What to do about an occurrence.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Decision {
    /// Create an event object.
    Create(Box<Record>),
    /// Write how often an event occurred.
    Count {
        /// Namespace of the event object.
        namespace: String,
        /// Name of the event object.
        name: String,
        /// How often it occurred.
        count: u32,
        /// When it occurred the last time.
        last: Timestamp,
    },
    /// It was counted; it is written later.
    Held,
    /// The object has used up its budget.
    Dropped,
}

/// A new event object.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Record {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// When it occurred.
    pub time: Timestamp,
    /// What occurred, with the note as it is written.
    pub occurrence: Occurrence,
}

/// Decides which events are written. One for all reporters of a process.
#[derive(Clone, Debug)]
pub struct Correlator {
    series: HashMap<Digest, Series>,
    /// By the time of their last occurrence: the first is both the next to fall silent and the least recently used.
    order: BTreeMap<(Moment, u64), Digest>,
    /// The last counts of series that had to go.
    closed: Vec<Decision>,
    /// The notes of similar events.
    groups: HashMap<Digest, Vec<(Digest, Moment)>>,
    budgets: HashMap<Digest, (TokenBucket, Moment)>,
    /// When these maps are this large, what is outdated is thrown out.
    prune_at: (usize, usize),
    names: u64,
    ticks: u64,
}

/// Stands for what events are told apart by: the texts themselves would take kilobytes per object. Of 2^64 two are taken for one,
/// and then one event is counted on another.
type Digest = u64;

/// What makes two events the same one; without note, what makes them similar.
#[derive(Hash)]
struct Identity<'a> {
    reporter: &'a str,
    regarding: &'a ObjectReference,
    related: Option<&'a ObjectReference>,
    kind: EventType,
    reason: &'a Reason,
    action: &'a Reason,
    note: Option<&'a str>,
}

#[derive(Clone, Debug)]
struct Series {
    namespace: String,
    name: String,
    count: u32,
    written: u32,
    last: (Moment, u64),
    last_time: Timestamp,
    refreshed: Option<Moment>,
}

impl Correlator {
    /// The seed tells the names of this process's events from those of others.
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
    pub fn observe(&mut self, mut occurrence: Occurrence, time: Timestamp, now: Moment) -> Decision {
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
                return Decision::Held;
            }
            series.refreshed = Some(now);
            return series.write();
        }
        if !self.take_from_budget(&occurrence, now) {
            return Decision::Dropped;
        }
        let (namespace, name) = self.place(&occurrence.regarding);
        let series = Series {
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
        Decision::Create(Box::new(Record { namespace, name, time, occurrence }))
    }

    /// When the next series falls silent.
    pub fn next_due(&self) -> Option<Moment> {
        self.order.first_key_value().map(|((last, _), _)| *last + SILENCE)
    }

    /// The last counts of the series that have fallen silent, or had to go because there are too many.
    pub fn flush(&mut self, now: Moment) -> Vec<Decision> {
        let mut decisions = std::mem::take(&mut self.closed);
        while let Some(entry) = self.order.first_entry().filter(|entry| now.since(entry.key().0) >= SILENCE) {
            let identity = entry.remove();
            decisions.extend(self.series.remove(&identity).and_then(Series::close));
        }
        decisions
    }

    /// The last counts of all series: what occurs from now on is new.
    pub fn finish(&mut self) -> Vec<Decision> {
        let mut decisions = std::mem::take(&mut self.closed);
        let order = std::mem::take(&mut self.order);
        decisions.extend(order.into_values().filter_map(|identity| self.series.remove(&identity)?.close()));
        decisions
    }

    /// There is no event object of this name: what occurs again is new. Rare, so it may take a look at all series.
    pub fn forget(&mut self, name: &str) {
        let found = self.series.iter().find(|(_, series)| series.name == name).map(|(identity, series)| (*identity, series.last));
        if let Some((identity, last)) = found {
            self.series.remove(&identity);
            self.order.remove(&last);
        }
    }

    /// Cuts the note, combines what is similar, and says what the occurrence is the same as.
    fn identify(&mut self, occurrence: &mut Occurrence, now: Moment) -> Digest {
        let event = &occurrence.event;
        let note = event.note.rfind(SUFFIX).map_or(event.note.as_str(), |end| &event.note[..end]);
        let (regarding, related) = (&occurrence.regarding, occurrence.related.as_ref());
        let (regarding, related) = (regarding.without_version(), related.map(ObjectReference::without_version));
        let similar = Identity {
            reporter: &occurrence.reporter,
            regarding: &regarding,
            related: related.as_ref(),
            kind: event.kind,
            reason: &event.reason,
            action: &event.action,
            note: None,
        };
        let (group, note, same) = (digest(&similar), digest(note), digest(Identity { note: Some(note), ..similar }));
        self.prune_groups(now);
        let notes = self.groups.entry(group).or_default();
        notes.retain(|(_, last)| now.since(*last) < SIMILAR_WINDOW);
        if let Some((_, last)) = notes.iter_mut().find(|(known, _)| *known == note) {
            *last = now;
        } else if notes.len() <= SIMILAR {
            // A group that is full remembers no more notes: it is combined anyway.
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

    fn place(&mut self, regarding: &ObjectReference) -> (String, String) {
        let namespace = if regarding.namespace.is_empty() { "default" } else { &regarding.namespace };
        self.names = self.names.wrapping_add(1);
        // The longest name of an object is 253 bytes.
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
            self.closed.extend(self.series.remove(&identity).and_then(Series::close));
        }
    }

    fn prune_groups(&mut self, now: Moment) {
        if self.groups.len() >= self.prune_at.0 {
            self.groups.retain(|_, notes| notes.iter().any(|(_, last)| now.since(*last) < SIMILAR_WINDOW));
            self.prune_at.0 = CAPACITY.max(2 * self.groups.len());
        }
    }
}

impl Series {
    /// What is not written yet.
    fn close(mut self) -> Option<Decision> {
        (self.count > self.written).then(|| self.write())
    }

    fn write(&mut self) -> Decision {
        self.written = self.count;
        Decision::Count { namespace: self.namespace.clone(), name: self.name.clone(), count: self.count, last: self.last_time }
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

/// The longest beginning of at most so many bytes.
fn cut_at(text: &str, limit: usize) -> &str {
    let end = (0..=limit.min(text.len())).rev().find(|index| text.is_char_boundary(*index)).unwrap_or(0);
    &text[..end]
}

/// Roles and other objects may have names that no event can have.
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
