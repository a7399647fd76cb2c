use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared, WeakShared};
use kubewright_core::time::Moment;
use kubewright_machinery::object::{GroupKind, GroupVersionKind};
use parking_lot::{Mutex, RwLock};
use tokio::sync::watch;

use super::super::{ApiError, ApiResource, Connection};
use super::documents;
use super::table::TypeTable;
use crate::defaults::TYPES_AGE;

/// The shortest interval between two reads of the table.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// The longest time that a caller whose type is known already waits for a newer table, counted from when that table was requested.
const PATIENCE: Duration = Duration::from_secs(1);

/// The types that a cluster serves, cached. Cheap to clone.
#[derive(Clone)]
pub struct Discovery {
    inner: Arc<SharedDiscovery>,
}

struct SharedDiscovery {
    connection: Arc<Connection>,
    cache: RwLock<DiscoveryCache>,
    /// The read under way, shared by all callers that wait for it; it is abandoned when none is left.
    reading: Mutex<Option<AwaitedRead>>,
    /// The number of reasons to read the table again.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct DiscoveryCache {
    table: Arc<TypeTable>,
    /// The number of reads begun so far. It orders reads, because two consecutive reads may begin at the same moment.
    begun: u64,
    /// The moment at which the last read began; `read_at` is the moment at which the last successful one began.
    begun_at: Option<Moment>,
    read_at: Option<Moment>,
    /// The number of announced changes of types; `answered` is the number of those that the table reflects.
    asked: u64,
    answered: u64,
    watched: bool,
}

/// The number of a read, and its result.
type Outcome = (u64, Result<(), Arc<ApiError>>);
type Read = BoxFuture<'static, Outcome>;

/// A read that callers wait for.
struct AwaitedRead {
    read: WeakShared<Read>,
    /// The moment at which the server was asked; empty while the read still waits for its interval.
    since: Arc<OnceLock<Moment>>,
}

