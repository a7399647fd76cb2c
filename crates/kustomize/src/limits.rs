//! Limits of a build.

/// The limits of a build. Kustomizations within them may still be slow, but are never endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// The largest number of kustomizations of which each refers to the next. Default: 50.
    pub depth: usize,
    /// The largest number of kustomizations that are built, counted once per reference. Default: 1000.
    pub kustomizations: usize,
    /// The largest number of objects at any time. Default: 10,000.
    pub objects: usize,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self { depth: 50, kustomizations: 1000, objects: 10_000 }
    }
}
