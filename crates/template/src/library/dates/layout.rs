//! Layouts: texts that show how the reference time, the second of January 2006 at 15:04:05, is written.

use std::ops::Range;

/// A part of a layout that stands for a part of a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LayoutElement {
    /// `January`.
    LongMonth,
    /// `Jan`.
    ShortMonth,
    /// `1`, or `01`.
    Month(Padding),
    /// `Monday`.
    LongWeekday,
    /// `Mon`.
    ShortWeekday,
    /// `2`, `_2`, or `02`.
    Day(Padding),
    /// `__2`, or `002`.
    DayOfYear(Padding),
    /// `15`.
    Hour,
    /// `3`, or `03`.
    HalfDayHour(Padding),
    /// `4`, or `04`.
    Minute(Padding),
    /// `5`, or `05`.
    Second(Padding),
    /// `2006`.
    Year,
    /// `06`.
    ShortYear,
    /// `PM`, or `pm` in small letters.
    HalfDay(bool),
    /// `MST`.
    ZoneName,
    /// `-0700` and its relatives.
    Offset(OffsetForm),
    /// `.000`, or `,000`, with its separator and the number of digits.
    Fraction(u8, usize),
    /// `.999`, or `,999`: without zeros at the end.
    TrimmedFraction(u8, usize),
}

/// The way in which a number is made as long as its largest value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Padding {
    /// It is not.
    None,
    /// Blanks.
    Blank,
    /// Zeros.
    Zero,
}

/// The form of an offset from UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OffsetForm {
    /// True if zero is written as `Z`.
    pub(super) has_z: bool,
    /// True for colons between the numbers.
    pub(super) has_colons: bool,
    /// The count of numbers: hours, minutes, seconds.
    pub(super) numbers: usize,
}

const fn offset(has_z: bool, has_colons: bool, numbers: usize) -> LayoutElement {
    LayoutElement::Offset(OffsetForm { has_z, has_colons, numbers })
}

/// The elements with their texts, without fractions, which have any length. Of texts that begin alike, the longer ones come first.
const ELEMENTS: [(&str, LayoutElement); 33] = [
    ("January", LayoutElement::LongMonth),
    ("Jan", LayoutElement::ShortMonth),
    ("Monday", LayoutElement::LongWeekday),
    ("Mon", LayoutElement::ShortWeekday),
    ("MST", LayoutElement::ZoneName),
    ("002", LayoutElement::DayOfYear(Padding::Zero)),
    ("01", LayoutElement::Month(Padding::Zero)),
    ("02", LayoutElement::Day(Padding::Zero)),
    ("03", LayoutElement::HalfDayHour(Padding::Zero)),
    ("04", LayoutElement::Minute(Padding::Zero)),
    ("05", LayoutElement::Second(Padding::Zero)),
    ("06", LayoutElement::ShortYear),
    ("15", LayoutElement::Hour),
    ("1", LayoutElement::Month(Padding::None)),
    ("2006", LayoutElement::Year),
    ("2", LayoutElement::Day(Padding::None)),
    ("__2", LayoutElement::DayOfYear(Padding::Blank)),
    ("_2", LayoutElement::Day(Padding::Blank)),
    ("3", LayoutElement::HalfDayHour(Padding::None)),
    ("4", LayoutElement::Minute(Padding::None)),
    ("5", LayoutElement::Second(Padding::None)),
    ("PM", LayoutElement::HalfDay(false)),
    ("pm", LayoutElement::HalfDay(true)),
    ("-070000", offset(false, false, 3)),
    ("-07:00:00", offset(false, true, 3)),
    ("-0700", offset(false, false, 2)),
    ("-07:00", offset(false, true, 2)),
    ("-07", offset(false, false, 1)),
    ("Z070000", offset(true, false, 3)),
    ("Z07:00:00", offset(true, true, 3)),
    ("Z0700", offset(true, false, 2)),
    ("Z07:00", offset(true, true, 2)),
    ("Z07", offset(true, false, 1)),
];

/// Returns the first element of a layout with the range of its text.
pub(super) fn first_element(layout: &[u8]) -> Option<(LayoutElement, Range<usize>)> {
    (0..layout.len()).find_map(|start| {
        let (element, length) = element_at(&layout[start..])?;
        Some((element, start..start + length))
    })
}

fn element_at(layout: &[u8]) -> Option<(LayoutElement, usize)> {
    // The underscore stands for itself here, and the year follows it.
    if layout.starts_with(b"_2006") {
        return None;
    }
    if let [separator @ (b'.' | b','), digit @ (b'0' | b'9'), ..] = layout {
        let digits = layout[1..].iter().take_while(|byte| *byte == digit).count();
        let is_whole = !layout.get(1 + digits).is_some_and(u8::is_ascii_digit);
        let element = if *digit == b'0' { LayoutElement::Fraction } else { LayoutElement::TrimmedFraction };
        return is_whole.then_some((element(*separator, digits), 1 + digits));
    }
    let (text, element) = ELEMENTS.iter().find(|(text, _)| layout.starts_with(text.as_bytes()))?;
    // `Jan` and `Mon` may begin other words.
    let begins_word = matches!(element, LayoutElement::ShortMonth | LayoutElement::ShortWeekday)
        && layout.get(text.len()).is_some_and(u8::is_ascii_lowercase);
    (!begins_word).then_some((*element, text.len()))
}
