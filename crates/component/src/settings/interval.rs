use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use kubewright_machinery::quantity::GoDuration;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A duration as written in a spec: `90s`, `10m`, `1h30m`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Interval(Duration);

/// The pattern of durations in the schema of a custom resource.
const PATTERN: &str = r"^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$";

impl Interval {
    /// Returns the duration.
    pub fn duration(self) -> Duration {
        self.0
    }

    /// Returns the duration, or `None` for zero, which stands for "not set".
    pub(crate) fn non_zero(self) -> Option<Duration> {
        (!self.0.is_zero()).then_some(self.0)
    }
}

impl From<Duration> for Interval {
    fn from(duration: Duration) -> Self {
        Self(duration)
    }
}

/// An error for a text that is no duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a duration (allowed: numbers with the units ns, us, ms, s, m, h, such as 90s or 1h30m)")]
pub struct InvalidInterval {
    found: String,
}

impl FromStr for Interval {
    type Err = InvalidInterval;

    fn from_str(text: &str) -> Result<Self, InvalidInterval> {
        let invalid = || InvalidInterval { found: text.to_owned() };
        let parsed = GoDuration::parse(text).map_err(|_| invalid())?;
        let nanoseconds = u64::try_from(parsed.nanos()).map_err(|_| invalid())?;
        Ok(Self(Duration::from_nanos(nanoseconds)))
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nanoseconds = i64::try_from(self.0.as_nanos()).unwrap_or(i64::MAX);
        write!(f, "{}", GoDuration::from_nanos(nanoseconds))
    }
}

impl Serialize for Interval {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Interval {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Interval {
    fn schema_name() -> Cow<'static, str> {
        "Interval".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "pattern": PATTERN })
    }
}
