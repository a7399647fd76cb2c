//! Values as Go's `fmt` prints them: `print`, `println`, `printf` and the output of actions.

mod directive;
mod flags;
mod float;
mod number;
mod printer;
mod quote;
#[cfg(test)]
mod tests;

pub use directive::printf;
pub(crate) use float::{FloatForm, format_float, json_float, shortest_float};
pub(crate) use quote::{can_backquote, is_printable, quote, quote_ascii, quote_character};

use printer::ValuePrinter;

use crate::value::{GoString, GoValue};

/// Returns the texts of the values, as `fmt.Sprint` joins them: with blanks between two of which neither is a string.
pub(crate) fn print(arguments: &[GoValue]) -> GoString {
    let mut output = Vec::new();
    let is_string = |value: &GoValue| value.kind() == "string";
    for (index, value) in arguments.iter().enumerate() {
        if index > 0 && !is_string(value) && !is_string(&arguments[index - 1]) {
            output.push(b' ');
        }
        print_into(&mut output, value);
    }
    output.into()
}

/// Returns the texts of the values with blanks between them and a line break at the end, as `fmt.Sprintln` does.
pub(crate) fn println(arguments: &[GoValue]) -> GoString {
    let mut output = Vec::new();
    for (index, value) in arguments.iter().enumerate() {
        if index > 0 {
            output.push(b' ');
        }
        print_into(&mut output, value);
    }
    output.push(b'\n');
    output.into()
}

/// Writes a value as an action does: as `%v`, but nil as `<no value>`.
pub(crate) fn print_value(output: &mut Vec<u8>, value: &GoValue) {
    match value {
        GoValue::Nil => output.extend_from_slice(b"<no value>"),
        GoValue::String(text) => output.extend_from_slice(text.as_bytes()),
        value => print_into(output, value),
    }
}

/// Writes a value as `%v`. A value that is nested too deep, or too large, ends in a note that says so.
fn print_into(output: &mut Vec<u8>, value: &GoValue) {
    let mut printer = ValuePrinter::default();
    printer.argument(value, 'v');
    if let Some(failure) = printer.failure.take() {
        printer.push(&format!("%!({failure})"));
    }
    output.append(&mut printer.output);
}
