//! Times from texts in the form of a layout.

use super::civil::{CivilTime, days_in, is_leap};
use super::layout::{LayoutElement, OffsetForm, Padding, first_element};
use super::names::{MONTHS, WEEKDAYS, abbreviated};
use super::reading::ElementError::{self, Malformed, OutOfRange};
use super::reading::{
    fraction_length, in_range, integer, is_digit, name_index, nanoseconds, number, quoted, skip_blanks, take, without_blanks,
};
use super::time::TimeValue;
use super::zone::Zone;
use super::zone_name::{hours_behind_gmt, zone_name_length};

const SECOND: i128 = 1_000_000_000;

/// The parts of a time that have been read so far.
#[derive(Default)]
struct ReadTime {
    year: i64,
    month: Option<i64>,
    day: Option<i64>,
    day_of_year: Option<i64>,
    hour: i64,
    minute: i64,
    second: i64,
    nanosecond: i64,
    /// True for the second half of the day, false for the first.
    is_afternoon: Option<bool>,
    is_utc: bool,
    offset: Option<i32>,
    zone_name: String,
}

/// Reads a time. Parts that the layout does not have are those of the first of January of the year 0; a time without a zone is in UTC. The error is Go's
/// text.
pub(super) fn parse(layout: &[u8], value: &[u8]) -> Result<TimeValue, String> {
    let failure = |element: &[u8], rest: &[u8]| {
        format!("parsing time {} as {}: cannot parse {} as {}", quoted(value), quoted(layout), quoted(rest), quoted(element))
    };
    let refused = |reason: &str| format!("parsing time {}: {reason}", quoted(value));
    let mut read = ReadTime::default();
    let (mut layout_rest, mut rest) = (layout, value);
    while let Some((element, range)) = first_element(layout_rest) {
        let (prefix, text) = (&layout_rest[..range.start], &layout_rest[range.clone()]);
        skip(&mut rest, prefix).map_err(|()| failure(prefix, rest))?;
        layout_rest = &layout_rest[range.end..];
        let start = rest;
        read.element(element, &mut rest, layout_rest).map_err(|error| match error {
            Malformed => failure(text, start),
            OutOfRange(name) => refused(&format!("{name} out of range")),
        })?;
    }
    skip(&mut rest, layout_rest).map_err(|()| failure(layout_rest, rest))?;
    if !rest.is_empty() {
        return Err(refused(&format!("extra text: {}", quoted(rest))));
    }
    read.time().map_err(refused)
}

