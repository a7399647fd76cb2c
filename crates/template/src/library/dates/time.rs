//! Times, months, days of the week, and locations as values of templates.

use std::any::Any;

use super::civil::CivilTime;
use super::names::{MONTHS, WEEKDAYS};
use super::print;
use super::span::{self, DurationValue};
use super::zone::{Zone, ZoneOffset};
use crate::error::FunctionError;
use crate::function::{Parameter, Signature};
use crate::value::{GoObject, GoString, GoValue};

/// The name of the type.
pub(super) const TYPE_NAME: &str = "time.Time";
const SECOND: i128 = 1_000_000_000;
/// The first of January of the year 1, the zero value of the type, in seconds since 1970.
const ZERO_SECONDS: i64 = -62_135_596_800;

/// A `time.Time`: an instant and the zone in which it is printed.
#[derive(Clone, Debug)]
pub(super) struct TimeValue {
    nanoseconds: i128,
    zone: Zone,
}

impl TimeValue {
    /// The zero value of the type.
    pub(super) const ZERO: Self = Self { nanoseconds: ZERO_SECONDS as i128 * SECOND, zone: Zone::Utc };

    /// Creates a time of nanoseconds since 1970.
    pub(super) const fn new(nanoseconds: i128, zone: Zone) -> Self {
        Self { nanoseconds, zone }
    }

    /// Returns the time of a value that is one.
    pub(super) fn of(value: &GoValue) -> Option<&Self> {
        match value {
            GoValue::Object(object) => object.as_any().downcast_ref(),
            _ => None,
        }
    }

    /// Returns the same instant in another zone.
    pub(super) fn in_zone(self, zone: Zone) -> Self {
        Self { zone, ..self }
    }

    /// Returns the seconds since 1970.
    pub(super) fn unix_seconds(&self) -> i64 {
        self.nanoseconds.div_euclid(SECOND) as i64
    }

    /// Returns the nanoseconds of the second.
    pub(super) fn nanosecond(&self) -> u32 {
        self.nanoseconds.rem_euclid(SECOND) as u32
    }

    /// Returns the offset of the zone.
    pub(super) fn offset(&self) -> ZoneOffset {
        self.zone.offset(self.unix_seconds())
    }

    /// Returns the date and time in the zone.
    pub(super) fn civil(&self) -> CivilTime {
        CivilTime::of_seconds(self.unix_seconds().saturating_add(self.offset().seconds.into()))
    }

    /// Returns the time that is a duration later.
    pub(super) fn plus(&self, nanoseconds: i64) -> Self {
        Self { nanoseconds: self.nanoseconds.saturating_add(nanoseconds.into()), zone: self.zone.clone() }
    }

