//! Schedules of five fields: minute, hour, day of month, month, day of week.

use jiff::{Timestamp, ToSpan, Unit, Zoned, ZonedRound};

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
/// The maximum number of steps in a search for the next time. A schedule without a match by then never matches, such as the 30th of February.
const STEPS: usize = 10_000;

/// The times of a repeated event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CronSchedule {
    minutes: u64,
    hours: u64,
    days: u64,
    months: u64,
    weekdays: u64,
    /// True if day of month and day of week are both restricted; one match then suffices.
    either_day: bool,
}

impl CronSchedule {
    /// Parses five fields, or a name such as `@daily`.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = match text.trim() {
            "@yearly" | "@annually" => "0 0 1 1 *",
            "@monthly" => "0 0 1 * *",
            "@weekly" => "0 0 * * 0",
            "@daily" | "@midnight" => "0 0 * * *",
            "@hourly" => "0 * * * *",
            other => other,
        };
        let fields: Vec<&str> = text.split_whitespace().collect();
        let [minutes, hours, days, months, weekdays] = fields.try_into().ok()?;
        let weekday_bits = field(weekdays, 0, 7, &DAYS, 0)?;
        Some(Self {
            minutes: field(minutes, 0, 59, &[], 0)?,
            hours: field(hours, 0, 23, &[], 0)?,
            days: field(days, 1, 31, &[], 0)?,
            months: field(months, 1, 12, &MONTHS, 1)?,
            // Sunday is 0 and 7.
            weekdays: weekday_bits | (weekday_bits >> 7 & 1),
            either_day: !is_open(days) && !is_open(weekdays),
        })
    }

    /// Returns the first matching time after this one, in its time zone.
    pub(crate) fn after(&self, time: &Zoned) -> Option<Zoned> {
        let minute = ZonedRound::new().smallest(Unit::Minute).mode(jiff::RoundMode::Trunc);
        let mut time = time.round(minute).ok()?.checked_add(1.minute()).ok()?;
        for _ in 0..STEPS {
            if !has(self.months, i64::from(time.month())) {
                time = time.first_of_month().ok()?.checked_add(1.month()).ok()?.start_of_day().ok()?;
            } else if !self.is_day(&time) {
                time = time.checked_add(1.day()).ok()?.start_of_day().ok()?;
            } else if !has(self.hours, i64::from(time.hour())) {
                time = time.checked_add((60 - i64::from(time.minute())).minutes()).ok()?;
            } else if !has(self.minutes, i64::from(time.minute())) {
                time = time.checked_add(1.minute()).ok()?;
            } else {
                return Some(time);
            }
        }
        None
    }

    /// Returns the last matching time up to `now`, given a matching time `known`. It searches by bisection, in about sixty steps.
    pub(crate) fn latest(&self, known: Zoned, now: &Zoned) -> Zoned {
        let second = |time: &Zoned| time.timestamp().as_second();
        let (mut latest, mut end) = (known, second(now));
        while second(&latest) < end {
            let middle = second(&latest) + (end - second(&latest)) / 2;
            let from = Timestamp::from_second(middle).ok().map(|time| time.to_zoned(now.time_zone().clone()));
            match from.and_then(|from| self.after(&from)).filter(|next| next <= now) {
                Some(next) => latest = next,
                None => end = middle,
            }
        }
        latest
    }

    fn is_day(&self, time: &Zoned) -> bool {
        let day = has(self.days, i64::from(time.day()));
        let weekday = has(self.weekdays, i64::from(time.weekday().to_sunday_zero_offset()));
        if self.either_day { day || weekday } else { day && weekday }
    }
}

fn has(bits: u64, number: i64) -> bool {
    bits >> number & 1 == 1
}

fn is_open(text: &str) -> bool {
    text.starts_with(['*', '?'])
}

/// Parses a list of `*`, numbers, names and ranges, each with an optional step.
fn field(text: &str, least: u32, most: u32, names: &[&str], first_name: u32) -> Option<u64> {
    let number = |text: &str| -> Option<u32> {
        let named = names.iter().position(|name| text.eq_ignore_ascii_case(name)).map(|index| index as u32 + first_name);
        named.or_else(|| text.parse().ok()).filter(|number| (least..=most).contains(number))
    };
    text.split(',').try_fold(0, |bits, part| {
        let (range, step) = match part.split_once('/') {
            Some((range, step)) => (range, Some(step.parse::<u32>().ok().filter(|step| *step > 0)?)),
            None => (part, None),
        };
        let (first, last) = match range.split_once('-') {
            _ if range == "*" || range == "?" => (least, most),
            Some((first, last)) => (number(first)?, number(last)?),
            // A number with a step is the start of a range to the maximum.
            None if step.is_some() => (number(range)?, most),
            None => (number(range)?, number(range)?),
        };
        if first > last {
            return None;
        }
        Some((first..=last).step_by(step.unwrap_or(1) as usize).fold(bits, |bits, number| bits | 1 << number))
    })
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    fn utc(text: &str) -> Zoned {
        text.parse::<Timestamp>().unwrap().to_zoned(TimeZone::UTC)
    }

    fn next(schedule: &str, from: &str) -> String {
        CronSchedule::parse(schedule).unwrap().after(&utc(from)).unwrap().timestamp().to_string()
    }

    // STG-12
    #[test]
    fn schedules_name_the_next_time() {
        // 2026-01-01 is a Thursday.
        for (schedule, from, expected) in [
            ("* * * * *", "2026-01-01T00:00:30Z", "2026-01-01T00:01:00Z"),
            ("*/15 * * * *", "2026-01-01T00:15:00Z", "2026-01-01T00:30:00Z"),
            ("5/20 * * * *", "2026-01-01T00:30:00Z", "2026-01-01T00:45:00Z"),
            ("0 8-17/3 * * mon-fri", "2026-01-02T17:00:00Z", "2026-01-05T08:00:00Z"),
            ("30 2 1 * *", "2026-01-01T02:30:00Z", "2026-02-01T02:30:00Z"),
            ("0 0 13 * 5", "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
            ("0 0 * * 7", "2026-01-01T00:00:00Z", "2026-01-04T00:00:00Z"),
            ("0 0 29 feb *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"),
            ("@hourly", "2026-01-01T00:00:00Z", "2026-01-01T01:00:00Z"),
        ] {
            assert_eq!(next(schedule, from), expected, "{schedule}");
        }
    }

    #[test]
    fn an_invalid_schedule_is_refused_and_an_impossible_date_has_no_next_time() {
        for wrong in
            ["", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "*/0 * * * *", "5-1 * * * *", "@never", "* * * * someday"]
        {
            assert_eq!(CronSchedule::parse(wrong), None, "{wrong:?}");
        }
        assert_eq!(CronSchedule::parse("0 0 30 2 *").unwrap().after(&utc("2026-01-01T00:00:00Z")), None);
    }

    // STG-12
    #[test]
    fn the_latest_of_many_missed_times_is_found() {
        for (schedule, now, latest) in [
            ("* * * * *", "2026-03-01T00:00:30Z", "2026-03-01T00:00:00Z"),
            ("*/7 3 * * 1", "2026-03-01T00:00:00Z", "2026-02-23T03:56:00Z"),
            ("0 0 29 2 *", "2027-01-01T00:00:00Z", "2024-02-29T00:00:00Z"),
        ] {
            let schedule = CronSchedule::parse(schedule).unwrap();
            let known = schedule.after(&utc("0001-01-01T00:00:00Z")).unwrap();
            assert_eq!(schedule.latest(known, &utc(now)).timestamp().to_string(), latest);
        }
    }
}
