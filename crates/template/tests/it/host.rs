//! Time and randomness for tests.

use std::any::Any;
use std::cell::Cell;

use jiff::Timestamp;
use kubewright_template::TemplateHost;

/// A host at the beginning of time, whose random bytes count up.
#[derive(Default)]
pub(crate) struct CountingHost {
    count: Cell<u8>,
}

impl TemplateHost for CountingHost {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }

    fn fill_random(&self, buffer: &mut [u8]) {
        for byte in buffer {
            *byte = self.count.replace(self.count.get().wrapping_add(1));
        }
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
