//! Changes and filters.

use std::fmt;
use std::sync::Arc;

use kubewright_machinery::object::Key;

/// An object came, changed, or went.
///
/// `old` and `new` are never both absent. An object that was replaced by another of its name gives two changes.
pub struct Change<P> {
    /// Which object.
    pub key: Key,
    /// The object before, `None` when it came: created, recreated under its old name, or met at the start.
    pub old: Option<Arc<P>>,
    /// The object now, `None` when it went.
    pub new: Option<Arc<P>>,
    /// How the change became known.
    pub cause: Cause,
}

/// How a change became known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Cause {
    /// It was there when the store or the subscriber started.
    Initial,
    /// The server told so.
    Event,
    /// We wrote it ourselves.
    OwnWrite,
}

impl<P> Change<P> {
    /// The object as it is, or was before it went.
    pub fn latest(&self) -> Option<&P> {
        self.new.as_deref().or(self.old.as_deref())
    }

    /// Both states of an object that was there before and still is.
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

/// Decides whether a change is worth a pass.
pub trait Filter<P> {
    /// Whether the change passes.
    fn passes(&self, change: &Change<P>) -> bool;
}

impl<P, F: Fn(&Change<P>) -> bool> Filter<P> for F {
    fn passes(&self, change: &Change<P>) -> bool {
        self(change)
    }
}

/// Passes objects that come or go, and updates in which the part that `part` reads is another one.
pub fn differs<P, T: PartialEq>(part: impl Fn(&P) -> T) -> impl Filter<P> {
    move |change: &Change<P>| change.update().is_none_or(|(old, new)| part(old) != part(new))
}

/// Passes changes of objects that are, or were at last, as `predicate` says.
pub fn matches<P>(predicate: impl Fn(&P) -> bool) -> impl Filter<P> {
    move |change: &Change<P>| change.latest().is_some_and(&predicate)
}
