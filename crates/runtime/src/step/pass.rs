//! The ready-made context of pipelines.

use std::fmt;

use kube::core::object::HasStatus;

use crate::reconcile::Context;

/// A pass of a reconciler as the context of a pipeline: the arguments of its method, and data of the author.
///
/// Answers of the server are never copied into `object`: it stays as the store had it when the pass began.
#[allow(clippy::exhaustive_structs)] // steps destructure it
pub struct Pass<'a, K: HasStatus, D = ()> {
    /// The context of the pass.
    pub cx: &'a Context<K>,
    /// The object from the store.
    pub object: &'a K,
    /// The status that the pass writes at its end.
    pub status: &'a mut K::Status,
    /// The data that steps pass to later ones.
    pub data: D,
}

impl<'a, K: HasStatus> Pass<'a, K> {
    /// Creates the context from the arguments of a pass's method.
    pub const fn new(cx: &'a Context<K>, object: &'a K, status: &'a mut K::Status) -> Self {
        Self { cx, object, status, data: () }
    }
}

impl<'a, K: HasStatus, D> Pass<'a, K, D> {
    /// Adds data of the author.
    pub fn with_data<E>(self, data: E) -> Pass<'a, K, E> {
        Pass { cx: self.cx, object: self.object, status: self.status, data }
    }
}

impl<K: HasStatus, D: fmt::Debug> fmt::Debug for Pass<'_, K, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("cx", &self.cx).field("data", &self.data).finish_non_exhaustive()
    }
}
