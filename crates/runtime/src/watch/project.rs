use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::Value;

use super::Arrived;

/// A projector, which reduces an object to the parts that its user needs.
///
/// Objects are projected when they arrive and then dropped, so a store takes only the memory of its projections.
pub trait Project: Send + Sync + 'static {
    /// The type of the projection that is kept.
    type Output: Send + Sync + 'static;

    /// Projects an object. `apiVersion` and `kind` are always filled in.
    ///
    /// An object that the projector rejects is skipped, counted and logged, and does not stop others; the store keeps the previous state of the object
    /// (STORE-9).
    fn project(&self, object: &Value) -> Result<Self::Output, Unprojectable>;

    /// Projects an object as the server sent it. By default this projects its tree; a projector that does not need the tree of every object saves the cost of
    /// parsing it.
    fn project_arrived(&self, object: &Arrived<'_>) -> Result<Self::Output, Unprojectable> {
        self.project(object.tree()?)
    }

    /// Calls `entry` for each index entry of a projection, with the name of an index and the text under which
    /// [`ProjectedStore::indexed`](super::ProjectedStore::indexed) finds the object there. There may be any number of both; equal projections must give equal
    /// entries in the same order. By default there is no index.
    fn index<'a>(&self, projection: &'a Self::Output, entry: &mut dyn FnMut(&'static str, &'a str)) {
        let _ = (projection, entry);
    }

    /// Returns the function that restores the whole object from a projection, except for `managedFields`. Returns None for projectors that do not keep all of
    /// it.
    fn whole(&self) -> Option<fn(&Self::Output) -> Value> {
        None
    }

    /// Returns a type that identifies the projection. Projectors that return the same type make equal projections of all objects, and share them. By default
    /// only clones of one `Arc` share them.
    fn shared_as(&self) -> Option<TypeId> {
        None
    }
}

/// The reason why a projector rejects an object. Values of the object in the reason are masked when it is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprojectable(String);

impl Unprojectable {
    /// Creates an error with this reason.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl fmt::Display for Unprojectable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Creates a projector from a function that accepts every object, without index.
pub fn project_with<P, F>(project: F) -> Arc<dyn Project<Output = P>>
where
    P: Send + Sync + 'static,
    F: Fn(&Value) -> P + Send + Sync + 'static,
{
    Arc::new(ByFunction { project, output: PhantomData })
}

/// Returns a projector that keeps nothing: for stores of which only keys and changes are used. All of them share their projections.
pub fn presence() -> Arc<dyn Project<Output = ()>> {
    Arc::new(Presence)
}

struct Presence;

impl Project for Presence {
    type Output = ();

    fn project(&self, _: &Value) -> Result<(), Unprojectable> {
        Ok(())
    }

    fn project_arrived(&self, _: &Arrived<'_>) -> Result<(), Unprojectable> {
        Ok(())
    }

    fn shared_as(&self) -> Option<TypeId> {
        Some(TypeId::of::<Self>())
    }
}

struct ByFunction<F, P> {
    project: F,
    output: PhantomData<fn() -> P>,
}

impl<F, P> Project for ByFunction<F, P>
where
    P: Send + Sync + 'static,
    F: Fn(&Value) -> P + Send + Sync + 'static,
{
    type Output = P;

    fn project(&self, object: &Value) -> Result<P, Unprojectable> {
        Ok((self.project)(object))
    }
}
