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
use super::table::Table;

/// The table is read at most this often.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// Without a watch on definitions, a table of this age is read again when it is next used.
const UNWATCHED_AGE: Duration = Duration::from_secs(600);

/// Whoever knows a type already waits so long for a newer table, counted from when it was asked for.
const PATIENCE: Duration = Duration::from_secs(1);

/// The types that a cluster serves, cached. Cheap to clone.
#[derive(Clone)]
pub struct Discovery {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Arc<Connection>,
    cache: RwLock<Cache>,
    /// One read at a time, for all who wait for it; it is given up when nobody does.
    reading: Mutex<Option<Reading>>,
    /// Counts the reasons to look again.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Cache {
    table: Arc<Table>,
    /// Reads begun so far. Moments would not tell two in a row apart.
    begun: u64,
    /// When the last read began, and the last one that succeeded.
    begun_at: Option<Moment>,
    read_at: Option<Moment>,
    /// How often somebody said that types changed, and how many of these the table has answered.
    asked: u64,
    answered: u64,
    watched: bool,
}

/// The number of the read, and how it went.
type Outcome = (u64, Result<(), Arc<ApiError>>);
type Read = BoxFuture<'static, Outcome>;

/// A read that somebody waits for.
struct Reading {
    read: WeakShared<Read>,
    /// When the server was asked; before that, it is not time yet.
    since: Arc<OnceLock<Moment>>,
}

impl Discovery {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        let inner = Inner { connection, cache: RwLock::default(), reading: Mutex::default(), changes: watch::Sender::new(0) };
        Self { inner: Arc::new(inner) }
    }

    /// The type in the version that the server prefers; `None` when the server does not have it.
    pub async fn resolve(&self, kind: &GroupKind) -> Result<Option<Arc<ApiResource>>, ApiError> {
        self.find(kind, None).await
    }

    /// The type in this very version; `None` when the server does not have it.
    pub async fn resolve_gvk(&self, gvk: &GroupVersionKind) -> Result<Option<Arc<ApiResource>>, ApiError> {
        self.find(&gvk.group_kind(), Some(&gvk.version)).await
    }

    /// Like [`resolve_gvk`](Self::resolve_gvk), but not served is an error that names the versions that are.
    pub async fn require(&self, gvk: &GroupVersionKind) -> Result<Arc<ApiResource>, ApiError> {
        match self.resolve_gvk(gvk).await? {
            Some(resource) => Ok(resource),
            None => Err(ApiError::NotServed { gvk: gvk.clone(), served: self.table().versions(&gvk.group_kind()) }),
        }
    }

    /// What the cache says, without a request. `None` means unknown, not absent.
    pub fn cached(&self, kind: &GroupKind, version: Option<&str>) -> Option<Arc<ApiResource>> {
        self.table().find(kind, version)
    }

    /// What the cache says of the type with this name in paths, without a request. `None` means unknown, not absent.
    pub(crate) fn cached_plural(&self, group: &str, version: &str, plural: &str) -> Option<Arc<ApiResource>> {
        let table = self.table();
        table.iter().find(|known| known.plural == plural && known.group == group && known.version == version).cloned()
    }

    /// All types of the cluster.
    pub async fn all(&self) -> Result<Vec<Arc<ApiResource>>, ApiError> {
        let asked = self.inner.cache.read().asked;
        while self.inner.cache.read().is_older_than(asked, self.now()) {
            self.read().0.await.1.map_err(ApiError::Shared)?;
        }
        Ok(self.table().iter().cloned().collect())
    }

    /// Reads the types of the cluster, however new the cache is: no event tells when a silent group can tell its types again.
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

    /// Groups and versions that could not tell their types when [`all`](Self::all) was last read, such as that of an aggregated
    /// service that is down: of these, absent does not mean that a type does not exist.
    pub fn silent(&self) -> Vec<(String, String)> {
        self.table().silent().iter().cloned().collect()
    }

    /// Why a type that was not found may exist all the same: its group, or this version of it, is [silent](Self::silent).
    pub fn silence(&self, group: &str, version: Option<&str>) -> Option<ApiError> {
        let table = self.table();
        let mut silent = table.silent().iter();
        let (group, version) = silent.find(|(silent, of)| silent == group && version.is_none_or(|version| version == of))?;
        Some(ApiError::Silent { group: group.clone(), version: version.clone() })
    }

    /// The table is read again before its next use, and whoever waits for a type looks again.
    pub fn invalidate(&self) {
        self.inner.cache.write().asked += 1;
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Has the table read again before its next use, without telling the tasks that wait for changes: for a caller that knows that an earlier
    /// read may have come too soon.
    pub fn outdate(&self) {
        self.inner.cache.write().asked += 1;
    }

    /// Tells when types may have come or gone.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// While definitions are watched, age alone does not outdate the table.
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
            // A read that was under way when we asked may have missed the type, but need not have.
            if found.is_some() || number > begun {
                return Ok(found);
            }
        }
    }

    /// Reads the table if it is outdated; whether it is a newer one now. A server that takes long does not keep those waiting who
    /// know what they ask for.
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
            // The table is being limited to one read per second.
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
                tracing::debug!(%error, "discovery keeps what it knew");
                false
            }
            Err(_) => false,
        }
    }

    /// Lets a read end although nobody may wait for it.
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
        self.inner.reading.lock().as_ref().and_then(Reading::join)
    }

    /// The read that is under way, or a new one.
    fn read(&self) -> (Shared<Read>, Arc<OnceLock<Moment>>) {
        let mut reading = self.inner.reading.lock();
        if let Some(running) = reading.as_ref().and_then(Reading::join) {
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
        *reading = read.downgrade().map(|read| Reading { read, since: since.clone() });
        (read, since)
    }

    async fn read_now(&self, since: &OnceLock<Moment>) -> Outcome {
        let last = self.inner.cache.read().begun_at;
        if let Some(last) = last {
            self.inner.connection.clock().sleep_until(last + SHORTEST_INTERVAL).await;
        }
        let now = self.now();
        since.get_or_init(|| now);
        // What is announced from here on may be missing in the answer.
        let (number, asked) = {
            let mut cache = self.inner.cache.write();
            cache.begun += 1;
            cache.begun_at = Some(now);
            (cache.begun, cache.asked)
        };
        // Whoever waits may give up here, and the request may fail: then nothing is answered.
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

    fn table(&self) -> Arc<Table> {
        self.inner.cache.read().table.clone()
    }

    fn now(&self) -> Moment {
        self.inner.connection.clock().moment()
    }
}

impl Reading {
    /// `None` when nobody waits for it any more.
    fn join(&self) -> Option<(Shared<Read>, Arc<OnceLock<Moment>>)> {
        Some((self.read.upgrade()?, self.since.clone()))
    }
}

impl Cache {
    /// Whether the table is from before that many changes, or of too great an age.
    fn is_older_than(&self, asked: u64, now: Moment) -> bool {
        asked > self.answered || self.read_at.is_none_or(|at| !self.watched && now.since(at) >= UNWATCHED_AGE)
    }
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discovery").field("cluster", &self.inner.connection.name()).finish_non_exhaustive()
    }
}
