use std::any::TypeId;

use kubewright_machinery::object::canonical_json;
use serde::Serialize;

use super::Resolved;

/// A reference in a spec that code of the operator resolves (REF-7). `#[derive(HoldsReferences)]` with
/// `#[reference(content = ..)]` implements it.
pub trait Loads: Serialize + Send + Sync + 'static {
    /// The content that a reference resolves to.
    type Content: Send + Sync + 'static;
}

/// The identity of a loaded reference: equal references of one type share one content.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoadedKey {
    of: TypeId,
    reference: String,
}

impl LoadedKey {
    /// Returns the key of a reference, or `None` if the reference cannot be serialized as JSON.
    pub fn of<R: Loads>(reference: &R) -> Option<Self> {
        let reference = canonical_json(&serde_json::to_value(reference).ok()?);
        Some(Self { of: TypeId::of::<R>(), reference })
    }
}

/// A reference that code of the operator resolves, or an option of one.
pub trait LoadedReference {
    /// The content that the reference resolves to.
    type Content<'a>;
    /// Returns the content of the reference. `None` when the reference is absent or not resolved.
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
