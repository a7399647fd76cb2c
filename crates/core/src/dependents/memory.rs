//! What a process remembers of a component's dependents between passes. Losing it costs a few requests, never correctness.

use std::collections::BTreeMap;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectKey;

/// Counters and instants of objects that cause trouble; empty for a healthy component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Corrections of drift (DRIFT-5).
    pub(super) drift: BTreeMap<ObjectKey, Corrections>,
    /// Deletions of objects that somebody creates again (RED-4).
    pub(super) deletions: BTreeMap<ObjectKey, Deletions>,
    /// Since when an object's controller has not seen its generation (READY-6).
    pub(super) lagging: BTreeMap<ObjectKey, Timestamp>,
    /// Fingerprints of objects that were compared with their manifests, where the status does not keep them (STA-3).
    pub(super) compared: BTreeMap<ObjectKey, Compared>,
    /// The digests for which unknown fields were told (WRITE-12).
    pub(super) undeclared: BTreeMap<ObjectKey, String>,
}

impl Memory {
    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Who changes fields of ours again and again, object by object (DRIFT-5).
    pub fn fights(&self) -> impl Iterator<Item = &str> {
        self.drift.values().filter_map(|entry| entry.fight.as_deref())
    }
}

/// The fields of an object that is as it is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    /// The digest of the manifest.
    pub(super) digest: String,
    pub(super) fingerprint: String,
    pub(super) empty_paths: Vec<Vec<String>>,
}

/// Corrections of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Corrections {
    pub(super) count: u32,
    pub(super) last: Timestamp,
    /// Since when it has been in sync; `None` while it drifts.
    pub(super) in_sync_since: Option<Timestamp>,
    /// Who changes what, once that was told.
    pub(super) fight: Option<String>,
    /// The digest that the object was to have when it did not keep our marks.
    pub(super) unkept: Option<String>,
}

impl Corrections {
    pub(super) const fn none(now: Timestamp) -> Self {
        Self { count: 0, last: now, in_sync_since: None, fight: None, unkept: None }
    }
}

/// Deletions of one object that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deletions {
    pub(super) count: u32,
    pub(super) last: Timestamp,
}
