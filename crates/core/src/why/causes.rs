//! The causes of one pass.

use std::fmt;
use std::sync::Arc;

use serde_json::Value;

use super::QueuedBy;

/// The number of distinct causes that are kept.
const KEPT: usize = 4;
/// The number of paths that are kept per object.
pub(super) const PATHS: usize = 8;

/// The causes for which a key was queued since its last pass began: the first four distinct ones, and the number of further ones. Several changes of
/// one object are one cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Causes {
    kept: Vec<QueuedBy>,
    more: u32,
}

impl Causes {
    /// The largest number of paths that a change should contain.
    pub const PATHS: usize = PATHS;

    /// Adds a cause.
    pub fn add(&mut self, cause: QueuedBy) {
        if let QueuedBy::Changed(change) = &cause {
            let same = self.kept.iter_mut().find_map(|kept| match kept {
                QueuedBy::Changed(kept) if kept.is_of_same(change) => Some(kept),
                _ => None,
            });
            if let Some(kept) = same {
                if kept != change {
                    Arc::make_mut(kept).join(change, PATHS);
                }
                return;
            }
        } else if self.kept.contains(&cause) {
            return;
        }
        if self.kept.len() < KEPT {
            self.kept.push(cause);
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// Returns the causes that are kept, in the order in which they were added.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &QueuedBy> {
        self.kept.iter()
    }

    /// Returns the number of further causes.
    pub const fn more(&self) -> u32 {
        self.more
    }

    /// Returns true if no cause is known.
    pub const fn is_empty(&self) -> bool {
        self.kept.is_empty()
    }

    /// Converts the causes to JSON.
    pub fn to_json(&self) -> Value {
        self.iter().map(QueuedBy::to_json).collect()
    }

    pub(super) fn weight(&self) -> usize {
        self.iter().map(QueuedBy::weight).sum()
    }
}

impl From<QueuedBy> for Causes {
    fn from(cause: QueuedBy) -> Self {
        Self { kept: vec![cause], more: 0 }
    }
}

impl Extend<QueuedBy> for Causes {
    fn extend<I: IntoIterator<Item = QueuedBy>>(&mut self, causes: I) {
        causes.into_iter().for_each(|cause| self.add(cause));
    }
}

impl fmt::Display for Causes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, cause) in self.kept.iter().enumerate() {
            if index > 0 {
                f.write_str("; ")?;
            }
            cause.fmt(f)?;
        }
        if self.more > 0 { write!(f, "; and {} more", self.more) } else { Ok(()) }
    }
}
