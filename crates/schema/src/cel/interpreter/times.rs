//! The parts of a time in a time zone.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use kube_cel::cel::Value as Cel;

use super::failure::EvaluationFailure;

type Outcome = Result<Cel, EvaluationFailure>;

/// Calls a function of times in a zone; returns `None` for other functions.
pub(super) fn call(name: &str, arguments: &[Cel]) -> Option<Outcome> {
    let [Cel::Timestamp(time), Cel::String(zone)] = arguments else {
        return None;
    };
    let nanos = i32::try_from(time.timestamp_subsec_nanos()).unwrap_or_default();
    let zoned = Timestamp::new(time.timestamp(), nanos).ok().zip(zone_of(zone)).map(|(time, zone)| time.to_zoned(zone));
    let Some(zoned) = zoned else {
        return Some(Err(EvaluationFailure::new(format!("unknown time zone {zone}"))));
    };
    let part = match name {
        "getFullYear" => i64::from(zoned.year()),
        "getMonth" => i64::from(zoned.month()) - 1,
        "getDate" => i64::from(zoned.day()),
        "getDayOfMonth" => i64::from(zoned.day()) - 1,
        "getDayOfYear" => i64::from(zoned.day_of_year()) - 1,
        "getDayOfWeek" => i64::from(zoned.weekday().to_sunday_zero_offset()),
        "getHours" => i64::from(zoned.hour()),
        "getMinutes" => i64::from(zoned.minute()),
        "getSeconds" => i64::from(zoned.second()),
        "getMilliseconds" => i64::from(zoned.millisecond()),
        _ => return None,
    };
    Some(Ok(Cel::Int(part)))
}

/// Returns a zone by its name, or by its offset such as `-02:30`.
fn zone_of(text: &str) -> Option<TimeZone> {
    let Some((hours, minutes)) = text.split_once(':') else {
        return if text == "UTC" { Some(TimeZone::UTC) } else { TimeZone::get(text).ok() };
    };
    let sign = if hours.starts_with('-') { -1 } else { 1 };
    let hours: i32 = hours.trim_start_matches(['+', '-']).parse().ok()?;
    let minutes: i32 = minutes.parse().ok()?;
    jiff::tz::Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok().map(TimeZone::fixed)
}
