//! Filters that are made of filters.

use super::change::{Change, Filter};

/// Combines filters. A combination can cross threads if its parts can.
pub trait FilterExt<P>: Filter<P> + Sized {
    /// Passes what both pass.
    fn and<F: Filter<P>>(self, other: F) -> And<Self, F> {
        And(self, other)
    }

    /// Passes what one of them passes.
    fn or<F: Filter<P>>(self, other: F) -> Or<Self, F> {
        Or(self, other)
    }

    /// Passes what this one does not.
    fn not(self) -> Not<Self> {
        Not(self)
    }
}

impl<P, F: Filter<P>> FilterExt<P> for F {}

/// Passes what both filters pass.
#[derive(Clone, Copy, Debug)]
pub struct And<A, B>(A, B);

/// Passes what one of two filters passes.
#[derive(Clone, Copy, Debug)]
pub struct Or<A, B>(A, B);

/// Passes what a filter does not.
#[derive(Clone, Copy, Debug)]
pub struct Not<A>(A);

impl<P, A: Filter<P>, B: Filter<P>> Filter<P> for And<A, B> {
    fn passes(&self, change: &Change<P>) -> bool {
        self.0.passes(change) && self.1.passes(change)
    }
}

impl<P, A: Filter<P>, B: Filter<P>> Filter<P> for Or<A, B> {
    fn passes(&self, change: &Change<P>) -> bool {
        self.0.passes(change) || self.1.passes(change)
    }
}

impl<P, A: Filter<P>> Filter<P> for Not<A> {
    fn passes(&self, change: &Change<P>) -> bool {
        !self.0.passes(change)
    }
}
