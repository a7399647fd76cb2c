use std::marker::PhantomData;
use std::sync::Arc;

use serde_json::Value;

/// Reduces an object to what its user needs.
///
/// Objects are projected when they arrive and then dropped, so a store costs what its projections cost.
pub trait Project: Send + Sync + 'static {
    /// What is kept.
    type Output: Send + Sync + 'static;

    /// The projection of an object. `apiVersion` and `kind` are always filled in.
    fn project(&self, object: &Value) -> Self::Output;

    /// The text under which [`Store::indexed`](super::Store::indexed) finds the object, for instance its owner.
    fn index<'a>(&self, projection: &'a Self::Output) -> Option<&'a str> {
        let _ = projection;
        None
    }
}

/// A projection by a function, without index.
pub fn project_with<P, F>(project: F) -> Arc<dyn Project<Output = P>>
where
    P: Send + Sync + 'static,
    F: Fn(&Value) -> P + Send + Sync + 'static,
{
    Arc::new(ByFunction { project, output: PhantomData })
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

    fn project(&self, object: &Value) -> P {
        (self.project)(object)
    }
}
