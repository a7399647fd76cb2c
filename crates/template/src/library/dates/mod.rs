//! Functions of times and durations. The local time zone is UTC; zones come from the database inside of the program.

mod civil;
mod layout;
mod names;
mod parse;
mod print;
mod reading;
mod span;
#[cfg(test)]
mod tests;
mod time;
mod zone;
mod zone_name;

use kubewright_machinery::quantity::GoDuration;

use self::span::{DurationValue, rounded, truncated};
use self::time::TimeValue;
use self::zone::Zone;
use super::numbers::cast::{decimal_digits, parse_float};
use crate::error::FunctionError;
use crate::format;
use crate::function::{FunctionCall, FunctionSet, Parameter, Signature, TemplateHost};
use crate::value::{GoString, GoValue, IntegerType};

const ANY: Signature = Signature::of(&[Parameter::Any]);
const TEXT_AND_TIME: Signature = Signature::of(&[Parameter::String, Parameter::Object(time::TYPE_NAME)]);
const SECOND: i64 = 1_000_000_000;

/// Adds the functions of times and durations that sprig has.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("now", Signature::of(&[]), |call| Ok(GoValue::object(now(call.host))));
    functions.add("date", Signature::of(&[Parameter::String, Parameter::Any]), |call| {
        Ok(printed(&call.string(0), &call.take(1), Zone::Local, call.host))
    });
    functions.add("dateInZone", Signature::of(&[Parameter::String, Parameter::Any, Parameter::String]), |call| {
        Ok(printed(&call.string(0), &call.take(1), Zone::of_name(&call.string(2).to_text()), call.host))
    });
    functions.alias("date_in_zone", "dateInZone");
    functions.add("htmlDate", ANY, |call| Ok(printed(&"2006-01-02".into(), &call.take(0), Zone::Local, call.host)));
    functions.add("htmlDateInZone", Signature::of(&[Parameter::Any, Parameter::String]), |call| {
        Ok(printed(&"2006-01-02".into(), &call.take(0), Zone::of_name(&call.string(1).to_text()), call.host))
    });
    functions.add("dateModify", TEXT_AND_TIME, |call| {
        let time = argument(call, 1)?;
        Ok(GoValue::object(duration(&call.string(0)).map_or_else(|_| time.clone(), |duration| time.plus(duration))))
    });
    functions.alias("date_modify", "dateModify");
    functions.add("mustDateModify", TEXT_AND_TIME, |call| {
        let time = argument(call, 1)?;
        Ok(GoValue::object(time.plus(duration(&call.string(0))?)))
    });
    functions.alias("must_date_modify", "mustDateModify");
    functions.add("toDate", Signature::of(&[Parameter::String, Parameter::String]), |call| {
        let time = parse::parse(call.string(0).as_bytes(), call.string(1).as_bytes());
        Ok(GoValue::object(time.unwrap_or(TimeValue::ZERO)))
    });
    functions.add("mustToDate", Signature::of(&[Parameter::String, Parameter::String]), |call| {
        let time = parse::parse(call.string(0).as_bytes(), call.string(1).as_bytes());
        time.map(GoValue::object).map_err(FunctionError::new)
    });
    functions.add("unixEpoch", Signature::of(&[Parameter::Object(time::TYPE_NAME)]), |call| {
        Ok(GoValue::string(argument(call, 0)?.unix_seconds().to_string()))
    });
    functions.add("ago", ANY, |call| {
        let now = now(call.host);
        let time = match call.take(0) {
            GoValue::Integer(_, IntegerType::Int32) => now.clone(),
            other => time_of(&other).unwrap_or_else(|| now.clone()),
        };
        Ok(GoValue::string(GoDuration::from_nanos(rounded(now.minus(&time), SECOND)).to_string()))
    });
    functions.add("duration", ANY, |call| {
        let seconds = match call.take(0) {
            GoValue::String(text) => decimal_digits(&text.to_text()),
            GoValue::Integer(seconds, IntegerType::Int64) => seconds as i64,
            _ => 0,
        };
        Ok(GoValue::string(GoDuration::from_nanos(seconds.wrapping_mul(SECOND)).to_string()))
    });
    functions.add("durationRound", ANY, |call| {
        let nanoseconds = match call.take(0) {
            GoValue::String(text) => duration(&text).unwrap_or(0),
            GoValue::Integer(nanoseconds, IntegerType::Int64) => nanoseconds as i64,
            other => TimeValue::of(&other).map_or(0, |time| now(call.host).minus(time)),
        };
        Ok(GoValue::string(span::largest_unit(nanoseconds)))
    });
}