impl Discovery {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        let inner =
            SharedDiscovery { connection, cache: RwLock::default(), reading: Mutex::default(), changes: watch::Sender::new(0) };
        Self { inner: Arc::new(inner) }
    }

    /// Returns the type in the version that the server prefers, or `None` if the server does not serve it.
    pub async fn resolve(&self, kind: &GroupKind) -> Result<Option<Arc<ApiResource>>, ApiError> {
        self.find(kind, None).await
    }

    /// Returns the type in exactly this version, or `None` if the server does not serve it.
    pub async fn resolve_gvk(&self, gvk: &GroupVersionKind) -> Result<Option<Arc<ApiResource>>, ApiError> {
        self.find(&gvk.group_kind(), Some(&gvk.version)).await
    }

    /// Returns the type like [`resolve_gvk`](Self::resolve_gvk). A version that is not served is an error that names the served ones.
    pub async fn require(&self, gvk: &GroupVersionKind) -> Result<Arc<ApiResource>, ApiError> {
        match self.resolve_gvk(gvk).await? {
            Some(resource) => Ok(resource),
            None => Err(ApiError::NotServed { gvk: gvk.clone(), served: self.table().versions(&gvk.group_kind()) }),
        }
    }

    /// Returns the cached type without a request. `None` means unknown, not absent.
    pub fn cached(&self, kind: &GroupKind, version: Option<&str>) -> Option<Arc<ApiResource>> {
        self.table().find(kind, version)
    }

    /// Returns the cached type that has this name in paths, without a request. `None` means unknown, not absent.
    pub(crate) fn cached_plural(&self, group: &str, version: &str, plural: &str) -> Option<Arc<ApiResource>> {
        let table = self.table();
        table.iter().find(|known| known.plural == plural && known.group == group && known.version == version).cloned()
    }

    /// Returns all types of the cluster.
    pub async fn all(&self) -> Result<Vec<Arc<ApiResource>>, ApiError> {
        let asked = self.inner.cache.read().asked;
        while self.inner.cache.read().is_older_than(asked, self.now()) {
            self.read().0.await.1.map_err(ApiError::Shared)?;
        }
        Ok(self.table().iter().cloned().collect())
    }

    /// Reads the types of the cluster regardless of the cache's age: no event tells that a silent group can list its types again.
    pub async fn look_again(&self) -> Result<(), ApiError> {
        let begun = self.inner.cache.read().begun;
        loop {
            let (number, result) = self.read().0.await;
            result.map_err(ApiError::Shared)?;
            if number > begun {
                return Ok(());
            }
        }
    }

    /// Returns the groups and versions that could not list their types when [`all`](Self::all) was last read, such as those of an aggregated service that is
    /// down. A type of these groups may exist although it was not found.
    pub fn silent(&self) -> Vec<(String, String)> {
        self.table().silent().iter().cloned().collect()
    }

    /// Returns the reason why a type that was not found may still exist: its group, or this version of it, is [silent](Self::silent).
    pub fn silence(&self, group: &str, version: Option<&str>) -> Option<ApiError> {
        let table = self.table();
        let mut silent = table.silent().iter();
        let (group, version) = silent.find(|(silent, of)| silent == group && version.is_none_or(|version| version == of))?;
        Some(ApiError::Silent { group: group.clone(), version: version.clone() })
    }

    /// Marks the table as outdated, so that it is read again before its next use, and wakes the tasks that wait for changes of types.
    pub fn invalidate(&self) {
        self.inner.cache.write().asked += 1;
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Marks the table as outdated without waking the tasks that wait for changes: for a caller that knows that an earlier read may have come too soon.
    pub fn outdate(&self) {
        self.inner.cache.write().asked += 1;
    }

    /// Returns a receiver that changes when types may have been added or removed.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// Sets whether definitions are watched; if they are, age alone does not outdate the table.
    pub(crate) fn set_watched(&self, watched: bool) {
        self.inner.cache.write().watched = watched;
    }

    async fn find(&self, kind: &GroupKind, version: Option<&str>) -> Result<Option<Arc<ApiResource>>, ApiError> {
        if let Some(known) = self.table().find(kind, version) {
            return Ok(if self.renew().await { self.table().find(kind, version) } else { Some(known) });
        }
        let begun = self.inner.cache.read().begun;
        loop {
            let (number, result) = self.read().0.await;
            let found = self.table().find(kind, version);
            if found.is_none() {
                result.map_err(ApiError::Shared)?;
            }
            // A read that was already under way when this call began may have missed the type.
            if found.is_some() || number > begun {
                return Ok(found);
            }
        }
    }

    /// Reads the table if it is outdated, and returns true if it is newer now. A slow server does not delay callers whose type is already known for long.
    async fn renew(&self) -> bool {
        let now = self.now();
        let begun_at = {
            let cache = self.inner.cache.read();
            if !cache.is_older_than(cache.asked, now) {
                return false;
            }
            cache.begun_at
        };
        let running = self.running().map(|(read, since)| (read, since.get().copied()));
        let (read, since) = match running {
            Some((read, Some(since))) => (read, since),
            // The running read still waits because of the limit of one read per second.
            Some((_, None)) => return false,
            None if begun_at.is_some_and(|at| now.since(at) < SHORTEST_INTERVAL) => return false,
            None => {
                let (read, _) = self.read();
                self.keep(read.clone());
                (read, now)
            }
        };
        let patience = PATIENCE.saturating_sub(now.since(since));
        if patience.is_zero() {
            return false;
        }
        match self.inner.connection.clock().limit(patience, read).await {
            Ok((_, Ok(()))) => true,
            Ok((_, Err(error))) => {
                tracing::debug!(%error, "discovery keeps its previous answer");
                false
            }
            Err(_) => false,
        }
    }

    /// Lets a read end even if no caller waits for it any more.
    fn keep(&self, read: Shared<Read>) {
        let tasks = self.inner.connection.tasks();
        let stopping = tasks.stopping();
        let task = async move {
            tokio::select! {
                () = stopping.cancelled() => {}
                _ = read => {}
            }
        };
        tasks.spawn("discovery", task).detach();
    }

    fn running(&self) -> Option<(Shared<Read>, Arc<OnceLock<Moment>>)> {
        self.inner.reading.lock().as_ref().and_then(AwaitedRead::join)
    }

    /// Returns the read that is under way, or begins a new one.
    fn read(&self) -> (Shared<Read>, Arc<OnceLock<Moment>>) {
        let mut reading = self.inner.reading.lock();
        if let Some(running) = reading.as_ref().and_then(AwaitedRead::join) {
            return running;
        }
        let since = Arc::new(OnceLock::new());
        let (this, begun) = (self.clone(), since.clone());
        let read: Read = async move {
            let outcome = this.read_now(&begun).await;
            *this.inner.reading.lock() = None;
            outcome
        }
        .boxed();
        let read = read.shared();
        *reading = read.downgrade().map(|read| AwaitedRead { read, since: since.clone() });
        (read, since)
    }

    async fn read_now(&self, since: &OnceLock<Moment>) -> Outcome {
        let last = self.inner.cache.read().begun_at;
        if let Some(last) = last {
            self.inner.connection.clock().sleep_until(last + SHORTEST_INTERVAL).await;
        }
        let now = self.now();
        since.get_or_init(|| now);
        // A change that is announced from here on may be missing in the answer.
        let (number, asked) = {
            let mut cache = self.inner.cache.write();
            cache.begun += 1;
            cache.begun_at = Some(now);
            (cache.begun, cache.asked)
        };
        // The callers may stop waiting here, and the request may fail: then no announced change counts as answered.
        let table = match documents::read(&self.inner.connection, &self.table()).await {
            Ok(table) => table,
            Err(error) => return (number, Err(Arc::new(error))),
        };
        let mut cache = self.inner.cache.write();
        cache.table = Arc::new(table);
        cache.answered = asked;
        cache.read_at = Some(now);
        (number, Ok(()))
    }

    fn table(&self) -> Arc<TypeTable> {
        self.inner.cache.read().table.clone()
    }

    fn now(&self) -> Moment {
        self.inner.connection.clock().moment()
    }
}

impl AwaitedRead {
    /// Returns the read, or `None` if no caller waits for it any more.
    fn join(&self) -> Option<(Shared<Read>, Arc<OnceLock<Moment>>)> {
        Some((self.read.upgrade()?, self.since.clone()))
    }
}

impl DiscoveryCache {
    /// Returns true if the table was read before this number of announced changes, or is too old.
    fn is_older_than(&self, asked: u64, now: Moment) -> bool {
        asked > self.answered || self.read_at.is_none_or(|at| !self.watched && now.since(at) >= TYPES_AGE)
    }
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discovery").field("cluster", &self.inner.connection.name()).finish_non_exhaustive()
    }
}
