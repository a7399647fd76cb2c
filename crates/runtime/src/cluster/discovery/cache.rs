use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kubewright_core::time::Moment;
use kubewright_machinery::object::{GroupKind, GroupVersionKind};
use parking_lot::RwLock;
use tokio::sync::{Mutex, watch};

use super::super::{ApiError, ApiResource, Connection};
use super::documents;
use super::table::Table;

/// The table is read at most this often.
const SHORTEST_INTERVAL: Duration = Duration::from_secs(1);

/// Without a watch on definitions, a table of this age is read again when it is next used.
const UNWATCHED_AGE: Duration = Duration::from_secs(600);

/// The types that a cluster serves, cached. Cheap to clone.
#[derive(Clone)]
pub struct Discovery {
    inner: Arc<Inner>,
}

struct Inner {
    connection: Arc<Connection>,
    cache: RwLock<Cache>,
    /// One read at a time; what waits behind it finds the fresh table.
    reading: Mutex<()>,
    /// Counts the reasons to look again.
    changes: watch::Sender<u64>,
}

#[derive(Default)]
struct Cache {
    table: Arc<Table>,
    /// Reads begun so far, and which of them gave the table. Moments would not tell two in a row apart.
    begun: u64,
    read: u64,
    /// When the read of this table started.
    read_at: Option<Moment>,
    /// How often somebody said that types changed, and how many of these the table has answered.
    asked: u64,
    answered: u64,
    watched: bool,
}

impl Discovery {
    pub(crate) fn new(connection: Arc<Connection>) -> Self {
        let inner = Inner { connection, cache: RwLock::default(), reading: Mutex::new(()), changes: watch::Sender::new(0) };
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

    /// All types of the cluster.
    pub async fn all(&self) -> Result<Vec<Arc<ApiResource>>, ApiError> {
        self.refresh_if(|cache| cache.outdated(self.now())).await?;
        Ok(self.table().iter().cloned().collect())
    }

    /// Groups and versions that could not tell their types when [`all`](Self::all) was last read, such as that of an aggregated
    /// service that is down: of these, absent does not mean that a type does not exist.
    pub fn silent(&self) -> Vec<(String, String)> {
        self.table().silent().iter().cloned().collect()
    }

    /// The table is read again before its next use, and whoever waits for a type looks again.
    pub fn invalidate(&self) {
        self.inner.cache.write().asked += 1;
        self.inner.changes.send_modify(|count| *count += 1);
    }

    /// Tells when types may have come or gone.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.inner.changes.subscribe()
    }

    /// While definitions are watched, age alone does not outdate the table.
    pub(crate) fn set_watched(&self, watched: bool) {
        self.inner.cache.write().watched = watched;
    }

    async fn find(&self, kind: &GroupKind, version: Option<&str>) -> Result<Option<Arc<ApiResource>>, ApiError> {
        let (asked, begun) = (self.now(), self.inner.cache.read().begun);
        if let Some(known) = self.table().find(kind, version) {
            // A known type may be used while the table is being limited to one read per second.
            let due =
                |cache: &Cache| cache.outdated(asked) && cache.read_at.is_none_or(|at| passed(at, asked) >= SHORTEST_INTERVAL);
            if let Err(error) = self.refresh_if(due).await {
                tracing::debug!(%error, "discovery keeps what it knew");
                return Ok(Some(known));
            }
        } else {
            // A read that was under way when we asked may have missed the type, but need not have.
            self.refresh_if(|cache| cache.read <= begun && cache.table.find(kind, version).is_none()).await?;
        }
        Ok(self.table().find(kind, version))
    }

    /// Reads the table if `wanted` still holds once nobody else is reading it.
    async fn refresh_if(&self, wanted: impl Fn(&Cache) -> bool) -> Result<(), ApiError> {
        if !wanted(&self.inner.cache.read()) {
            return Ok(());
        }
        let _reading = self.inner.reading.lock().await;
        let last = {
            let cache = self.inner.cache.read();
            if !wanted(&cache) {
                return Ok(());
            }
            cache.read_at
        };
        if let Some(last) = last {
            self.inner.connection.clock().sleep_until(Moment(last.0 + SHORTEST_INTERVAL)).await;
        }
        let started = self.now();
        // What is announced from here on may be missing in the answer.
        let (read, asked) = {
            let mut cache = self.inner.cache.write();
            cache.begun += 1;
            (cache.begun, cache.asked)
        };
        // Whoever waits may give up here, and the request may fail: then nothing is answered.
        let table = documents::read(&self.inner.connection, &self.table()).await?;
        let mut cache = self.inner.cache.write();
        cache.table = Arc::new(table);
        cache.read = read;
        cache.answered = asked;
        cache.read_at = Some(started);
        Ok(())
    }

    fn table(&self) -> Arc<Table> {
        self.inner.cache.read().table.clone()
    }

    fn now(&self) -> Moment {
        self.inner.connection.clock().moment()
    }
}

impl Cache {
    fn outdated(&self, now: Moment) -> bool {
        self.asked > self.answered || self.read_at.is_none_or(|at| !self.watched && passed(at, now) >= UNWATCHED_AGE)
    }
}

fn passed(from: Moment, to: Moment) -> Duration {
    to.0.saturating_sub(from.0)
}

impl fmt::Debug for Discovery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Discovery").field("cluster", &self.inner.connection.name()).finish_non_exhaustive()
    }
}
