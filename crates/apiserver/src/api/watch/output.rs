//! The outputs of a watch.

use std::sync::Arc;

use kubewright_middleware::Status;

use crate::api::ObjectApi;
use crate::kinds::KindSpec;
use crate::store::{StoreEvent, Stored};

/// One output of a watch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum WatchOutput {
    /// An object that existed when the watch began, as a client reads it.
    Initial {
        /// The object.
        object: Arc<Stored>,
    },
    /// A change of an object. [`ObjectApi::view_changed`] returns the object as a client reads it.
    Changed {
        /// The change in the store.
        event: Arc<StoreEvent>,
        /// Its meaning for the watcher.
        event_type: WatchEventType,
    },
    /// A mark that all changes up to a revision were sent.
    Bookmark {
        /// The revision of the store.
        revision: u64,
        /// True after the last of the initial objects.
        is_initial_end: bool,
    },
    /// The error that ends the watch: 410 if the history no longer holds the version of the start, 504 if the store does not reach it within
    /// 3 seconds.
    Error(Box<Status>),
}

/// The type of a change for a watcher. A change by which an object begins or ceases to match the selection adds or deletes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchEventType {
    /// The object is new to the watcher.
    Added,
    /// The object changed.
    Modified,
    /// The object is gone, or no longer matches.
    Deleted,
}

impl WatchEventType {
    /// Returns the name of the type in a watch event: `ADDED`, `MODIFIED` or `DELETED`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl ObjectApi {
    /// Returns the object of a change as a client reads it: in the version of `kind`, in its last state if it is gone. The result is `None` if the
    /// change is not of this type.
    pub fn view_changed(&self, kind: &KindSpec, event: &StoreEvent, event_type: WatchEventType) -> Option<Arc<Stored>> {
        // A departing object has the content of its last write under the new revision.
        let (stored, written) = match event_type {
            WatchEventType::Deleted => (event.departed()?, event.previous.as_ref()),
            WatchEventType::Added | WatchEventType::Modified => (event.current.as_ref()?, None),
        };
        Some(self.view_of(kind, stored, written.unwrap_or(stored).revision()))
    }
}
