use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// The last write of a child: what was wanted, and what the server made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LastWrite {
    uid: String,
    digest: String,
    state: State,
}

/// The state of an object, as far as its spec goes: kinds with a generation change it with their spec, others their version with everything.
#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    Generation(i64),
    Version(String),
}

impl State {
    fn of(object: &Value) -> Self {
        object.generation().map_or_else(|| Self::Version(object.resource_version().to_owned()), Self::Generation)
    }
}

impl LastWrite {
    /// The write of a desired object with this digest, which the server answered by this object.
    pub fn new(digest: impl Into<String>, answer: &Value) -> Self {
        Self { uid: answer.uid().to_owned(), digest: digest.into(), state: State::of(answer) }
    }

    /// Whether the live object is the one that was written, and nobody changed its spec since (KID-10, KID-12).
    pub fn is_state_of(&self, live: &Value) -> bool {
        self.uid == live.uid() && live.deletion_timestamp().is_none() && self.state == State::of(live)
    }

    /// Whether this digest was written last.
    pub fn wrote(&self, digest: &str) -> bool {
        self.digest == digest
    }
}
