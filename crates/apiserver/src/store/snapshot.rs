//! The whole content at one revision.

use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::claims::HeldClaims;
use super::{Claim, ObjectName, Resource, Stored};

/// The objects of one resource. It is cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct Objects {
    by_name: RedBlackTreeMapSync<ObjectName, Arc<Stored>>,
    /// The number of objects in each namespace.
    counts: RedBlackTreeMapSync<Arc<str>, usize>,
}

impl Objects {
    fn new() -> Self {
        Self { by_name: RedBlackTreeMapSync::new_sync(), counts: RedBlackTreeMapSync::new_sync() }
    }

    fn put(&mut self, name: &ObjectName, content: Option<Arc<Stored>>) -> Option<Arc<Stored>> {
        let previous = self.by_name.get(name).cloned();
        match (&previous, content) {
            (None, Some(stored)) => {
                self.count(&name.namespace, 1);
                self.by_name.insert_mut(name.clone(), stored);
            }
            (Some(_), Some(stored)) => {
                if let Some(present) = self.by_name.get_mut(name) {
                    *present = stored;
                }
            }
            (Some(_), None) => {
                self.count(&name.namespace, -1);
                self.by_name.remove_mut(name);
            }
            (None, None) => {}
        }
        previous
    }

    fn count(&mut self, namespace: &Arc<str>, by: isize) {
        match self.counts.get_mut(namespace) {
            Some(count) => *count = count.saturating_add_signed(by),
            None => {
                self.counts.insert_mut(namespace.clone(), 1);
            }
        }
        if self.counts.get(namespace) == Some(&0) {
            self.counts.remove_mut(namespace);
        }
    }
}

/// The content of the store at one revision. It is immutable and cheap to clone.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) revision: u64,
    pub(super) resources: RedBlackTreeMapSync<Resource, Objects>,
    /// The cluster-wide allocations, only up to date in the current content.
    pub(super) claims: HeldClaims,
}

impl Snapshot {
    pub(super) fn empty(revision: u64) -> Self {
        Self { revision, resources: RedBlackTreeMapSync::new_sync(), claims: HeldClaims::new() }
    }

    /// Returns the revision of the last change.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns an object.
    pub fn get(&self, resource: &Resource, name: &ObjectName) -> Option<&Arc<Stored>> {
        self.resources.get(resource)?.by_name.get(name)
    }

    /// Returns all objects of a resource, or those of one namespace, ordered by namespace and name.
    pub fn list<'a>(
        &'a self,
        resource: &Resource,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a Arc<Stored>)> {
        self.list_after(resource, namespace, None)
    }

    /// Returns the same objects, beginning after the given one.
    pub fn list_after<'a>(
        &'a self,
        resource: &Resource,
        namespace: Option<&'a str>,
        after: Option<&ObjectName>,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a Arc<Stored>)> {
        use std::ops::Bound::{Excluded, Included, Unbounded};
        let start = match after {
            Some(after) => Excluded(after.clone()),
            None => namespace.map_or(Unbounded, |namespace| Included(ObjectName::new(namespace, ""))),
        };
        self.resources
            .get(resource)
            .into_iter()
            .flat_map(move |objects| objects.by_name.range((start.clone(), Unbounded)))
            .take_while(move |(name, _)| namespace.is_none_or(|namespace| *name.namespace == *namespace))
    }

    /// Returns the number of objects of a resource.
    pub fn count(&self, resource: &Resource) -> usize {
        self.resources.get(resource).map_or(0, |objects| objects.by_name.size())
    }

    /// Returns the number of objects of a resource in a namespace, or in all, without visiting them.
    pub fn count_in(&self, resource: &Resource, namespace: Option<&str>) -> usize {
        let Some(namespace) = namespace else { return self.count(resource) };
        self.resources.get(resource).and_then(|objects| objects.counts.get(namespace)).copied().unwrap_or_default()
    }

    /// Returns true if a service other than `except` has an address or a port. Valid for the current content only.
    pub(crate) fn is_claimed(&self, claim: Claim, except: Option<&ObjectName>) -> bool {
        self.claims.is_held(claim, except)
    }

    /// Returns the resources that have had objects.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.resources.keys()
    }

    /// Puts an object, or removes it, and returns the previous one.
    pub(super) fn put(&mut self, resource: &Resource, name: &ObjectName, content: Option<Arc<Stored>>) -> Option<Arc<Stored>> {
        if !self.resources.contains_key(resource) {
            self.resources.insert_mut(resource.clone(), Objects::new());
        }
        self.resources.get_mut(resource)?.put(name, content)
    }
}
