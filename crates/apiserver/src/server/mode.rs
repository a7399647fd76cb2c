//! The times at which controllers run.

/// The times at which the garbage collector and the other controllers run (DIF-4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Controllers {
    /// They run to quiescence after each write, before it is answered.
    #[default]
    Inline,
    /// They run only in `tick()` and `settle()`.
    Ticked,
    /// They never run; finalizers of deletions stay, as on a server without kube-controller-manager.
    Off,
}
