//! Lists: their version, selection and continuation (apiserver.md, 2.8).

use std::sync::Arc;
use std::time::Duration;

use kubewright_middleware::Status;

use super::selection::Selection;
use super::token::Continue;
use super::{ObjectApi, resource_of};
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Resource, Snapshot, Stored};

/// The maximum wait for a version that does not exist yet (CRUD-4).
const PATIENCE: Duration = Duration::from_secs(3);

/// The parameters of [`ObjectApi::list`]. The default is one page with the newest version of all objects of all namespaces.
#[derive(Clone, Debug, Default)]
pub struct ListQuery {
    /// The namespace; all namespaces if unset.
    pub(crate) namespace: Option<String>,
    /// The objects of the list.
    pub(crate) selection: Selection,
    /// The maximum number of objects of a page; 0 for no maximum.
    pub(crate) limit: usize,
    /// The position after which the page begins; the first page if unset.
    pub(crate) next: Option<Continue>,
    /// The version of the content.
    pub(crate) version: ListVersion,
}

impl ListQuery {
    /// Sets the only namespace that is listed. Objects of cluster-scoped kinds are in no namespace.
    pub fn in_namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into());
        self
    }

    /// Sets the objects that are listed; the default is all of them.
    pub fn selecting(mut self, selection: Selection) -> Self {
        self.selection = selection;
        self
    }

    /// Sets the maximum number of objects of a page; 0, the default, means no maximum. A list of [`ListVersion::Any`] ignores the limit.
    pub fn limited_to(mut self, objects: usize) -> Self {
        self.limit = objects;
        self
    }

    /// Sets the version of the content; the default is [`ListVersion::Latest`].
    pub fn at(mut self, version: ListVersion) -> Self {
        self.version = version;
        self
    }

    /// Continues a list after the page whose [`PageMetadata::next`] the token is. Pages of one list have the version of its first page, so the
    /// version must be the default.
    ///
    /// # Errors
    ///
    /// Returns 400 if the text is no such token.
    pub fn continued(mut self, token: &str) -> Result<Self, Status> {
        self.next = Some(Continue::decode(token)?);
        Ok(self)
    }
}

/// The version of the content that a list reads (LIST-5). Versions are revisions of the store, the numbers in `metadata.resourceVersion`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ListVersion {
    /// The most recent version.
    #[default]
    Latest,
    /// Any version. It is the most recent one, unless a test makes reads stale.
    Any,
    /// This version or a later one.
    NotOlderThan(u64),
    /// Exactly this version.
    Exact(u64),
}

/// The version of a page of a list, and its continuation.
#[derive(Clone, Debug, Default)]
pub struct PageMetadata {
    /// The revision of the store that was read; 0 for a list that is computed and not stored.
    pub revision: u64,
    /// The token with which [`ListQuery::continued`] reads the next page; unset on the last page.
    pub next: Option<String>,
    /// The number of objects after this page. Unset on the last page, and if there is a selector.
    pub remaining: Option<usize>,
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

    /// Reads one page of a list. Objects are sorted by namespace and name, and have the version of `kind`.
    ///
    /// # Errors
    ///
    /// Returns 410 if the history no longer holds the version of the list; the failure of a continued list holds the token
    /// ([`Status::continue_token`]) with which the rest can be read in its newest version. Returns 504 if the store does not reach the version
    /// within 3 seconds.
    pub async fn list(&self, kind: &KindSpec, query: &ListQuery) -> Result<(Vec<Arc<Stored>>, PageMetadata), Status> {
        let resource = resource_of(kind);
        let expired = || Status::expired("The resourceVersion for the provided list is too old.");
        let snapshot = match (&query.next, query.version) {
            (Some(next), _) if next.rv > 0 => {
                self.store.snapshot_at(&resource, next.rv as u64).map_err(|_| Self::continue_expired(next))?
            }
            (_, ListVersion::Exact(revision)) => {
                self.reach(revision).await?;
                self.store.snapshot_at(&resource, revision).map_err(|_| expired())?
            }
            (_, ListVersion::NotOlderThan(revision)) => {
                self.reach(revision).await?;
                self.cached(&resource, revision)
            }
            (None, ListVersion::Any) => self.cached(&resource, 0),
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
        let limit = if query.limit == 0 || query.version == ListVersion::Any { usize::MAX } else { query.limit };
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

    /// Reads one object in the version of `kind`. With `least` the content is at least as new as this revision of the store, otherwise it is the
    /// newest.
    ///
    /// # Errors
    ///
    /// Returns 404 if the object does not exist, and 504 if the store does not reach the revision within 3 seconds.
    pub async fn get(&self, kind: &KindSpec, name: &ObjectName, least: Option<u64>) -> Result<Arc<Stored>, Status> {
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
