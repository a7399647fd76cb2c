//! A condition as the Kubernetes API has it.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// One aspect of the current state of an object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// What the condition is about, for instance Ready.
    #[serde(rename = "type")]
    pub type_: String,
    /// Whether it holds.
    pub status: ConditionStatus,
    /// The generation of the object that the condition was set for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// When the status changed the last time.
    #[serde(serialize_with = "seconds")]
    #[schemars(with = "String", extend("format" = "date-time"))]
    pub last_transition_time: Timestamp,
    /// Why, in one word.
    #[serde(default)]
    pub reason: String,
    /// Why, for people.
    #[serde(default)]
    pub message: String,
    /// The severity of a condition that does not hold. Only Knative-style conditions have it; without one it is an error.
    #[serde(default, deserialize_with = "severity", skip_serializing_if = "Option::is_none")]
    #[schemars(skip)] // components have no severity in their schema
    pub severity: Option<Severity>,
}

impl Condition {
    /// Creates a condition without a generation, and with the start of Unix time as its transition time: both are filled in where it is set.
    pub fn new(
        type_: impl Into<String>,
        status: impl Into<ConditionStatus>,
        reason: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            type_: type_.into(),
            status: status.into(),
            observed_generation: None,
            last_transition_time: Timestamp::UNIX_EPOCH,
            reason: reason.into(),
            message: message.into(),
            severity: None,
        }
    }
}

/// Whether a condition holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not.
    False,
    /// It is not known.
    Unknown,
}

impl ConditionStatus {
    /// Returns the value of the field `status`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(holds: bool) -> Self {
        if holds { Self::True } else { Self::False }
    }
}

/// The severity of a Knative-style condition that does not hold. The framework reads and writes it, but bases no decision on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Severity {
    /// An error; the meaning of a condition without severity.
    Error,
    /// A warning.
    Warning,
    /// Information.
    Info,
}

impl Severity {
    /// Returns the severity of this name; none for an empty or unknown name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "Error" => Some(Self::Error),
            "Warning" => Some(Self::Warning),
            "Info" => Some(Self::Info),
            _ => None,
        }
    }
}

/// Deserializes a severity, and ignores unknown values: those that another client wrote do not keep the whole object from being read.
fn severity<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Severity>, D::Error> {
    Ok(Value::deserialize(deserializer)?.as_str().and_then(Severity::named))
}

/// Serializes whole seconds, as the API server stores them.
fn seconds<S: Serializer>(time: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    let whole = Timestamp::from_second(time.as_second()).map_err(serde::ser::Error::custom)?;
    serializer.collect_str(&whole)
}
