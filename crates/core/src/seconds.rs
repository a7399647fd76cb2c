//! Points in time in the form of Kubernetes: RFC 3339, UTC, whole seconds.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A point in time in whole seconds, so that the value in memory equals the value that is read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Timestamp", into = "Timestamp")]
pub struct Seconds(Timestamp);

impl Seconds {
    /// Returns the point in time.
    pub const fn timestamp(self) -> Timestamp {
        self.0
    }
}

impl From<Timestamp> for Seconds {
    fn from(timestamp: Timestamp) -> Self {
        Self(Timestamp::from_second(timestamp.as_second()).unwrap_or(timestamp))
    }
}

impl From<Seconds> for Timestamp {
    fn from(seconds: Seconds) -> Self {
        seconds.0
    }
}

impl fmt::Display for Seconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl JsonSchema for Seconds {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Time".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "format": "date-time" })
    }
}
