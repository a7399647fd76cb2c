//! Times as texts.

use super::layout::{LayoutElement, OffsetForm, Padding, first_element};
use super::names::{MONTHS, WEEKDAYS, abbreviated};
use super::time::TimeValue;
use super::zone::ZoneOffset;

/// The layout of the `String` method.
pub(super) const TEXT_LAYOUT: &[u8] = b"2006-01-02 15:04:05.999999999 -0700 MST";
/// The layout of the encoding in JSON: RFC 3339 with as many digits of the fraction as there are.
pub(super) const RFC_3339_LAYOUT: &[u8] = b"2006-01-02T15:04:05.999999999Z07:00";

/// Writes a time in the form of a layout. All that is no element of the layout stands for itself.
pub(super) fn print(time: &TimeValue, mut layout: &[u8]) -> Vec<u8> {
    let offset = time.offset();
    let mut output = Vec::new();
    while let Some((element, range)) = first_element(layout) {
        output.extend_from_slice(&layout[..range.start]);
        output.extend_from_slice(text(time, &offset, element).as_bytes());
        layout = &layout[range.end..];
    }
    output.extend_from_slice(layout);
    output
}

fn text(time: &TimeValue, offset: &ZoneOffset, element: LayoutElement) -> String {
    let civil = time.civil();
    let month = MONTHS[(civil.month - 1) as usize % 12];
    let weekday = WEEKDAYS[civil.weekday() as usize % 7];
    match element {
        LayoutElement::LongMonth => month.to_owned(),
        LayoutElement::ShortMonth => abbreviated(month).to_owned(),
        LayoutElement::Month(padding) => padded(civil.month, padding, 2),
        LayoutElement::LongWeekday => weekday.to_owned(),
        LayoutElement::ShortWeekday => abbreviated(weekday).to_owned(),
        LayoutElement::Day(padding) => padded(civil.day, padding, 2),
        LayoutElement::DayOfYear(padding) => padded(civil.day_of_year(), padding, 3),
        LayoutElement::Hour => padded(civil.hour, Padding::Zero, 2),
        // Noon and midnight are twelve.
        LayoutElement::HalfDayHour(padding) => padded((civil.hour + 11) % 12 + 1, padding, 2),
        LayoutElement::Minute(padding) => padded(civil.minute, padding, 2),
        LayoutElement::Second(padding) => padded(civil.second, padding, 2),
        LayoutElement::Year => {
            let sign = if civil.year < 0 { "-" } else { "" };
            format!("{sign}{:04}", civil.year.unsigned_abs())
        }
        LayoutElement::ShortYear => padded(civil.year.max(0) % 100, Padding::Zero, 2),
        LayoutElement::HalfDay(is_small) => match (civil.hour >= 12, is_small) {
            (true, false) => "PM",
            (true, true) => "pm",
            (false, false) => "AM",
            (false, true) => "am",
        }
        .to_owned(),
        LayoutElement::ZoneName if offset.abbreviation.is_empty() => {
            numeric_offset(offset.seconds, OffsetForm { has_z: false, has_colons: false, numbers: 2 })
        }
        LayoutElement::ZoneName => offset.abbreviation.clone(),
        LayoutElement::Offset(form) => numeric_offset(offset.seconds, form),
        LayoutElement::Fraction(separator, digits) => {
            format!("{}{}", char::from(separator), fraction(time.nanosecond(), digits))
        }
        LayoutElement::TrimmedFraction(separator, digits) => {
            let digits = fraction(time.nanosecond(), digits);
            match digits.trim_end_matches('0') {
                "" => String::new(),
                digits => format!("{}{digits}", char::from(separator)),
            }
        }
    }
}

fn padded(number: i64, padding: Padding, width: usize) -> String {
    match padding {
        Padding::None => number.to_string(),
        Padding::Blank => format!("{number:width$}"),
        Padding::Zero => format!("{number:0width$}"),
    }
}

/// Returns the first digits of a fraction of a second; it has nine.
fn fraction(nanosecond: u32, digits: usize) -> String {
    let mut text = format!("{nanosecond:09}");
    text.truncate(digits);
    text
}

fn numeric_offset(seconds: i32, form: OffsetForm) -> String {
    if form.has_z && seconds == 0 {
        return "Z".to_owned();
    }
    // The sign is that of whole minutes.
    let sign = if seconds <= -60 { '-' } else { '+' };
    let size = seconds.unsigned_abs();
    let numbers = [size / 3600, size / 60 % 60, size % 60].map(|number| format!("{number:02}"));
    format!("{sign}{}", numbers[..form.numbers.min(3)].join(if form.has_colons { ":" } else { "" }))
}
