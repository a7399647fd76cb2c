//! One object as the current pass knows it: its live state, and the results of the requests about it.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::{Projection, Refusal};
use crate::dependents::Phase;
use crate::dependents::verdict::BlockedReason;

/// One object as the current pass knows it.
#[derive(Clone, Debug, Default)]
pub(in crate::dependents) struct ObservedDependent {
    /// The live object; `None` if it is absent or no watch shows it.
    pub(in crate::dependents) live: Option<Arc<Projection>>,
    /// The phase of the object in the persisted inventory.
    pub(in crate::dependents) persisted: Option<Phase>,
    /// The results of requests. Most passes send none, so they are allocated on demand.
    results: Option<Box<RequestResults>>,
}

/// The results of the requests of one pass about one object.
#[derive(Clone, Debug, Default)]
pub(in crate::dependents) struct RequestResults {
    /// True if a GET did not find the object.
    pub(in crate::dependents) read_absent: bool,
    /// True if the live state of the object is unknown, so that it must be read.
    pub(in crate::dependents) unsure: bool,
    /// True if the fields of the object were reclaimed.
    pub(in crate::dependents) reclaimed: bool,
    /// True if the server refuses the corrective apply of the object.
    pub(in crate::dependents) refused_apply: bool,
    /// True if a corrective write failed and is not repeated in this pass.
    pub(in crate::dependents) uncorrected: bool,
    /// True if the object got our marks or lost our finalizer.
    pub(in crate::dependents) marked: bool,
    /// True if the object was orphaned.
    pub(in crate::dependents) released: bool,
    /// True if a DELETE of the object was sent.
    pub(in crate::dependents) deleting: bool,
    /// The number of repetitions after conflicts.
    pub(in crate::dependents) attempts: u32,
    /// The whole object as a GET returned it, for decisions that need more than a projection.
    pub(in crate::dependents) full: Option<Arc<Value>>,
    /// The result of a dry run.
    pub(in crate::dependents) dry_run: Option<DryRun>,
    /// The fields of the manifest that the server does not know.
    pub(in crate::dependents) undeclared: Option<Undeclared>,
    /// The last write.
    pub(in crate::dependents) written: Option<OwnWrite>,
    /// The reason why no more requests about the object are sent in this pass.
    pub(in crate::dependents) halt: Option<ObjectHalt>,
    /// The number of answers that said that the type of the object is not served, and the last of them.
    pub(in crate::dependents) missing_type: Option<(u32, Refusal)>,
}

impl ObservedDependent {
    /// An object about which nothing is known.
    pub(in crate::dependents) const UNKNOWN: Self = Self { live: None, persisted: None, results: None };

    /// Returns the projection of the live object.
    pub(in crate::dependents) fn live(&self) -> Option<&Projection> {
        self.live.as_deref()
    }

    /// Returns the results of the requests about the object.
    pub(in crate::dependents) fn results(&self) -> &RequestResults {
        static NONE: RequestResults = RequestResults::NONE;
        self.results.as_deref().unwrap_or(&NONE)
    }

    pub(in crate::dependents) fn results_mut(&mut self) -> &mut RequestResults {
        self.results.get_or_insert_default()
    }

    /// Returns the whole object, if it was read in the version of its projection.
    pub(in crate::dependents) fn full(&self) -> Option<&Arc<Value>> {
        let version = self.live()?.resource_version();
        self.results().full.as_ref().filter(|full| full.resource_version() == version)
    }

    /// Returns true if this pass has written the object already, other than by deleting it in order to create it again.
    pub(in crate::dependents) fn is_written(&self) -> bool {
        self.results().written.as_ref().is_some_and(|written| written.how != WrittenHow::Recreating)
    }

    /// Records that the object does not exist.
    pub(super) fn set_absent(&mut self) {
        self.live = None;
        self.results_mut().read_absent = true;
    }
}

impl RequestResults {
    const NONE: Self = Self {
        read_absent: false,
        unsure: false,
        reclaimed: false,
        refused_apply: false,
        uncorrected: false,
        marked: false,
        released: false,
        deleting: false,
        attempts: 0,
        full: None,
        dry_run: None,
        undeclared: None,
        written: None,
        halt: None,
        missing_type: None,
    };
}

/// The answer to a [`RequestPurpose::Compare`](super::super::RequestPurpose::Compare).
#[derive(Clone, Debug)]
pub(in crate::dependents) enum DryRun {
    /// The object as the apply would leave it.
    Answer(Arc<Value>),
    /// The server would refuse the apply.
    Refused,
}

/// The fields that the server does not know, in the server's notation.
#[derive(Clone, Debug, Default)]
pub(in crate::dependents) struct Undeclared {
    pub(in crate::dependents) rounds: u32,
    pub(in crate::dependents) fields: Vec<String>,
}

impl Undeclared {
    /// Adds fields. Returns true if at least one of them is new.
    pub(in crate::dependents) fn add(&mut self, fields: Vec<String>) -> bool {
        let before = self.fields.len();
        for field in fields {
            if !self.fields.contains(&field) {
                self.fields.push(field);
            }
        }
        self.fields.len() > before
    }
}

/// A write of ours in this pass.
#[derive(Clone, Debug)]
pub(in crate::dependents) struct OwnWrite {
    pub(in crate::dependents) how: WrittenHow,
    pub(in crate::dependents) at: Timestamp,
    pub(in crate::dependents) digest: String,
    pub(in crate::dependents) empty_paths: Vec<Vec<String>>,
    pub(in crate::dependents) fingerprint: String,
    /// True if the object was Ready before and was created again.
    pub(in crate::dependents) again: bool,
}

impl OwnWrite {
    /// Returns the record of a deletion after which the object is created again.
    pub(super) fn recreating(at: Timestamp) -> Self {
        let how = WrittenHow::Recreating;
        Self { how, at, digest: String::new(), empty_paths: Vec::new(), fingerprint: String::new(), again: false }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dependents) enum WrittenHow {
    Created,
    Updated,
    Corrected,
    Recreating,
}

/// The reason why the request about an object is not repeated in this pass.
#[derive(Clone, Debug)]
pub(in crate::dependents) enum ObjectHalt {
    Wait { message: String, after: Option<Duration> },
    Blocked { reason: BlockedReason, message: String },
    Failed { message: String, code: u16 },
}

impl ObjectHalt {
    /// Returns the severity of OUT-2; the highest number is the most severe.
    pub(in crate::dependents) const fn severity(&self) -> u8 {
        match self {
            Self::Failed { .. } => 2,
            Self::Blocked { .. } => 1,
            Self::Wait { .. } => 0,
        }
    }

    pub(in crate::dependents) fn message(&self) -> &str {
        match self {
            Self::Wait { message, .. } | Self::Blocked { message, .. } | Self::Failed { message, .. } => message,
        }
    }

    pub(in crate::dependents) const fn owner_conflict(message: String) -> Self {
        Self::Blocked { reason: BlockedReason::OwnerConflict, message }
    }
}
