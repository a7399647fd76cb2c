//! What waits to be sent: in which order, how long, and what goes when there is no more room.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_core::events::{Decision, Record};
use kubewright_core::flow::EventType;
use kubewright_core::time::Moment;

/// Letters that may wait: what the components of a large operator tell at once, in 8 MB.
pub(super) const ROOM: usize = 16_384;

/// Where counts wait: among what goes first when there is no room.
const COUNT: usize = 0;

/// Event requests that wait, and those that are under way.
///
/// What is told of one object is sent in order and one by one; objects wait for each other only where the server makes them.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    lanes: HashMap<LaneKey, Lane>,
    /// Lanes that have something to send, each once, in the order in which they came.
    ready: VecDeque<LaneKey>,
    /// Namespaces that are left alone for a while, and the lanes that wait for it.
    held: BTreeMap<String, Held>,
    /// Nothing is sent before.
    paused: Option<Moment>,
    /// What waits, in the order in which it came: normal events and counts; warnings.
    waiting: [BTreeMap<u64, LaneKey>; 2],
    under_way: BTreeSet<u64>,
    next: u64,
}

/// Stands for the object of an event: namespace and name of the event, without what makes the name distinct.
type LaneKey = Arc<str>;

#[derive(Debug, Default)]
struct Lane {
    letters: VecDeque<Letter>,
    /// One of its letters is under way.
    busy: bool,
    /// It waits for its turn.
    listed: bool,
}

#[derive(Debug)]
struct Held {
    until: Moment,
    lanes: Vec<LaneKey>,
}

/// One request.
#[derive(Debug)]
pub(super) struct Letter {
    number: u64,
    lane: LaneKey,
    pub(super) namespace: String,
    /// The name of the event object.
    pub(super) name: String,
    pub(super) content: Content,
    /// How often it was tried.
    pub(super) tries: u32,
}

/// What a request writes.
#[derive(Debug)]
pub(super) enum Content {
    /// A new event object, and how often it occurred when that is more than once.
    Create(Box<Record>, Option<Series>),
    /// How often an event occurred.
    Count(Series),
}

/// How often an event occurred, and when the last time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Series {
    pub(super) count: u32,
    pub(super) last: Timestamp,
}

/// What has to wait when a request does not succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The events of this namespace: something in it may refuse them.
    Namespace,
    /// All events: the server is busy or away.
    Server,
}

impl Outbox {
    /// Puts in what was decided; returns what has to go for it. What still waits takes up the counts of its event.
    pub(super) fn put(&mut self, decision: Decision) -> Option<Letter> {
        let (namespace, name, content) = match decision {
            Decision::Create(record) => (record.namespace.clone(), record.name.clone(), Content::Create(record, None)),
            Decision::Count { namespace, name, count, last } => (namespace, name, Content::Count(Series { count, last })),
            _ => return None,
        };
        let key = lane_key(&namespace, &name);
        let lane = self.lanes.entry(key.clone()).or_default();
        if let Content::Count(series) = &content
            && let Some(letter) = lane.letters.iter_mut().find(|letter| letter.name == name)
        {
            letter.content.occurred(*series);
            return None;
        }
        let letter = Letter { number: self.next, lane: key.clone(), namespace, name, content, tries: 0 };
        self.next += 1;
        self.waiting[letter.importance()].insert(letter.number, key.clone());
        lane.letters.push_back(letter);
        if !lane.busy && !std::mem::replace(&mut lane.listed, true) {
            self.ready.push_back(key);
        }
        if self.waiting() > ROOM { self.drop_one() } else { None }
    }

    /// The next request to send now; [`done`](Self::done) or [`again`](Self::again) follows.
    pub(super) fn take(&mut self, now: Moment) -> Option<Letter> {
        if self.paused.is_some_and(|until| now < until) {
            return None;
        }
        self.paused = None;
        self.release(now);
        while let Some(key) = self.ready.pop_front() {
            let Some(lane) = self.lanes.get_mut(&key) else { continue };
            let Some(letter) = lane.letters.pop_front() else {
                self.lanes.remove(&key);
                continue;
            };
            if let Some(held) = self.held.get_mut(&letter.namespace) {
                lane.letters.push_front(letter);
                held.lanes.push(key);
                continue;
            }
            (lane.busy, lane.listed) = (true, false);
            self.waiting[letter.importance()].remove(&letter.number);
            self.under_way.insert(letter.number);
            return Some(letter);
        }
        None
    }

