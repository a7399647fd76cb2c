//! The outputs of a watch.

use std::sync::Arc;

use jiff::Timestamp;

use crate::api::ObjectApi;
use crate::kinds::KindSpec;
use crate::status::Status;
use crate::store::{Event, Stored};

/// One output of a watch.
#[derive(Clone, Debug)]
pub(crate) enum WatchOutput {
    /// An object that existed when the watch began, as a client reads it.
    Initial {
        /// The object.
        object: Arc<Stored>,
        /// The time at which the watch began.
        now: Timestamp,
    },
    /// A change of an object.
    Changed {
        /// The change.
        event: Arc<Event>,
        /// Its meaning for the watcher.
        saying: Saying,
        /// The time at which the watch met the change.
        now: Timestamp,
    },
    /// The revision up to which all changes were sent.
    Bookmark {
        /// The revision.
        revision: u64,
        /// True after the last of the initial objects.
        is_initial_end: bool,
    },
    /// The error that ends the watch.
    Error(Status),
}

/// The type of an event for a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Saying {
    /// The object is new to the watcher.
    Added,
    /// The object changed.
    Modified,
    /// The object is gone, or no longer matches.
    Deleted,
}

impl Saying {
    /// Returns the name of the type in the event.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl ObjectApi {
    /// Returns the object of a change, as a client reads it.
    pub(crate) fn view_changed(&self, kind: &KindSpec, event: &Event, saying: Saying) -> Option<Arc<Stored>> {
        // A departing object has the content of its last write under the new revision.
        let (stored, written) = match saying {
            Saying::Deleted => (event.departed()?, event.previous.as_ref()),
            Saying::Added | Saying::Modified => (event.current.as_ref()?, None),
        };
        Some(self.view_of(kind, stored, written.unwrap_or(stored).revision()))
    }
}
