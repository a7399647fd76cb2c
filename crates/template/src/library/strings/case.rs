//! Functions that change the case of letters.

use super::characters::{is_digit, is_letter, is_lower, is_title, is_upper, to_lower, to_title, to_upper};
use super::{TEXT, add_mapping, words};
use crate::function::FunctionSet;
use crate::value::GoValue;

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    add_mapping(functions, "upper", |text| text.to_text().chars().map(to_upper).collect::<String>());
    add_mapping(functions, "lower", |text| text.to_text().chars().map(to_lower).collect::<String>());
    add_mapping(functions, "title", |text| title(&text.to_text()));
    add_mapping(functions, "untitle", |text| untitle(&text.to_text()));
    add_mapping(functions, "swapcase", |text| swap_case(&text.to_text()));
    add_mapping(functions, "camelcase", |text| words::pascal_case(&text.to_text()));
    for (name, connector) in [("snakecase", '_'), ("kebabcase", '-')] {
        functions.add(name, TEXT, move |call| words::separated(call.string(0).as_bytes(), connector).map(GoValue::string));
    }
}

/// Sets the first letter of each word in title case. Words are separated by blanks, and in ASCII by all that is neither letter, digit nor `_`.
fn title(text: &str) -> String {
    let is_separator = |c: char| {
        if c.is_ascii() { !c.is_ascii_alphanumeric() && c != '_' } else { !is_letter(c) && !is_digit(c) && c.is_whitespace() }
    };
    let mut before = ' ';
    text.chars().map(|c| if is_separator(std::mem::replace(&mut before, c)) { to_title(c) } else { c }).collect()
}

/// Sets the first letter of each word in lower case. Words are separated by blanks.
fn untitle(text: &str) -> String {
    let mut is_start = true;
    let mapped = text.chars().map(|c| {
        let is_blank = c.is_whitespace();
        let is_first = std::mem::replace(&mut is_start, is_blank) && !is_blank;
        if is_first { to_lower(c) } else { c }
    });
    mapped.collect()
}

/// Swaps the case of letters; a small letter at the start of a word gets title case.
fn swap_case(text: &str) -> String {
    let mut is_after_blank = true;
    let mapped = text.chars().map(|c| {
        let is_start = is_after_blank;
        let is_letter_with_case = is_upper(c) || is_title(c) || is_lower(c);
        is_after_blank = !is_letter_with_case && c.is_whitespace();
        if !is_letter_with_case {
            c
        } else if !is_lower(c) {
            to_lower(c)
        } else if is_start {
            to_title(c)
        } else {
            to_upper(c)
        }
    });
    mapped.collect()
}
