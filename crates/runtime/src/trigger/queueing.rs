use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use indexmap::IndexSet;
use kubewright_core::filter::{Cause, Change, Filter};
use kubewright_core::flow::Delay;
use kubewright_core::queue::Lane;
use kubewright_machinery::object::{GroupKind, Key};
use tokio_util::sync::CancellationToken;

use super::describe::{Describe, Description};
use super::{News, follow};
use crate::controller::QueueHandle;
use crate::task::Tasks;
use crate::watch::ProjectedStore;

/// The keys that an object concerns.
type Mapper<P> = Box<dyn Fn(&Key, &P) -> Vec<Key> + Send + Sync>;

/// Queues keys when objects of a store come, change or go.
pub struct Trigger<P: Send + Sync + 'static> {
    store: ProjectedStore<P>,
    filter: Box<dyn Filter<P> + Send + Sync>,
    map: Mapper<P>,
    at_first: AtFirst,
    lane: Lane,
    debounce: Option<Delay>,
    forgets: bool,
    description: Description<P>,
}

/// The treatment of objects that are there when the trigger starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum AtFirst {
    /// Their keys are queued in the slow lane (QUE-7).
    Queued,
    /// No key is queued: the first passes read these objects anyway.
    Skipped,
}

impl<P: Send + Sync + 'static> Trigger<P> {
    /// Queues the key of the object itself (MAP-1).
    pub fn of_objects(store: ProjectedStore<P>) -> Self {
        Self::mapped(store, |key, _| vec![key.clone()])
    }

    /// Queues the keys that the mapper returns for the old and for the new state of an object, each key once (MAP-7, MAP-10).
    pub fn mapped(store: ProjectedStore<P>, map: impl Fn(&Key, &P) -> Vec<Key> + Send + Sync + 'static) -> Self {
        Self {
            store,
            filter: Box::new(|_: &Change<P>| true),
            map: Box::new(map),
            at_first: AtFirst::Queued,
            lane: Lane::Fast,
            debounce: None,
            forgets: false,
            description: Description::none(),
        }
    }

    /// Takes only changes that pass this filter, which replaces an earlier one. Default: all pass.
    #[must_use]
    pub fn filter(mut self, filter: impl Filter<P> + Send + Sync + 'static) -> Self {
        self.filter = Box::new(filter);
        self
    }

    /// Treats the objects that are there at first like this. Default: [`AtFirst::Queued`].
    #[must_use]
    pub fn at_first(mut self, at_first: AtFirst) -> Self {
        self.at_first = at_first;
        self
    }

    /// Queues keys in this lane. Default: fast. The keys of objects that are there at first go to the slow lane in any case.
    #[must_use]
    pub fn lane(mut self, lane: Lane) -> Self {
        self.lane = lane;
        self
    }

    /// Queues a key this long after the first change that concerns it; later changes join the first one and do not extend the wait (QUE-10).
    #[must_use]
    pub fn debounce(mut self, delay: Delay) -> Self {
        self.debounce = Some(delay);
        self
    }

    /// Drops what the controller remembers of an object that is gone, whether its deletion passes the filter or not (EF-2): for objects of the primary
    /// kind.
    #[must_use]
    pub fn forgetting(mut self) -> Self {
        self.forgets = true;
        self
    }

    /// Tells of each change that queues a key in which fields it is and who wrote it (WHY-2). Default: only the object is told.
    #[must_use]
    pub fn described(mut self) -> Self
    where
        P: Describe,
    {
        self.description = Description::of_states();
        self
    }

    /// Starts it. It ends when the token is cancelled, or when the tasks stop.
    pub fn start(self, name: impl Into<Cow<'static, str>>, queue: QueueHandle, tasks: &Tasks) -> CancellationToken {
        let stop = CancellationToken::new();
        self.start_until(name, queue, tasks, stop.clone());
        stop
    }

    /// Starts it, until the token is cancelled or the tasks stop.
    pub(crate) fn start_until(
        self,
        name: impl Into<Cow<'static, str>>,
        queue: QueueHandle,
        tasks: &Tasks,
        stop: CancellationToken,
    ) {
        let store = self.store.clone();
        let kind = Arc::new(store.kind().clone());
        follow(store, name, tasks, stop, move |news| {
            if let News::Changed(change) = news {
                self.told(&change, &kind, &queue);
            }
        });
    }

    fn told(&self, change: &Change<P>, kind: &Arc<GroupKind>, queue: &QueueHandle) {
        if self.forgets && change.new.is_none() {
            queue.forget(&change.key);
        }
        let is_first = change.cause == Cause::Initial;
        if is_first && self.at_first == AtFirst::Skipped || !self.filter.passes(change) {
            return;
        }
        let states = [change.old.as_deref(), change.new.as_deref()];
        let keys: IndexSet<Key> = states.into_iter().flatten().flat_map(|state| (self.map)(&change.key, state)).collect();
        if keys.is_empty() {
            return;
        }
        let cause = self.description.cause(kind, change);
        for key in keys {
            match (is_first, self.debounce) {
                (true, _) => queue.because(key, Lane::Slow, cause.clone()),
                (false, Some(delay)) => queue.because_after(key, delay, self.lane, cause.clone()),
                (false, None) => queue.because(key, self.lane, cause.clone()),
            }
        }
    }
}

impl<P: Send + Sync + 'static> fmt::Debug for Trigger<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trigger").field("store", &self.store).field("lane", &self.lane).finish_non_exhaustive()
    }
}
