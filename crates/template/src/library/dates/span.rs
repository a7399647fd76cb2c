//! Durations.

use std::any::Any;

use kubewright_machinery::quantity::GoDuration;

use crate::error::FunctionError;
use crate::function::{Parameter, Signature};
use crate::value::{GoObject, GoValue};

/// The name of the type.
pub(super) const TYPE_NAME: &str = "time.Duration";
const NONE: Signature = Signature::of(&[]);
const MINUTE: i64 = 60_000_000_000;

/// A `time.Duration`: nanoseconds.
#[derive(Debug)]
pub(super) struct DurationValue {
    nanoseconds: i64,
}

impl DurationValue {
    /// Creates a duration.
    pub(super) const fn new(nanoseconds: i64) -> Self {
        Self { nanoseconds }
    }

    /// Returns the nanoseconds of a value that is a duration.
    pub(super) fn of(value: &GoValue) -> Option<i64> {
        match value {
            GoValue::Object(object) => object.as_any().downcast_ref::<Self>().map(|duration| duration.nanoseconds),
            _ => None,
        }
    }
}

impl GoObject for DurationValue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        TYPE_NAME
    }

    fn kind(&self) -> &'static str {
        "int64"
    }

    fn method(&self, name: &str) -> Option<Signature> {
        match name {
            "Abs" | "Hours" | "Microseconds" | "Milliseconds" | "Minutes" | "Nanoseconds" | "Seconds" | "String" => Some(NONE),
            "Round" | "Truncate" => Some(Signature::of(&[Parameter::Object(TYPE_NAME)])),
            _ => None,
        }
    }

    fn call(&self, name: &str, arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        let nanoseconds = self.nanoseconds;
        let unit = arguments.first().and_then(Self::of).unwrap_or(0);
        Ok(match name {
            "Abs" => GoValue::object(Self::new(nanoseconds.saturating_abs())),
            "Hours" => in_units(nanoseconds, 60 * MINUTE).into(),
            "Minutes" => in_units(nanoseconds, MINUTE).into(),
            "Seconds" => in_units(nanoseconds, 1_000_000_000).into(),
            "Milliseconds" => GoValue::int64(nanoseconds / 1_000_000),
            "Microseconds" => GoValue::int64(nanoseconds / 1_000),
            "Nanoseconds" => GoValue::int64(nanoseconds),
            "Round" => GoValue::object(Self::new(rounded(nanoseconds, unit))),
            "Truncate" => GoValue::object(Self::new(truncated(nanoseconds, unit))),
            _ => GoValue::string(GoDuration::from_nanos(nanoseconds).to_string()),
        })
    }

    fn text(&self) -> Option<String> {
        Some(GoDuration::from_nanos(self.nanoseconds).to_string())
    }

    fn elements(&self) -> Option<GoValue> {
        Some(GoValue::int64(self.nanoseconds))
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoValue::int64(self.nanoseconds))
    }
}

/// Returns the duration in units as a float, whole units and their rest apart, as Go adds them.
pub(super) fn in_units(nanoseconds: i64, unit: i64) -> f64 {
    (nanoseconds / unit) as f64 + (nanoseconds % unit) as f64 / unit as f64
}

/// Rounds a duration to a multiple of a unit, halves away from zero; unchanged if the unit is not positive, and the nearest duration if the result
/// is too long.
pub(super) fn rounded(nanoseconds: i64, unit: i64) -> i64 {
    if unit <= 0 {
        return nanoseconds;
    }
    let (size, unit) = (i128::from(nanoseconds).abs(), i128::from(unit));
    let size = (2 * size + unit) / (2 * unit) * unit;
    let rounded = if nanoseconds < 0 { -size } else { size };
    rounded.clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// Cuts a duration to a multiple of a unit; unchanged if the unit is not positive.
pub(super) const fn truncated(nanoseconds: i64, unit: i64) -> i64 {
    if unit <= 0 { nanoseconds } else { nanoseconds - nanoseconds % unit }
}

/// Returns the number of the largest unit that is shorter than the duration, without a sign; `0s` below a second.
pub(super) fn largest_unit(nanoseconds: i64) -> String {
    const HOUR: u64 = 60 * MINUTE as u64;
    const UNITS: [(u64, &str); 6] = [
        (365 * 24 * HOUR, "y"),
        (30 * 24 * HOUR, "mo"),
        (24 * HOUR, "d"),
        (HOUR, "h"),
        (MINUTE as u64, "m"),
        (1_000_000_000, "s"),
    ];
    let size = nanoseconds.unsigned_abs();
    let unit = UNITS.iter().find(|(unit, _)| size > *unit);
    unit.map_or_else(|| "0s".to_owned(), |(unit, name)| format!("{}{name}", size / unit))
}
