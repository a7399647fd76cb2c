//! Combinations of filters.

use super::change::{Change, Filter};

/// The combinators of filters. A combination can cross threads if its parts can.
pub trait FilterExt<P>: Filter<P> + Sized {
    /// Passes the changes that both filters pass.
    fn and<F: Filter<P>>(self, other: F) -> And<Self, F> {
        And(self, other)
    }

    /// Passes the changes that at least one of the filters passes.
    fn or<F: Filter<P>>(self, other: F) -> Or<Self, F> {
        Or(self, other)
    }

    /// Passes the changes that this filter does not pass.
    fn not(self) -> Not<Self> {
        Not(self)
    }
}

impl<P, F: Filter<P>> FilterExt<P> for F {}

/// A filter for the changes that both of its filters pass.
#[derive(Clone, Copy, Debug)]
pub struct And<A, B>(A, B);

/// A filter for the changes that at least one of its filters passes.
#[derive(Clone, Copy, Debug)]
pub struct Or<A, B>(A, B);

/// A filter for the changes that its filter does not pass.
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