impl ReadTime {
    /// Reads one element from the beginning of the text.
    fn element(&mut self, element: LayoutElement, rest: &mut &[u8], following: &[u8]) -> Result<(), ElementError> {
        match element {
            LayoutElement::Year => {
                if !is_digit(rest, 0) {
                    return Err(Malformed);
                }
                self.year = integer(take(rest, 4)?)?;
            }
            LayoutElement::ShortYear => {
                let year = integer(take(rest, 2)?)?;
                self.year = if year >= 69 { year + 1900 } else { year + 2000 };
            }
            LayoutElement::LongMonth => self.month = Some(name_index(rest, MONTHS.into_iter())? + 1),
            LayoutElement::ShortMonth => self.month = Some(name_index(rest, MONTHS.into_iter().map(abbreviated))? + 1),
            LayoutElement::Month(padding) => {
                let month = number(rest, padding)?;
                self.month = Some(month);
                in_range(month, 1, 12, "month")?;
            }
            LayoutElement::LongWeekday => drop(name_index(rest, WEEKDAYS.into_iter())?),
            LayoutElement::ShortWeekday => drop(name_index(rest, WEEKDAYS.into_iter().map(abbreviated))?),
            LayoutElement::Day(padding) => {
                skip_blanks(rest, padding, 1);
                self.day = Some(number(rest, padding)?);
            }
            LayoutElement::DayOfYear(padding) => {
                skip_blanks(rest, padding, 2);
                let digits = rest.iter().take(3).take_while(|byte| byte.is_ascii_digit()).count();
                if digits == 0 || padding == Padding::Zero && digits != 3 {
                    return Err(Malformed);
                }
                self.day_of_year = Some(integer(take(rest, digits)?)?);
            }
            LayoutElement::Hour => {
                self.hour = number(rest, Padding::None)?;
                in_range(self.hour, 0, 23, "hour")?;
            }
            LayoutElement::HalfDayHour(padding) => {
                self.hour = number(rest, padding)?;
                in_range(self.hour, 0, 12, "hour")?;
            }
            LayoutElement::Minute(padding) => {
                self.minute = number(rest, padding)?;
                in_range(self.minute, 0, 59, "minute")?;
            }
            LayoutElement::Second(padding) => {
                self.second = number(rest, padding)?;
                in_range(self.second, 0, 59, "second")?;
                self.undeclared_fraction(rest, following)?;
            }
            LayoutElement::HalfDay(is_small) => {
                let (morning, afternoon): (&[u8], &[u8]) = if is_small { (b"am", b"pm") } else { (b"AM", b"PM") };
                let half = take(rest, 2)?;
                // Text that has both is of the afternoon.
                if half == afternoon {
                    self.is_afternoon = Some(true);
                } else if half == morning {
                    self.is_afternoon.get_or_insert(false);
                } else {
                    return Err(Malformed);
                }
            }
            LayoutElement::Offset(form) => self.numeric_offset(rest, form)?,
            LayoutElement::ZoneName if rest.starts_with(b"UTC") => {
                self.is_utc = true;
                *rest = &rest[3..];
            }
            LayoutElement::ZoneName => {
                let name = take(rest, zone_name_length(rest).ok_or(Malformed)?)?;
                self.zone_name = String::from_utf8_lossy(name).into_owned();
            }
            LayoutElement::Fraction(_, digits) => self.nanosecond = nanoseconds(take(rest, digits + 1)?)?,
            LayoutElement::TrimmedFraction(..) => {
                if let Some(length) = fraction_length(rest) {
                    self.nanosecond = nanoseconds(take(rest, length)?)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a fraction behind the seconds that the layout does not have.
    fn undeclared_fraction(&mut self, rest: &mut &[u8], following: &[u8]) -> Result<(), ElementError> {
        let is_declared =
            matches!(first_element(following), Some((LayoutElement::Fraction(..) | LayoutElement::TrimmedFraction(..), _)));
        match fraction_length(rest) {
            Some(length) if !is_declared => {
                self.nanosecond = nanoseconds(take(rest, length)?)?;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn numeric_offset(&mut self, rest: &mut &[u8], form: OffsetForm) -> Result<(), ElementError> {
        if form.has_z && rest.starts_with(b"Z") {
            self.is_utc = true;
            *rest = &rest[1..];
            return Ok(());
        }
        let colon = usize::from(form.has_colons);
        let text = take(rest, 1 + form.numbers * 2 + (form.numbers - 1) * colon)?;
        let mut numbers = [0; 3];
        for (index, value) in numbers.iter_mut().enumerate().take(form.numbers) {
            let start = 1 + index * (2 + colon);
            if index > 0 && form.has_colons && text[start - 1] != b':' {
                return Err(Malformed);
            }
            *value = number(&mut &text[start..start + 2], Padding::Zero)?;
        }
        // Some write offsets of 24 hours, or of 60 minutes.
        for ((value, limit), name) in numbers.iter().zip([24, 60, 60]).zip(["hour", "minute", "second"]).rev() {
            if *value > limit {
                return Err(OutOfRange(match name {
                    "hour" => "time zone offset hour",
                    "minute" => "time zone offset minute",
                    _ => "time zone offset second",
                }));
            }
        }
        let size = ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) as i32;
        self.offset = match text[0] {
            b'+' => Some(size),
            b'-' => Some(-size),
            _ => return Err(Malformed),
        };
        Ok(())
    }

    /// Returns the time of all parts. The error is the reason for which they do not fit together.
    fn time(mut self) -> Result<TimeValue, &'static str> {
        match self.is_afternoon {
            Some(true) if self.hour < 12 => self.hour += 12,
            Some(false) if self.hour == 12 => self.hour = 0,
            _ => {}
        }
        if let Some(day_of_year) = self.day_of_year {
            let (month, day) = date_of(self.year, day_of_year).ok_or("day-of-year out of range")?;
            if self.month.is_some_and(|own| own != month) {
                return Err("day-of-year does not match month");
            }
            if self.day.is_some_and(|own| own != day) {
                return Err("day-of-year does not match day");
            }
            (self.month, self.day) = (Some(month), Some(day));
        }
        let (month, day) = (self.month.unwrap_or(1), self.day.unwrap_or(1));
        if day < 1 || day > days_in(self.year, month) {
            return Err("day out of range");
        }
        let civil = CivilTime { year: self.year, month, day, hour: self.hour, minute: self.minute, second: self.second };
        let (seconds, zone) = self.zone();
        let seconds = i128::from(civil.seconds()) - i128::from(seconds);
        Ok(TimeValue::new(seconds * SECOND + i128::from(self.nanosecond), zone))
    }

    /// Returns the zone, and the offset by which the time is converted to UTC.
    fn zone(&self) -> (i32, Zone) {
        match self.offset {
            _ if self.is_utc => (0, Zone::Utc),
            Some(0) if matches!(&*self.zone_name, "" | "UTC") => (0, Zone::Local),
            Some(offset) => (offset, Zone::Fixed(self.zone_name.clone(), offset)),
            None if self.zone_name.is_empty() => (0, Zone::Local),
            // The offset of a name is unknown: the time is taken as UTC.
            None => (0, Zone::Fixed(self.zone_name.clone(), hours_behind_gmt(&self.zone_name) * 3600)),
        }
    }
}

/// Returns the month and day of a day of the year.
fn date_of(year: i64, day_of_year: i64) -> Option<(i64, i64)> {
    let length = if is_leap(year) { 366 } else { 365 };
    if !(1..=length).contains(&day_of_year) {
        return None;
    }
    let mut day = day_of_year;
    for month in 1..=12 {
        let days = days_in(year, month);
        if day <= days {
            return Some((month, day));
        }
        day -= days;
    }
    None
}

/// Reads the text between two elements. A blank stands for any number of blanks.
fn skip(rest: &mut &[u8], mut prefix: &[u8]) -> Result<(), ()> {
    while let [first, following @ ..] = prefix {
        if *first == b' ' {
            if rest.first().is_some_and(|byte| *byte != b' ') {
                return Err(());
            }
            prefix = without_blanks(prefix);
            *rest = without_blanks(rest);
            continue;
        }
        if rest.first() != Some(first) {
            return Err(());
        }
        prefix = following;
        *rest = &rest[1..];
    }
    Ok(())
}
