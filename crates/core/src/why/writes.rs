//! Writes of a pass.

use std::fmt;

use kubewright_machinery::object::{GroupKind, Key};
use serde_json::{Value, json};

/// The number of distinct writes that are kept.
const KEPT: usize = 16;

/// The verb of a write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WriteVerb {
    /// The object was created, by POST.
    Created,
    /// The object was updated, by PUT.
    Updated,
    /// The object was patched or applied, by PATCH.
    Patched,
    /// The object was deleted, by DELETE.
    Deleted,
}

impl WriteVerb {
    /// Returns the word for the verb.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Updated => "updated",
            Self::Patched => "patched",
            Self::Deleted => "deleted",
        }
    }
}

/// A write of a pass that a server answered with success.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassWrite {
    /// The verb.
    pub verb: WriteVerb,
    /// The group and kind of the object.
    pub kind: GroupKind,
    /// The namespace and name of the object.
    pub key: Key,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: Box<str>,
    /// The number of times that the write was repeated.
    pub times: u32,
}

/// The writes of a pass: the first sixteen distinct ones, and the number of further ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassWrites {
    kept: Vec<PassWrite>,
    more: u32,
}

impl PassWrites {
    /// Adds a write.
    pub fn add(&mut self, verb: WriteVerb, kind: &GroupKind, key: &Key, subresource: &str) {
        let is_same = |kept: &&mut PassWrite| {
            kept.verb == verb && kept.key == *key && kept.kind == *kind && *kept.subresource == *subresource
        };
        if let Some(kept) = self.kept.iter_mut().find(is_same) {
            kept.times = kept.times.saturating_add(1);
        } else if self.kept.len() < KEPT {
            let (kind, key) = (kind.clone(), key.clone());
            self.kept.push(PassWrite { verb, kind, key, subresource: subresource.into(), times: 1 });
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Returns the writes that are kept, in their order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &PassWrite> {
        self.kept.iter()
    }

    /// Returns the number of further writes.
    pub const fn more(&self) -> u32 {
        self.more
    }

    /// Returns true if there were no writes.
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Converts the writes to JSON.
    pub fn to_json(&self) -> Value {
        self.iter().map(PassWrite::to_json).collect()
    }

    pub(super) fn weight(&self) -> usize {
        self.iter()
            .map(|write| size_of::<PassWrite>() + write.kind.group.len() + write.kind.kind.len() + write.subresource.len())
            .sum()
    }
}

/// Writes `updated Deployment.apps x/z, patched Widget.example.com x/y (status)`.
impl fmt::Display for PassWrites {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, write) in self.kept.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write.fmt(f)?;
        }
        if self.more > 0 { write!(f, " and {} more", self.more) } else { Ok(()) }
    }
}

impl PassWrite {
    fn to_json(&self) -> Value {
        json!({
            "verb": self.verb.as_str(), "kind": self.kind.to_string(), "namespace": self.key.namespace(), "name": self.key.name(),
            "subresource": &*self.subresource, "times": self.times,
        })
    }
}

impl fmt::Display for PassWrite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.verb.as_str(), self.kind, self.key)?;
        if !self.subresource.is_empty() {
            write!(f, " ({})", self.subresource)?;
        }
        if self.times > 1 { write!(f, " {} times", self.times) } else { Ok(()) }
    }
}
