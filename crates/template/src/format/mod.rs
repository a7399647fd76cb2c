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

/// The maximal size of a text that a function makes, in bytes; also the default limit of a template's output.
pub(crate) const LARGEST_TEXT: usize = 64 << 20;

/// Returns the texts of the values, as `fmt.Sprint` joins them: with blanks between two of which neither is a string.
pub(crate) fn print(arguments: &[GoValue]) -> GoString {
    let mut printer = ValuePrinter::default();
    let is_string = |value: &GoValue| value.kind() == "string";
    for (index, value) in arguments.iter().enumerate() {
        if index > 0 && !is_string(value) && !is_string(&arguments[index - 1]) {
            printer.push(" ");
        }
        printer.argument(value, 'v');
    }
    printer.noted().into()
}

/// Returns the texts of the values with blanks between them and a line break at the end, as `fmt.Sprintln` does.
pub(crate) fn println(arguments: &[GoValue]) -> GoString {
    let mut printer = ValuePrinter::default();
    for (index, value) in arguments.iter().enumerate() {
        if index > 0 {
            printer.push(" ");
        }
        printer.argument(value, 'v');
    }
    printer.push("\n");
    printer.noted().into()
}

/// Writes a value as an action does: as `%v`, but nil as `<no value>`.
pub(crate) fn print_value(output: &mut Vec<u8>, value: &GoValue) {
    match value {
        GoValue::Nil => output.extend_from_slice(b"<no value>"),
        GoValue::String(text) => output.extend_from_slice(text.as_bytes()),
        value => {
            let mut printer = ValuePrinter::default();
            printer.argument(value, 'v');
            output.append(&mut printer.noted());
        }
    }
}
