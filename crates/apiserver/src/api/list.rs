//! Lists: their version, selection and continuation (apiserver.md, 2.8).

use std::sync::Arc;
use std::time::Duration;

use super::selection::Selection;
use super::token::Continue;
use super::{ObjectApi, resource_of};
use crate::kinds::KindSpec;
use crate::status::Status;
use crate::store::{ObjectName, Resource, Snapshot, Stored};

/// The maximum wait for a version that does not exist yet (CRUD-4).
const PATIENCE: Duration = Duration::from_secs(3);

/// The parameters of a list.
#[derive(Clone, Debug)]
pub(crate) struct ListQuery {
    pub(crate) namespace: Option<String>,
    pub(crate) selection: Selection,
    pub(crate) limit: usize,
    pub(crate) next: Option<Continue>,
    pub(crate) version: Version,
}

/// The version of the content that a request asks for (LIST-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// The most recent version.
    Latest,
    /// Any version.
    Any,
    /// This version or a later one.
    NotOlderThan(u64),
    /// Exactly this version.
    Exact(u64),
}

/// Continuation and version of a list.
#[derive(Clone, Debug, Default)]
pub(crate) struct PageMetadata {
    /// The revision of the store that was read; 0 for a list that is computed and not stored.
    pub(crate) revision: u64,
    /// The start of the next page.
    pub(crate) next: Option<String>,
    /// The number of remaining objects, if it is known.
    pub(crate) remaining: Option<usize>,
}

impl ObjectApi {
    /// Waits for a version that does not exist yet, for a limited time (CRUD-4).
    pub(crate) async fn reach(&self, revision: u64) -> Result<(), Status> {
        let deadline = self.clock.moment() + PATIENCE;
        while self.store.revision() < revision {
            if self.clock.moment() >= deadline {
                return Err(Status::too_large_version(revision, self.store.revision()));
            }
            self.clock.sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Reads one page of a list.
    pub(crate) async fn list(&self, kind: &KindSpec, query: &ListQuery) -> Result<(Vec<Arc<Stored>>, PageMetadata), Status> {
        let resource = resource_of(kind);
        let expired = || Status::expired("The resourceVersion for the provided list is too old.");
        let snapshot = match (&query.next, query.version) {
            (Some(next), _) if next.rv > 0 => {
                self.store.snapshot_at(&resource, next.rv as u64).map_err(|_| Self::continue_expired(next))?
            }
            (_, Version::Exact(revision)) => {
                self.reach(revision).await?;
                self.store.snapshot_at(&resource, revision).map_err(|_| expired())?
            }
            (_, Version::NotOlderThan(revision)) => {
                self.reach(revision).await?;
                self.cached(&resource, revision)
            }
            (None, Version::Any) => self.cached(&resource, 0),
            _ => self.store.snapshot(),
        };
        Ok(self.page(kind, query, &snapshot))
    }

    /// Returns a snapshot that is at least as new as asked for: the current one, unless a test makes the cache lag behind (FLT-4).
    fn cached(&self, resource: &Resource, least: u64) -> Snapshot {
        let now = self.store.snapshot();
        let stale = self.disturbances.stale_revision(resource, now.revision()).map(|stale| stale.max(least));
        stale.and_then(|stale| self.store.snapshot_at(resource, stale).ok()).unwrap_or(now)
    }

    fn page(&self, kind: &KindSpec, query: &ListQuery, snapshot: &Snapshot) -> (Vec<Arc<Stored>>, PageMetadata) {
        let resource = resource_of(kind);
        let namespace = query.namespace.as_deref();
        let mut meta = PageMetadata { revision: snapshot.revision(), ..PageMetadata::default() };
        if let (Some(name), Some(namespace)) =
            (query.selection.name(), namespace.or_else(|| (!kind.is_namespaced()).then_some("")))
        {
            let found = snapshot.get(&resource, &ObjectName::new(namespace, name)).map(|stored| self.view(kind, stored));
            return (found.filter(|view| query.selection.matches(kind, view.value())).into_iter().collect(), meta);
        }
        let after = query.next.as_ref().map(|next| next.last(namespace));
        let mut rest = snapshot
            .list_after(&resource, namespace, after.as_ref())
            .map(|(name, stored)| (name, self.view(kind, stored)))
            .filter(|(_, view)| query.selection.matches(kind, view.value()));
        let limit = if query.limit == 0 { usize::MAX } else { query.limit };
        let page: Vec<_> = rest.by_ref().take(limit).collect();
        if page.len() == limit {
            let exact = query.selection.is_everything();
            // Without a selector the number of remaining objects is known without matching them.
            let remaining = if exact && after.is_none() {
                snapshot.count_in(&resource, namespace) - page.len()
            } else if exact {
                snapshot.list_after(&resource, namespace, page.last().map(|(name, _)| *name)).count()
            } else {
                usize::from(rest.next().is_some())
            };
            if remaining > 0 {
                let last = page.last().map(|(name, _)| (*name).clone());
                meta.next = last.map(|last| Continue::after(snapshot.revision() as i64, &last, namespace.is_some()).encode());
                meta.remaining = exact.then_some(remaining);
            }
        }
        (page.into_iter().map(|(_, view)| view).collect(), meta)
    }

    /// Returns the error for an expired continue token. It holds a token with which the remainder can be read in its current state (LIST-4).
    fn continue_expired(next: &Continue) -> Status {
        let mut fresh = next.clone();
        fresh.rv = -1;
        let mut status = Status::expired(
            "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue \
             parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided \
             token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was \
             returned and now may show up in the list.",
        );
        status.continue_token = Some(fresh.encode());
        status
    }

    /// Reads one object that is at least as new as the revision `least`; without it, the newest one.
    pub(crate) async fn get(&self, kind: &KindSpec, name: &ObjectName, least: Option<u64>) -> Result<Arc<Stored>, Status> {
        if let Some(least) = least {
            self.reach(least).await?;
            if let Some(stored) = self.cached(&resource_of(kind), least).get(&resource_of(kind), name) {
                return Ok(self.view(kind, stored));
            }
        }
        let view = self.view(kind, &self.find(kind, name)?);
        Ok(view)
    }
}
