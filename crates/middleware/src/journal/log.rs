//! The journal: a ring of records.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures::{Stream, stream};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;
use tower::Layer;
use tower::layer::layer_fn;

use super::record::Record;
use super::records::Records;
use super::service::JournalService;
use crate::clock::Clock;

/// The default number of records that are kept.
const CAPACITY: usize = 100_000;

/// A function that returns the object in a request body that is not JSON, such as a protobuf body, or `None` if it cannot.
pub type BodyDecoder = fn(&[u8]) -> Option<Value>;

/// A record of all requests that pass its layers. It is cheap to clone; clones share the records.
#[derive(Clone)]
pub struct Journal {
    shared: Arc<SharedJournal>,
}

struct SharedJournal {
    clock: Clock,
    /// True if bodies are kept; read with each request.
    keeps_bodies: AtomicBool,
    decoder: Mutex<BodyDecoder>,
    ring: Mutex<Ring>,
    /// The number of the newest record that will not change any more, which wakes streams.
    newest: watch::Sender<u64>,
}

struct Ring {
    records: VecDeque<Arc<Record>>,
    next_number: u64,
    capacity: usize,
}

/// A position in the journal, from which on records are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Mark(u64);

impl Record {
    /// Returns the position just before this request.
    pub fn mark(&self) -> Mark {
        Mark(self.number)
    }
}

impl Journal {
    /// Creates an empty journal that keeps the last 100,000 requests.
    pub fn new(clock: Clock) -> Self {
        Self {
            shared: Arc::new(SharedJournal {
                clock,
                keeps_bodies: AtomicBool::new(false),
                decoder: Mutex::new(|_| None),
                ring: Mutex::new(Ring { records: VecDeque::new(), next_number: 1, capacity: CAPACITY }),
                newest: watch::Sender::new(0),
            }),
        }
    }

    /// Sets the number of requests that are kept from now on; at least one.
    pub fn keep(&self, capacity: usize) {
        let mut ring = self.shared.ring.lock();
        ring.capacity = capacity.max(1);
        while ring.oldest_in_excess().is_some() {}
    }

    /// Turns the recording of request bodies and committed changes on or off; off by default.
    pub fn keep_bodies(&self, keep: bool) {
        self.shared.keeps_bodies.store(keep, Ordering::Release);
    }

    pub(super) fn keeps_bodies(&self) -> bool {
        self.shared.keeps_bodies.load(Ordering::Acquire)
    }

    /// Sets the decoder of request bodies that are not JSON. Without one, only bodies in JSON are kept.
    pub fn decode_bodies(&self, decode: BodyDecoder) {
        *self.shared.decoder.lock() = decode;
    }

    /// Returns the object in a request body.
    pub(super) fn decode(&self, body: &[u8]) -> Option<Value> {
        let decoder = *self.shared.decoder.lock();
        serde_json::from_slice(body).ok().or_else(|| decoder(body))
    }

    /// Returns a layer that records into this journal.
    pub fn layer<S>(&self) -> impl Layer<S, Service = JournalService<S>> + Clone + use<S> {
        let journal = self.clone();
        layer_fn(move |inner| JournalService { inner, journal: journal.clone() })
    }

    /// Returns the current end of the journal.
    pub fn mark(&self) -> Mark {
        Mark(self.shared.ring.lock().next_number)
    }

    /// Returns all requests that are still kept.
    pub fn all(&self) -> Records {
        self.since(Mark(0))
    }

    /// Returns the requests that arrived after the mark was taken, in order of arrival.
    pub fn since(&self, mark: Mark) -> Records {
        let ring = self.shared.ring.lock();
        Records::new(ring.records.iter().filter(|record| record.number >= mark.0).cloned().collect())
    }

    /// Returns a stream of the requests after the mark, and then of each new one as soon as it is answered. A stream that is read more slowly than
    /// the ring turns skips records.
    pub fn stream(&self, mark: Mark) -> impl Stream<Item = Arc<Record>> + use<> {
        let journal = self.clone();
        let newest = self.shared.newest.subscribe();
        stream::unfold((journal, newest, mark, VecDeque::new()), |(journal, mut newest, mut mark, mut ready)| async move {
            loop {
                if let Some(record) = ready.pop_front() {
                    return Some((record, (journal, newest, mark, ready)));
                }
                newest.borrow_and_update();
                ready = journal.shared.ring.lock().settled_from(mark);
                if let Some(last) = ready.back() {
                    mark = Mark(last.number + 1);
                } else {
                    newest.changed().await.ok()?;
                }
            }
        })
    }

    /// Removes all records and restarts the numbers at 1, to hide the requests of a server's own start.
    pub fn reset(&self) {
        let mut ring = self.shared.ring.lock();
        ring.records.clear();
        ring.next_number = 1;
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.shared.clock
    }

    /// Adds a record and returns its number.
    pub(super) fn open(&self, record: Record) -> u64 {
        let mut record = Arc::new(record);
        let mut ring = self.shared.ring.lock();
        let number = ring.next_number;
        Arc::make_mut(&mut record).number = number;
        ring.next_number += 1;
        ring.records.push_back(record);
        let forgotten = ring.oldest_in_excess();
        // The record is dropped after the lock is released, so that other requests do not wait.
        drop(ring);
        drop(forgotten);
        number
    }

    /// Adds the record of a write that a server's own controller made without a request. Its number is set by the journal.
    pub fn add(&self, record: Record) {
        let number = self.open(record);
        self.ring_bell(number);
    }

    /// Changes a record, if it is still kept.
    pub(super) fn amend(&self, number: u64, change: impl FnOnce(&mut Record)) {
        let mut ring = self.shared.ring.lock();
        let first = ring.next_number - ring.records.len() as u64;
        if let Some(record) = number.checked_sub(first).and_then(|index| ring.records.get_mut(index as usize)) {
            change(Arc::make_mut(record));
        }
        drop(ring);
        self.ring_bell(number);
    }

    fn ring_bell(&self, number: u64) {
        if self.shared.newest.receiver_count() > 0 {
            self.shared.newest.send_replace(number);
        }
    }
}

impl Ring {
    /// Removes the oldest record if the ring is over its capacity.
    fn oldest_in_excess(&mut self) -> Option<Arc<Record>> {
        if self.records.len() > self.capacity { self.records.pop_front() } else { None }
    }

    /// Returns the records from the mark up to the first that is still being handled, so that a stream keeps their order.
    fn settled_from(&self, mark: Mark) -> VecDeque<Arc<Record>> {
        let waiting = |record: &&Arc<Record>| record.outcome != super::Outcome::Running;
        self.records.iter().filter(|record| record.number >= mark.0).take_while(waiting).cloned().collect()
    }
}

impl fmt::Debug for Journal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ring = self.shared.ring.lock();
        formatter
            .debug_struct("Journal")
            .field("records", &ring.records.len())
            .field("next_number", &ring.next_number)
            .finish_non_exhaustive()
    }
}
