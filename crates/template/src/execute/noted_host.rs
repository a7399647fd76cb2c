//! The host as functions see it.

use std::any::Any;
use std::cell::Cell;

use jiff::Timestamp;

use crate::function::TemplateHost;

/// A host that notes whether it is asked.
pub(super) struct NotedHost<'a> {
    host: &'a dyn TemplateHost,
    is_asked: Cell<bool>,
}

impl<'a> NotedHost<'a> {
    pub(super) const fn new(host: &'a dyn TemplateHost) -> Self {
        Self { host, is_asked: Cell::new(false) }
    }

    /// Returns true if the host has been asked for anything.
    pub(super) const fn is_asked(&self) -> bool {
        self.is_asked.get()
    }

    fn asked(&self) -> &'a dyn TemplateHost {
        self.is_asked.set(true);
        self.host
    }
}

impl TemplateHost for NotedHost<'_> {
    fn now(&self) -> Timestamp {
        self.asked().now()
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        self.asked().fill_random(buffer);
    }

    fn as_any(&self) -> &dyn Any {
        self.asked().as_any()
    }
}
