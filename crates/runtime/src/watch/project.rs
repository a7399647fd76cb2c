use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::Value;

use super::Arrived;

/// Reduces an object to what its user needs.
///
/// Objects are projected when they arrive and then dropped, so a store costs what its projections cost.
pub trait Project: Send + Sync + 'static {
    /// What is kept.
    type Output: Send + Sync + 'static;

    /// The projection of an object. `apiVersion` and `kind` are always filled in.
    ///
    /// An object that is refused is skipped, counted and logged, and stops no others; the store keeps what it knows of the object
    /// (STORE-9).
    fn project(&self, object: &Value) -> Result<Self::Output, Unprojectable>;

    /// The same of an object as the server sent it. By default of its tree; a projector that needs no tree, or not of all objects, saves what it costs.
    fn project_arrived(&self, object: &Arrived<'_>) -> Result<Self::Output, Unprojectable> {
        self.project(object.tree()?)
    }

    /// Puts the object into indexes: `entry` takes the name of an index and the text under which
    /// [`ProjectedStore::indexed`](super::ProjectedStore::indexed) finds the object there. Any number of both; equal projections give equal entries in the
    /// same order. By default there is no index.
    fn index<'a>(&self, projection: &'a Self::Output, entry: &mut dyn FnMut(&'static str, &'a str)) {
        let _ = (projection, entry);
    }

    /// How the whole object is had of a projection, but for `managedFields`. None for projectors that do not keep all of it.
    fn whole(&self) -> Option<fn(&Self::Output) -> Value> {
        None
    }

    /// Projectors that return the same type here keep the same of all objects, and share what they keep. By default only clones of one
    /// `Arc` do.
    fn shared_as(&self) -> Option<TypeId> {
        None
    }
}

/// Why a projector cannot take an object. Values of the object that its text repeats are masked when it is logged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unprojectable(String);

impl Unprojectable {
    /// For this reason.
    pub fn new(reason: impl fmt::Display) -> Self {
        Self(reason.to_string())
    }
}

impl fmt::Display for Unprojectable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A projection by a function that takes every object, without index.
pub fn project_with<P, F>(project: F) -> Arc<dyn Project<Output = P>>
where
    P: Send + Sync + 'static,
    F: Fn(&Value) -> P + Send + Sync + 'static,
{
    Arc::new(ByFunction { project, output: PhantomData })
}

/// A projection that keeps nothing: for stores of which only keys and changes count. All of them share what they keep.
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
