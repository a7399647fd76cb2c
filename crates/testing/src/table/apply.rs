use serde::Serialize;
use serde_json::Value;

use super::expected::json;

/// An expected server-side apply.
#[derive(Clone, Debug)]
pub struct Apply {
    pub(super) object: Value,
    pub(super) manager: String,
    pub(super) is_forced: bool,
}

impl Apply {
    /// Expects an apply of this whole body by this field manager, without force.
    #[track_caller]
    pub fn new(manager: &str, object: impl Serialize) -> Self {
        Self { object: json(object), manager: manager.to_owned(), is_forced: false }
    }

    /// Expects the apply to use force.
    #[must_use]
    pub fn forced(mut self) -> Self {
        self.is_forced = true;
        self
    }
}
