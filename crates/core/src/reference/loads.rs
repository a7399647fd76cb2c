use std::any::TypeId;

use kubewright_machinery::object::canonical_json;
use serde::Serialize;

use super::Resolved;

/// A reference in a spec that code of the operator resolves (REF-7). `#[derive(HoldsReferences)]` with
/// `#[reference(content = ..)]` implements it.
pub trait Loads: Serialize + Send + Sync + 'static {
    /// What it stands for.
    type Content: Send + Sync + 'static;
}

/// What tells loaded references from each other: equal references of one type stand for the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoadedKey {
    of: TypeId,
    reference: String,
}

impl LoadedKey {
    /// The key of a reference. `None` when it cannot be written as JSON.
    pub fn of<R: Loads>(reference: &R) -> Option<Self> {
        let reference = canonical_json(&serde_json::to_value(reference).ok()?);
        Some(Self { of: TypeId::of::<R>(), reference })
    }
}

/// A reference that code of the operator resolves, also an optional one.
pub trait LoadedReference {
    /// What it stands for.
    type Content<'a>;
    /// What it resolves to.
    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>>;
}

impl<R: Loads> LoadedReference for R {
    type Content<'a> = &'a R::Content;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        resolved.find_loaded(&LoadedKey::of(self)?)?.downcast_ref()
    }
}

impl<R: Loads> LoadedReference for Option<R> {
    type Content<'a> = &'a R::Content;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        self.as_ref()?.content(resolved)
    }
}