    /// It was sent or given up.
    pub(super) fn done(&mut self, letter: &Letter) {
        self.under_way.remove(&letter.number);
        self.free(letter.lane.clone());
    }

    /// It is sent again, in its place, when others may be sent again.
    pub(super) fn again(&mut self, mut letter: Letter, until: Moment, scope: Scope) {
        match scope {
            Scope::Server => self.paused = self.paused.max(Some(until)),
            Scope::Namespace => {
                let held = self.held.entry(letter.namespace.clone()).or_insert(Held { until, lanes: Vec::new() });
                held.until = held.until.max(until);
            }
        }
        self.under_way.remove(&letter.number);
        let key = letter.lane.clone();
        let lane = self.lanes.entry(key.clone()).or_default();
        if let Some(place) = lane.letters.iter().position(|later| later.name == letter.name)
            && let Some(Letter { number, content: Content::Count(series), .. }) = lane.letters.remove(place)
        {
            self.waiting[COUNT].remove(&number);
            letter.content.occurred(series);
        }
        self.waiting[letter.importance()].insert(letter.number, key.clone());
        lane.letters.push_front(letter);
        self.free(key);
    }

    /// When something that waits for its time can be sent; what can be sent now has been taken.
    pub(super) fn next_due(&self) -> Option<Moment> {
        let held = self.held.values().map(|held| held.until).min();
        if self.ready.is_empty() { held } else { self.paused.or(held) }
    }

    /// The number that the next request gets.
    pub(super) fn next_number(&self) -> u64 {
        self.next
    }

    /// Whether nothing with a lower number waits or is under way.
    pub(super) fn is_sent_before(&self, number: u64) -> bool {
        let first = [&self.waiting[0], &self.waiting[1]].into_iter().filter_map(|waiting| waiting.keys().next());
        first.chain(self.under_way.first()).min().is_none_or(|first| *first >= number)
    }

    /// How many requests wait or are under way.
    pub(super) fn len(&self) -> usize {
        self.waiting() + self.under_way.len()
    }

    fn waiting(&self) -> usize {
        self.waiting.iter().map(BTreeMap::len).sum()
    }

    /// Puts the lanes of namespaces whose time has come where they came from: in front.
    fn release(&mut self, now: Moment) {
        let due: Vec<String> =
            self.held.iter().filter(|(_, held)| held.until <= now).map(|(namespace, _)| namespace.clone()).collect();
        for held in due.iter().filter_map(|namespace| self.held.remove(namespace)) {
            held.lanes.into_iter().rev().for_each(|lane| self.ready.push_front(lane));
        }
    }

    fn free(&mut self, key: LaneKey) {
        let Some(lane) = self.lanes.get_mut(&key) else { return };
        lane.busy = false;
        if lane.letters.is_empty() {
            self.lanes.remove(&key);
        } else {
            lane.listed = true;
            self.ready.push_back(key);
        }
    }

    /// The oldest of what matters least.
    fn drop_one(&mut self) -> Option<Letter> {
        let (number, key) = self.waiting.iter_mut().find_map(BTreeMap::pop_first)?;
        // A lane that is empty now goes when its turn comes.
        let letters = &mut self.lanes.get_mut(&key)?.letters;
        let place = letters.iter().position(|letter| letter.number == number)?;
        letters.remove(place)
    }
}

impl Letter {
    /// Normal events and counts go before warnings when there is no room.
    fn importance(&self) -> usize {
        match &self.content {
            Content::Create(record, _) => usize::from(record.occurrence.event.kind == EventType::Warning),
            Content::Count(_) => COUNT,
        }
    }
}

impl Content {
    fn occurred(&mut self, now: Series) {
        match self {
            Self::Create(_, series) => *series = Some(now),
            Self::Count(series) => *series = now,
        }
    }
}

fn lane_key(namespace: &str, name: &str) -> LaneKey {
    let object = name.rsplit_once('.').map_or(name, |(object, _)| object);
    format!("{namespace}/{object}").into()
}
