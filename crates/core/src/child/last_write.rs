use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// The last write of a child: the digest of the desired object and the state that the server returned.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastWrite {
    uid: String,
    digest: String,
    state: SpecState,
}

/// The state of an object's spec: the generation of kinds that have one, else the resource version, which every change of the object changes.
#[derive(Clone, Debug, PartialEq, Eq)]
enum SpecState {
    Generation(i64),
    Version(String),
}

impl SpecState {
    fn of(object: &Value) -> Self {
        object.generation().map_or_else(|| Self::Version(object.resource_version().to_owned()), Self::Generation)
    }
}

impl LastWrite {
    /// Records the write of a desired object with this digest, which the server answered with this object.
    pub fn new(digest: impl Into<String>, answer: &Value) -> Self {
        Self { uid: answer.uid().to_owned(), digest: digest.into(), state: SpecState::of(answer) }
    }

    /// Returns true if the live object is the one that was written and its spec has not changed since (KID-10, KID-12).
    pub fn is_state_of(&self, live: &Value) -> bool {
        self.uid == live.uid() && live.deletion_timestamp().is_none() && self.state == SpecState::of(live)
    }

    /// Returns true if this digest was written last.
    pub fn wrote(&self, digest: &str) -> bool {
        self.digest == digest
    }
}
