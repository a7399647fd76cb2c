//! The memory of a process about a component's dependents between passes. Losing it costs a few requests, never correctness.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use kubewright_machinery::object::ObjectKey;

use super::fights::Corrections;

/// Counters and instants of objects with problems; empty for a healthy component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// The corrections of drift (DRIFT-5).
    pub(super) drift: BTreeMap<ObjectKey, Corrections>,
    /// The texts about drifts that wait for their correction (DRIFT-5).
    pub(super) pending: BTreeMap<ObjectKey, String>,
    /// The deletions of objects that another program re-creates (RED-4).
    pub(super) deletions: BTreeMap<ObjectKey, Deletions>,
    /// The times since which objects have a generation that their controllers have not observed (READY-6).
    pub(super) lagging: BTreeMap<ObjectKey, Timestamp>,
    /// The fingerprints of objects that were compared with their manifests, for components whose status does not keep them (STA-3).
    pub(super) compared: BTreeMap<ObjectKey, Compared>,
    /// The objects that were written without fields that the server does not know (WRITE-12).
    pub(super) undeclared: BTreeMap<ObjectKey, Dropped>,
    /// The objects whose creation met an existing object that no watch shows, because it has no owner label. The next pass reads them at once.
    pub(super) met: BTreeSet<ObjectKey>,
}

impl Memory {
    /// Returns true if nothing is recorded.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns the texts about fights: object, fields, and the managers that keep changing them (DRIFT-5).
    pub fn fights(&self) -> impl Iterator<Item = &str> {
        self.drift.values().flat_map(Corrections::told).collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns the objects that were written without fields that the server does not know, with those fields (WRITE-12).
    pub fn undeclared(&self) -> impl Iterator<Item = String> {
        self.undeclared.iter().map(|(key, dropped)| format!("{key}: {}", dropped.fields))
    }

    /// Returns the drifts that wait for their correction: object, fields, managers, and the time of the next correction (DRIFT-5).
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.pending.values().map(String::as_str)
    }
}

/// The fields of an object that the server does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dropped {
    /// The digest of the manifest.
    pub(super) digest: String,
    /// The fields, comma separated.
    pub(super) fields: String,
}

/// The fields of an object that was compared with its manifest and equals it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    /// The digest of the manifest.
    pub(super) digest: String,
    pub(super) fingerprint: String,
    pub(super) empty_paths: Vec<Vec<String>>,
}

/// The deletions of one object that is re-created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deletions {
    pub(super) count: u32,
    pub(super) last: Timestamp,
}
