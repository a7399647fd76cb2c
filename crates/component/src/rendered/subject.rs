use std::fmt;
use std::sync::Arc;

/// The value that the generator of a rendered set gets as its component, if that is more than the owner: for example the owner and its
/// dependencies.
pub struct Subject<C> {
    pub(super) value: Arc<C>,
    pub(super) digest: String,
}

impl<C> Subject<C> {
    /// Creates a subject. The digest covers all of its content besides the owner. When the digest changes, the set is rendered again, and
    /// differences are written without a new revision (GEN-5).
    pub fn new(value: Arc<C>, digest: impl Into<String>) -> Self {
        Self { value, digest: digest.into() }
    }
}

impl<C> fmt::Debug for Subject<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("digest", &self.digest).finish_non_exhaustive()
    }
}
