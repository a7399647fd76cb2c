//! The waiting event requests: their order, their delays, and the removal of the least important when there is no more room.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use jiff::Timestamp;
use kubewright_core::events::{EventDecision, EventRecord};
use kubewright_core::flow::EventType;
use kubewright_core::time::Moment;

/// The number of letters that may wait: enough for the events that the components of a large operator record at once; they take 8 MB.
pub(super) const ROOM: usize = 16_384;

/// The index of the queue in which counts wait. Its letters are dropped first when there is no room.
const COUNT: usize = 0;

/// The event requests that wait, and those that are under way.
///
/// The events about one object are sent in order and one at a time. Events about different objects only wait for each other if the server is the cause.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    lanes: HashMap<LaneKey, LetterLane>,
    /// The lanes that have something to send, each once, in the order in which they came.
    ready: VecDeque<LaneKey>,
    /// The namespaces to which nothing is sent for a while, each with the lanes that wait for it.
    held: BTreeMap<String, HeldLanes>,
    /// The moment before which nothing is sent.
    paused: Option<Moment>,
    /// The waiting letters in the order in which they came: first normal events and counts, then warnings.
    waiting: [BTreeMap<u64, LaneKey>; 2],
    under_way: BTreeSet<u64>,
    next: u64,
}

/// The lane of an object: namespace and name of its events, without the suffix that makes a name distinct.
type LaneKey = Arc<str>;

#[derive(Debug, Default)]
struct LetterLane {
    letters: VecDeque<Letter>,
    /// True while one of its letters is under way.
    busy: bool,
    /// True while the lane waits for its turn.
    listed: bool,
}

#[derive(Debug)]
struct HeldLanes {
    until: Moment,
    lanes: Vec<LaneKey>,
}

/// A request of one event.
#[derive(Debug)]
pub(super) struct Letter {
    number: u64,
    lane: LaneKey,
    pub(super) namespace: String,
    /// The name of the event object.
    pub(super) name: String,
    pub(super) content: LetterContent,
    /// The number of attempts so far.
    pub(super) tries: u32,
}

/// The content of a request.
#[derive(Debug)]
pub(super) enum LetterContent {
    /// A new event object, with the number of occurrences if that is more than one.
    Create(Box<EventRecord>, Option<Series>),
    /// A new number of occurrences of an event.
    Count(Series),
}

/// The number of occurrences of an event, and the time of the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Series {
    pub(super) count: u32,
    pub(super) last: Timestamp,
}

/// The scope of the requests that must wait when a request fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HoldScope {
    /// The events of this namespace, because something in it may reject them.
    Namespace,
    /// All events, because the server is busy or unreachable.
    Server,
}

impl Outbox {
    /// Adds a decided request, and returns the letter that is dropped to make room for it. A waiting letter absorbs later counts of its event.
    pub(super) fn put(&mut self, decision: EventDecision) -> Option<Letter> {
        let (namespace, name, content) = match decision {
            EventDecision::Create(record) => (record.namespace.clone(), record.name.clone(), LetterContent::Create(record, None)),
            EventDecision::Count { namespace, name, count, last } => {
                (namespace, name, LetterContent::Count(Series { count, last }))
            }
            _ => return None,
        };
        let key = lane_key(&namespace, &name);
        let lane = self.lanes.entry(key.clone()).or_default();
        if let LetterContent::Count(series) = &content
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

    /// Takes the next request that can be sent now; [`done`](Self::done) or [`again`](Self::again) must follow.
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

    /// Ends a letter that was sent or abandoned.
    pub(super) fn done(&mut self, letter: &Letter) {
        self.under_way.remove(&letter.number);
        self.free(letter.lane.clone());
    }

    /// Puts a letter back at its former position, to be sent again at this moment; the wait also applies to the other letters in the scope.
    pub(super) fn again(&mut self, mut letter: Letter, until: Moment, scope: HoldScope) {
        match scope {
            HoldScope::Server => self.paused = self.paused.max(Some(until)),
            HoldScope::Namespace => {
                let held = self.held.entry(letter.namespace.clone()).or_insert(HeldLanes { until, lanes: Vec::new() });
                held.until = held.until.max(until);
            }
        }
        self.under_way.remove(&letter.number);
        let key = letter.lane.clone();
        let lane = self.lanes.entry(key.clone()).or_default();
        if let Some(index) = lane.letters.iter().position(|later| later.name == letter.name)
            && let Some(Letter { number, content: LetterContent::Count(series), .. }) = lane.letters.remove(index)
        {
            self.waiting[COUNT].remove(&number);
            letter.content.occurred(series);
        }
        self.waiting[letter.importance()].insert(letter.number, key.clone());
        lane.letters.push_front(letter);
        self.free(key);
    }

    /// Returns the moment at which a delayed letter can be sent; letters that can be sent now have been taken already.
    pub(super) fn next_due(&self) -> Option<Moment> {
        let held = self.held.values().map(|held| held.until).min();
        if self.ready.is_empty() { held } else { self.paused.or(held) }
    }

    /// Returns the number of the next request.
    pub(super) fn next_number(&self) -> u64 {
        self.next
    }

    /// Returns true if no letter with a lower number waits or is under way.
    pub(super) fn is_sent_before(&self, number: u64) -> bool {
        let first = [&self.waiting[0], &self.waiting[1]].into_iter().filter_map(|waiting| waiting.keys().next());
        first.chain(self.under_way.first()).min().is_none_or(|first| *first >= number)
    }

    /// Returns the number of requests that wait or are under way.
    pub(super) fn len(&self) -> usize {
        self.waiting() + self.under_way.len()
    }

    fn waiting(&self) -> usize {
        self.waiting.iter().map(BTreeMap::len).sum()
    }

    /// Puts the lanes of namespaces whose delay is over back to the front.
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

    /// Removes the oldest letter of the lowest importance.
    fn drop_one(&mut self) -> Option<Letter> {
        let (number, key) = self.waiting.iter_mut().find_map(BTreeMap::pop_first)?;
        // A lane that is empty now is removed when its turn comes.
        let letters = &mut self.lanes.get_mut(&key)?.letters;
        let index = letters.iter().position(|letter| letter.number == number)?;
        letters.remove(index)
    }
}

impl Letter {
    /// Returns the importance: normal events and counts are dropped before warnings when there is no room.
    fn importance(&self) -> usize {
        match &self.content {
            LetterContent::Create(record, _) => usize::from(record.occurrence.event.kind == EventType::Warning),
            LetterContent::Count(_) => COUNT,
        }
    }
}

impl LetterContent {
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