/// Adds the functions of durations that Helm has since its version 4.
pub fn add_durations(functions: &mut FunctionSet) {
    functions.add("mustToDuration", ANY, |call| {
        lenient_duration(&call.take(0)).map(|nanoseconds| GoValue::object(DurationValue::new(nanoseconds)))
    });
    add_float(functions, "durationSeconds", |nanoseconds| span::in_units(nanoseconds, SECOND));
    add_float(functions, "durationMinutes", |nanoseconds| span::in_units(nanoseconds, 60 * SECOND));
    add_float(functions, "durationHours", hours);
    add_float(functions, "durationDays", |nanoseconds| hours(nanoseconds) / 24.0);
    add_float(functions, "durationWeeks", |nanoseconds| hours(nanoseconds) / 24.0 / 7.0);
    for (name, unit) in [("durationMilliseconds", 1_000_000), ("durationMicroseconds", 1_000), ("durationNanoseconds", 1)] {
        functions.add(name, ANY, move |call| Ok(GoValue::int64(lenient_duration(&call.take(0)).unwrap_or(0) / unit)));
    }
    for (name, operation) in [("durationRoundTo", rounded as fn(i64, i64) -> i64), ("durationTruncateTo", truncated)] {
        functions.add(name, Signature::of(&[Parameter::Any, Parameter::Any]), move |call| {
            let nanoseconds = match (lenient_duration(&call.take(0)), lenient_duration(&call.take(1))) {
                (Ok(nanoseconds), Ok(unit)) => operation(nanoseconds, unit),
                (Ok(nanoseconds), Err(_)) => nanoseconds,
                (Err(_), _) => 0,
            };
            Ok(GoValue::object(DurationValue::new(nanoseconds)))
        });
    }
}

fn add_float(functions: &mut FunctionSet, name: &'static str, convert: fn(i64) -> f64) {
    functions.add(name, ANY, move |call| Ok(convert(lenient_duration(&call.take(0)).unwrap_or(0)).into()));
}

fn hours(nanoseconds: i64) -> f64 {
    span::in_units(nanoseconds, 3600 * SECOND)
}

fn now(host: &dyn TemplateHost) -> TimeValue {
    TimeValue::new(host.now().as_nanosecond(), Zone::Local)
}

/// Takes an argument whose parameter is `time.Time`.
fn argument(call: &mut FunctionCall<'_>, index: usize) -> Result<TimeValue, FunctionError> {
    let value = call.take(index);
    let time = TimeValue::of(&value).cloned();
    time.ok_or_else(|| {
        FunctionError::Argument(index, format!("wrong type for value; expected time.Time; got {}", value.type_name()))
    })
}

/// Returns the time of a `time.Time`, or of an integer of seconds since 1970.
fn time_of(value: &GoValue) -> Option<TimeValue> {
    match value {
        GoValue::Integer(seconds, IntegerType::Int | IntegerType::Int32 | IntegerType::Int64) => {
            Some(TimeValue::new(seconds.saturating_mul(SECOND.into()), Zone::Local))
        }
        other => TimeValue::of(other).cloned(),
    }
}

/// Prints a time in a zone; the present time for a value that is no time.
fn printed(layout: &GoString, value: &GoValue, zone: Zone, host: &dyn TemplateHost) -> GoValue {
    let time = time_of(value).unwrap_or_else(|| now(host)).in_zone(zone);
    GoValue::string(print::print(&time, layout.as_bytes()))
}

/// Returns the nanoseconds of a text such as `1h30m`.
fn duration(text: &GoString) -> Result<i64, FunctionError> {
    let duration = GoDuration::parse(&text.to_text());
    duration.map(GoDuration::nanos).map_err(|error| FunctionError::new(error.to_string()))
}

/// Returns the nanoseconds of a duration, of its text, or of a number of seconds, also as a text.
fn lenient_duration(value: &GoValue) -> Result<i64, FunctionError> {
    match value {
        GoValue::String(text) => {
            let text = text.to_text();
            let trimmed = text.trim();
            if trimmed.is_empty() {
                return Err(FunctionError::new("empty duration"));
            }
            if let Ok(duration) = GoDuration::parse(trimmed) {
                return Ok(duration.nanos());
            }
            let seconds = parse_float(trimmed);
            let invalid = || FunctionError::new(format!("could not parse duration {}", format::quote(text.as_bytes())));
            float_seconds(seconds.ok_or_else(invalid)?)
        }
        GoValue::Integer(seconds, _) => {
            let nanoseconds = seconds.checked_mul(SECOND.into()).and_then(|nanoseconds| i64::try_from(nanoseconds).ok());
            nanoseconds.ok_or_else(|| FunctionError::new(format!("duration seconds overflow: {seconds}")))
        }
        GoValue::Float(seconds) => float_seconds(*seconds),
        GoValue::Nil => Err(FunctionError::new("invalid duration")),
        GoValue::Object(object) => match (DurationValue::of(value), object.elements()) {
            (Some(nanoseconds), _) => Ok(nanoseconds),
            (None, Some(number @ GoValue::Integer(..))) => lenient_duration(&number),
            _ => Err(unsupported(value)),
        },
        GoValue::Bool(_) | GoValue::List(_) | GoValue::Map(_) => Err(unsupported(value)),
    }
}

fn unsupported(value: &GoValue) -> FunctionError {
    FunctionError::new(format!("unsupported duration type {}", value.type_name()))
}

fn float_seconds(seconds: f64) -> Result<i64, FunctionError> {
    const LIMIT: f64 = i64::MAX as f64 / SECOND as f64;
    if !seconds.is_finite() {
        return Err(FunctionError::new(format!("invalid duration seconds: {}", format::shortest_float(seconds))));
    }
    if seconds.abs() > LIMIT {
        return Err(FunctionError::new(format!("duration seconds overflow: {}", format::shortest_float(seconds))));
    }
    Ok((seconds * SECOND as f64) as i64)
}
