//! The whole content at one revision.

use std::sync::Arc;

use rpds::RedBlackTreeMapSync;

use super::{ObjectName, Resource, Stored};

/// The objects of one resource.
pub(super) type Objects = RedBlackTreeMapSync<ObjectName, Arc<Stored>>;

/// The content of the store at one revision. Immutable; a clone costs nothing.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(super) revision: u64,
    pub(super) resources: RedBlackTreeMapSync<Resource, Objects>,
}

impl Snapshot {
    pub(super) fn empty(revision: u64) -> Self {
        Self { revision, resources: RedBlackTreeMapSync::new_sync() }
    }

    /// The revision of the last change in it.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// One object.
    pub fn get(&self, resource: &Resource, name: &ObjectName) -> Option<&Arc<Stored>> {
        self.resources.get(resource)?.get(name)
    }

    /// All objects of a resource, or those of one namespace, ordered by namespace and name.
    pub fn list<'a>(
        &'a self,
        resource: &Resource,
        namespace: Option<&'a str>,
    ) -> impl Iterator<Item = (&'a ObjectName, &'a Arc<Stored>)> {
        self.list_after(resource, namespace, None)
    }

    /// The same, beginning after the given object.
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
            .flat_map(move |objects| objects.range((start.clone(), Unbounded)))
            .take_while(move |(name, _)| namespace.is_none_or(|namespace| *name.namespace == *namespace))
    }

    /// How many objects a resource has.
    pub fn count(&self, resource: &Resource) -> usize {
        self.resources.get(resource).map_or(0, RedBlackTreeMapSync::size)
    }

    /// The resources that have had objects.
    pub fn resources(&self) -> impl Iterator<Item = &Resource> {
        self.resources.keys()
    }

    /// Puts an object, or takes it away; returns what was there.
    pub(super) fn put(&mut self, resource: &Resource, name: &ObjectName, content: Option<Arc<Stored>>) -> Option<Arc<Stored>> {
        if !self.resources.contains_key(resource) {
            self.resources.insert_mut(resource.clone(), RedBlackTreeMapSync::new_sync());
        }
        let objects = self.resources.get_mut(resource)?;
        let previous = objects.get(name).cloned();
        match content {
            Some(stored) => {
                objects.insert_mut(name.clone(), stored);
            }
            None => {
                objects.remove_mut(name);
            }
        }
        previous
    }
}
