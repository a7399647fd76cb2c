use indexmap::Equivalent;
use kubewright_machinery::object::Key;

/// A borrowed key, which can find an object without allocating.
#[derive(Clone, Copy, Hash, PartialEq, Eq)]
pub(super) struct KeyRef<'a> {
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

impl<'a> From<&'a Key> for KeyRef<'a> {
    fn from(key: &'a Key) -> Self {
        Self { namespace: key.namespace(), name: key.name() }
    }
}

/// A key and its borrowed form have equal hashes, since both are hashed as two texts.
impl Equivalent<Key> for KeyRef<'_> {
    fn equivalent(&self, key: &Key) -> bool {
        *self == KeyRef::from(key)
    }
}