    /// Returns the duration since another time; the longest one if it is longer.
    pub(super) fn minus(&self, other: &Self) -> i64 {
        let difference = self.nanoseconds.saturating_sub(other.nanoseconds);
        difference.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Returns the time moved by years, months and days in the calendar of its zone.
    fn moved(&self, years: i64, months: i64, days: i64) -> Self {
        let mut civil = self.civil();
        civil.year = civil.year.saturating_add(years);
        civil.month = civil.month.saturating_add(months);
        civil.day = civil.day.saturating_add(days);
        let local = civil.seconds();
        // The offset at the new time is found by that of a first guess.
        let guess = local.saturating_sub(self.zone.offset(local).seconds.into());
        let seconds = local.saturating_sub(self.zone.offset(guess).seconds.into());
        Self::new(i128::from(seconds) * SECOND + i128::from(self.nanosecond()), self.zone.clone())
    }

    /// Returns the time rounded by a function of durations since the year 1.
    fn adjusted(&self, unit: i64, is_rounded: bool) -> Self {
        if unit <= 0 {
            return self.clone();
        }
        let since_zero = self.nanoseconds - Self::ZERO.nanoseconds;
        let rest = since_zero.rem_euclid(unit.into());
        let is_up = is_rounded && rest * 2 >= unit.into();
        let nanoseconds = self.nanoseconds - rest + if is_up { unit.into() } else { 0 };
        Self { nanoseconds, zone: self.zone.clone() }
    }

    /// Returns a number of a unit of nanoseconds since 1970, cut to the size of an `int64`.
    fn unix(&self, unit: i128) -> GoValue {
        GoValue::int64(self.nanoseconds.div_euclid(unit) as i64)
    }
}

impl GoObject for TimeValue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        TYPE_NAME
    }

    fn method(&self, name: &str) -> Option<Signature> {
        let parameters: &'static [Parameter] = match name {
            "Day" | "GoString" | "Hour" | "IsDST" | "IsZero" | "Local" | "Location" | "Minute" | "Month" | "Nanosecond"
            | "Second" | "String" | "UTC" | "Unix" | "UnixMicro" | "UnixMilli" | "UnixNano" | "Weekday" | "Year" | "YearDay" => {
                &[]
            }
            "After" | "Before" | "Compare" | "Equal" | "Sub" => &[Parameter::Object(TYPE_NAME)],
            "Add" | "Round" | "Truncate" => &[Parameter::Object(span::TYPE_NAME)],
            "AddDate" => &[Parameter::Int; 3],
            "Format" => &[Parameter::String],
            "In" => &[Parameter::Object("*time.Location")],
            _ => return None,
        };
        Some(Signature::of(parameters))
    }

    fn call(&self, name: &str, arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        let first = arguments.first().unwrap_or(&GoValue::Nil);
        let other = Self::of(first).unwrap_or(&Self::ZERO).nanoseconds;
        let duration = DurationValue::of(first).unwrap_or(0);
        let number = |index: usize| if let Some(GoValue::Integer(value, _)) = arguments.get(index) { *value as i64 } else { 0 };
        let civil = self.civil();
        Ok(match name {
            "Add" => GoValue::object(self.plus(duration)),
            "AddDate" => GoValue::object(self.moved(number(0), number(1), number(2))),
            "After" => (self.nanoseconds > other).into(),
            "Before" => (self.nanoseconds < other).into(),
            "Compare" => GoValue::int(self.nanoseconds.cmp(&other) as i64),
            "Day" => GoValue::int(civil.day),
            "Equal" => (self.nanoseconds == other).into(),
            "Format" => {
                let layout = if let GoValue::String(layout) = first { layout.clone() } else { GoString::from("") };
                GoValue::string(print::print(self, layout.as_bytes()))
            }
            "Hour" => GoValue::int(civil.hour),
            "In" => match location_of(first) {
                Some(zone) => GoValue::object(self.clone().in_zone(zone)),
                None => return Err(FunctionError::new("time: missing Location in call to Time.In")),
            },
            "IsDST" => self.offset().is_saving.into(),
            "IsZero" => (self.nanoseconds == Self::ZERO.nanoseconds).into(),
            "Local" => GoValue::object(self.clone().in_zone(Zone::Local)),
            "Location" => GoValue::object(LocationValue { zone: self.zone.clone() }),
            "Minute" => GoValue::int(civil.minute),
            "Month" => GoValue::object(NamedNumber { type_name: "time.Month", number: civil.month, names: &MONTHS, first: 1 }),
            "Nanosecond" => GoValue::int(self.nanosecond().into()),
            "Round" => GoValue::object(self.adjusted(duration, true)),
            "Second" => GoValue::int(civil.second),
            "Sub" => GoValue::object(DurationValue::new(self.minus(Self::of(first).unwrap_or(&Self::ZERO)))),
            "Truncate" => GoValue::object(self.adjusted(duration, false)),
            "UTC" => GoValue::object(self.clone().in_zone(Zone::Utc)),
            "Unix" => self.unix(SECOND),
            "UnixMicro" => self.unix(1_000),
            "UnixMilli" => self.unix(1_000_000),
            "UnixNano" => self.unix(1),
            "Weekday" => {
                GoValue::object(NamedNumber { type_name: "time.Weekday", number: civil.weekday(), names: &WEEKDAYS, first: 0 })
            }
            "Year" => GoValue::int(civil.year),
            "YearDay" => GoValue::int(civil.day_of_year()),
            "GoString" => GoValue::string(format!(
                "time.Date({}, time.{}, {}, {}, {}, {}, {}, {})",
                civil.year,
                MONTHS[(civil.month - 1) as usize % 12],
                civil.day,
                civil.hour,
                civil.minute,
                civil.second,
                self.nanosecond(),
                match &self.zone {
                    Zone::Utc => "time.UTC".to_owned(),
                    Zone::Local => "time.Local".to_owned(),
                    zone => format!("time.Location({:?})", zone.name()),
                }
            )),
            _ => GoValue::string(print::print(self, print::TEXT_LAYOUT)),
        })
    }

    fn text(&self) -> Option<String> {
        Some(text(print::print(self, print::TEXT_LAYOUT)))
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoValue::string(print::print(self, print::RFC_3339_LAYOUT)))
    }
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A number with a name: `time.Month`, `time.Weekday`.
#[derive(Debug)]
struct NamedNumber {
    type_name: &'static str,
    number: i64,
    names: &'static [&'static str],
    /// The number of the first name.
    first: i64,
}

impl GoObject for NamedNumber {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        self.type_name
    }

    fn kind(&self) -> &'static str {
        "int"
    }

    fn method(&self, name: &str) -> Option<Signature> {
        (name == "String").then_some(Signature::of(&[]))
    }

    fn call(&self, _name: &str, _arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        Ok(self.text().unwrap_or_default().into())
    }

    fn text(&self) -> Option<String> {
        self.names.get((self.number - self.first) as usize).map(|name| (*name).to_owned())
    }

    fn elements(&self) -> Option<GoValue> {
        Some(GoValue::int(self.number))
    }

    fn encoded(&self) -> Option<GoValue> {
        self.elements()
    }
}

/// A `*time.Location`.
#[derive(Debug)]
struct LocationValue {
    zone: Zone,
}

impl GoObject for LocationValue {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "*time.Location"
    }

    fn kind(&self) -> &'static str {
        "ptr"
    }

    fn method(&self, name: &str) -> Option<Signature> {
        (name == "String").then_some(Signature::of(&[]))
    }

    fn call(&self, _name: &str, _arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        Ok(self.zone.name().into())
    }

    fn text(&self) -> Option<String> {
        Some(self.zone.name().to_owned())
    }
}

fn location_of(value: &GoValue) -> Option<Zone> {
    match value {
        GoValue::Object(object) => object.as_any().downcast_ref().map(|location: &LocationValue| location.zone.clone()),
        _ => None,
    }
}
