//! Changes and filters.

use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::Key;

/// A change: an object was created, updated, or removed.
///
/// `old` and `new` are never both absent. The replacement of an object by another one of its name gives two changes.
pub struct Change<P> {
    /// The key of the object.
    pub key: Key,
    /// The object before the change; `None` if it is new: created, recreated under its old name, or found at the start.
    pub old: Option<Arc<P>>,
    /// The object after the change; `None` if it was removed.
    pub new: Option<Arc<P>>,
    /// The source of the change.
    pub cause: Cause,
}

/// The source of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// The object existed when the store or the subscriber started.
    Initial,
    /// The server sent an event.
    Event,
    /// This process wrote the object itself.
    OwnWrite,
}

impl<P> Change<P> {
    /// Returns the object as it is now, or as it was before it was removed.
    pub fn latest(&self) -> Option<&P> {
        self.new.as_deref().or(self.old.as_deref())
    }

    /// Returns both states of an object that existed before the change and still exists.
    pub fn update(&self) -> Option<(&P, &P)> {
        Some((self.old.as_deref()?, self.new.as_deref()?))
    }
}

impl<P> Clone for Change<P> {
    fn clone(&self) -> Self {
        Self { key: self.key.clone(), old: self.old.clone(), new: self.new.clone(), cause: self.cause }
    }
}

impl<P> fmt::Debug for Change<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match (&self.old, &self.new) {
            (None, _) => "came",
            (Some(_), Some(_)) => "changed",
            (Some(_), None) => "went",
        };
        write!(f, "Change({} {what}, {:?})", self.key, self.cause)
    }
}

/// A filter, which decides whether a change needs a pass.
pub trait Filter<P> {
    /// Returns true if the change passes.
    fn passes(&self, change: &Change<P>) -> bool;
}

impl<P, F: Fn(&Change<P>) -> bool> Filter<P> for F {
    fn passes(&self, change: &Change<P>) -> bool {
        self(change)
    }
}

/// Passes created and removed objects, and updates that change the value returned by `part`.
pub fn differs<P, T: PartialEq>(part: impl Fn(&P) -> T) -> impl Filter<P> {
    move |change: &Change<P>| change.update().is_none_or(|(old, new)| part(old) != part(new))
}

/// Passes changes of objects for whose latest state `predicate` returns true.
pub fn matches<P>(predicate: impl Fn(&P) -> bool) -> impl Filter<P> {
    move |change: &Change<P>| change.latest().is_some_and(&predicate)
}
