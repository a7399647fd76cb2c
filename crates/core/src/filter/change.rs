//! Changes, filters, and how filters are combined.

/// A change of an object, as told by a watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change<P> {
    /// The first sight of this object: created, recreated under its old name, or met at the start.
    Seen {
        /// What it is.
        new: P,
    },
    /// Changed.
    Updated {
        /// What it was.
        old: P,
        /// What it is.
        new: P,
    },
    /// Gone.
    Deleted {
        /// What it was when it was last seen.
        last: P,
    },
}

impl<P> Change<P> {
    /// What the object is, or was before it was deleted.
    pub const fn latest(&self) -> &P {
        match self {
            Self::Seen { new } | Self::Updated { new, .. } => new,
            Self::Deleted { last } => last,
        }
    }

    /// The same change of something that is part of the object.
    pub fn as_ref(&self) -> Change<&P> {
        match self {
            Self::Seen { new } => Change::Seen { new },
            Self::Updated { old, new } => Change::Updated { old, new },
            Self::Deleted { last } => Change::Deleted { last },
        }
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

/// Combines filters.
pub trait FilterExt<P>: Filter<P> + Sized {
    /// Passes what both pass.
    fn and(self, other: impl Filter<P>) -> impl Filter<P> {
        move |change: &Change<P>| self.passes(change) && other.passes(change)
    }

    /// Passes what one of them passes.
    fn or(self, other: impl Filter<P>) -> impl Filter<P> {
        move |change: &Change<P>| self.passes(change) || other.passes(change)
    }

    /// Passes what this one does not.
    fn not(self) -> impl Filter<P> {
        move |change: &Change<P>| !self.passes(change)
    }
}

impl<P, F: Filter<P>> FilterExt<P> for F {}

/// Passes first sights, deletions, and updates in which the part that `part` reads is another one.
pub fn differs<P, T: PartialEq>(part: impl Fn(&P) -> T) -> impl Filter<P> {
    move |change: &Change<P>| match change {
        Change::Updated { old, new } => part(old) != part(new),
        Change::Seen { .. } | Change::Deleted { .. } => true,
    }
}

/// Passes changes of objects that are, or were at last, as `predicate` says.
pub fn matches<P>(predicate: impl Fn(&P) -> bool) -> impl Filter<P> {
    move |change: &Change<P>| predicate(change.latest())
}
