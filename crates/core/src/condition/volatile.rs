//! Times that do not count in comparisons.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::seconds::Seconds;

/// A time that equals every other one, so that two statuses which differ only in such times are equal. In JSON it is an ordinary time, in whole
/// seconds.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct VolatileTime(Seconds);

impl VolatileTime {
    /// Returns the point in time.
    pub const fn timestamp(self) -> Timestamp {
        self.0.timestamp()
    }
}

impl From<Timestamp> for VolatileTime {
    fn from(timestamp: Timestamp) -> Self {
        Self(timestamp.into())
    }
}

impl From<VolatileTime> for Timestamp {
    fn from(time: VolatileTime) -> Self {
        time.timestamp()
    }
}

impl PartialEq for VolatileTime {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for VolatileTime {}

impl Hash for VolatileTime {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

impl fmt::Display for VolatileTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl JsonSchema for VolatileTime {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        Seconds::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Seconds::json_schema(generator)
    }
}
