use std::fmt;
use std::sync::Arc;

/// What the generator of a rendered set sees as its component, where that is more than the owner alone: the owner and what it depends on, for
/// instance.
pub struct Subject<C> {
    pub(super) value: Arc<C>,
    pub(super) digest: String,
}

impl<C> Subject<C> {
    /// A subject. The digest stands for all that it holds besides the owner: another one lets the set be rendered again, and what differs then is
    /// written, without a new revision (GEN-5).
    pub fn new(value: Arc<C>, digest: impl Into<String>) -> Self {
        Self { value, digest: digest.into() }
    }
}

impl<C> fmt::Debug for Subject<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("digest", &self.digest).finish_non_exhaustive()
    }
}
