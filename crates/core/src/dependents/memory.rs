//! What a process remembers of a component's dependents between passes. Losing it costs a few requests, never correctness.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use kubewright_machinery::object::ObjectKey;

use super::fights::Corrections;

/// Counters and instants of objects that cause trouble; empty for a healthy component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Corrections of drift (DRIFT-5).
    pub(super) drift: BTreeMap<ObjectKey, Corrections>,
    /// Drifts that wait for their correction, as texts (DRIFT-5).
    pub(super) pending: BTreeMap<ObjectKey, String>,
    /// Deletions of objects that somebody creates again (RED-4).
    pub(super) deletions: BTreeMap<ObjectKey, Deletions>,
    /// Since when an object's controller has not seen its generation (READY-6).
    pub(super) lagging: BTreeMap<ObjectKey, Timestamp>,
    /// Fingerprints of objects that were compared with their manifests, where the status does not keep them (STA-3).
    pub(super) compared: BTreeMap<ObjectKey, Compared>,
    /// Objects that were written without fields that the server does not know (WRITE-12).
    pub(super) undeclared: BTreeMap<ObjectKey, Dropped>,
    /// Objects whose creation met an object of their name that no watch shows, since it has no owner: the next pass reads it at once.
    pub(super) met: BTreeSet<ObjectKey>,
}

impl Memory {
    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Who changes fields of ours again and again, object by object (DRIFT-5).
    pub fn fights(&self) -> impl Iterator<Item = &str> {
        self.drift.values().flat_map(Corrections::told).collect::<BTreeSet<_>>().into_iter()
    }

    /// The objects that were written without fields that the server does not know, with those fields (WRITE-12).
    pub fn undeclared(&self) -> impl Iterator<Item = String> {
        self.undeclared.iter().map(|(key, dropped)| format!("{key}: {}", dropped.fields))
    }

    /// The drifts that wait for their correction: object, fields, managers, and the time of the next correction (DRIFT-5).
    pub fn pending(&self) -> impl Iterator<Item = &str> {
        self.pending.values().map(String::as_str)
    }
}

/// Fields of an object that the server does not know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dropped {
    /// The digest of the manifest.
    pub(super) digest: String,
    /// The fields, comma separated.
    pub(super) fields: String,
}

/// The fields of an object that is as it is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Compared {
    /// The digest of the manifest.
    pub(super) digest: String,
    pub(super) fingerprint: String,
    pub(super) empty_paths: Vec<Vec<String>>,
}

/// Deletions of one object that came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Deletions {
    pub(super) count: u32,
    pub(super) last: Timestamp,
}
