//! `printf`: directives in a text.

use super::LARGEST_TEXT;
use super::flags::PrintFlags;
use super::printer::ValuePrinter;
use crate::error::FunctionError;
use crate::value::{GoString, GoValue};

/// The largest width, precision and index of an argument.
const LARGEST: usize = 1_000_000;

/// Returns the format with the arguments in place of its directives, as `fmt.Sprintf` does. Mistakes are noted in the text, as Go notes them.
pub fn printf(format: &GoString, arguments: &[GoValue]) -> Result<GoString, FunctionError> {
    let mut directives = Directives {
        format: format.as_bytes(),
        position: 0,
        arguments,
        next: 0,
        is_reordered: false,
        has_good_index: true,
        printer: ValuePrinter::default(),
    };
    directives.run();
    let printer = &mut directives.printer;
    if printer.failure.is_none() && printer.output.len() > LARGEST_TEXT {
        printer.failure = Some(format!("the text is larger than {LARGEST_TEXT} bytes"));
    }
    match printer.failure.take() {
        Some(failure) => Err(FunctionError::new(failure)),
        None => Ok(std::mem::take(&mut printer.output).into()),
    }
}

/// A format, read up to a position.
struct Directives<'a> {
    format: &'a [u8],
    position: usize,
    arguments: &'a [GoValue],
    /// The index of the next argument.
    next: usize,
    /// True after an explicit index: extra arguments are then no mistake.
    is_reordered: bool,
    /// False if the present directive has an index that is wrong.
    has_good_index: bool,
    printer: ValuePrinter,
}

impl Directives<'_> {
    fn run(&mut self) {
        while self.position < self.format.len() && self.printer.output.len() <= LARGEST_TEXT {
            let rest = &self.format[self.position..];
            let length = rest.iter().position(|byte| *byte == b'%').unwrap_or(rest.len());
            self.printer.output.extend_from_slice(&rest[..length]);
            self.position += length;
            if self.take(b'%') {
                self.directive();
            }
        }
        if !self.is_reordered {
            self.extra();
        }
    }

    fn directive(&mut self) {
        self.has_good_index = true;
        self.printer.flags = PrintFlags::default();
        self.flags();
        let mut is_after_index = self.index();
        if self.take(b'*') {
            match self.integer() {
                Some(width) => {
                    self.printer.flags.width = Some(width.unsigned_abs() as usize);
                    if width < 0 {
                        self.printer.flags.minus = true;
                        self.printer.flags.zero = false;
                    }
                }
                None => self.printer.push("%!(BADWIDTH)"),
            }
            is_after_index = false;
        } else {
            self.printer.flags.width = self.number();
            if is_after_index && self.printer.flags.width.is_some() {
                self.has_good_index = false;
            }
        }
        if self.position + 1 < self.format.len() && self.take(b'.') {
            if is_after_index {
                self.has_good_index = false;
            }
            is_after_index = self.index();
            if self.take(b'*') {
                match self.integer().and_then(|precision| usize::try_from(precision).ok()) {
                    Some(precision) => self.printer.flags.precision = Some(precision),
                    None => self.printer.push("%!(BADPREC)"),
                }
                is_after_index = false;
            } else {
                self.printer.flags.precision = Some(self.number().unwrap_or(0));
            }
        }
        if !is_after_index {
            self.index();
        }
        self.verb();
    }

    fn flags(&mut self) {
        let flags = &mut self.printer.flags;
        while let Some(byte) = self.format.get(self.position) {
            match byte {
                b'#' => flags.sharp = true,
                b'0' => flags.zero = true,
                b'+' => flags.plus = true,
                b'-' => flags.minus = true,
                b' ' => flags.space = true,
                _ => break,
            }
            self.position += 1;
        }
    }

    fn verb(&mut self) {
        let Some(verb) = self.take_character() else {
            self.printer.push("%!(NOVERB)");
            return;
        };
        if verb == '%' {
            self.printer.push("%");
            return;
        }
        if !self.has_good_index {
            self.printer.push(&format!("%!{verb}(BADINDEX)"));
            return;
        }
        let Some(argument) = self.arguments.get(self.next) else {
            self.printer.push(&format!("%!{verb}(MISSING)"));
            return;
        };
        let flags = &mut self.printer.flags;
        if matches!(verb, 'v' | 'w') {
            flags.syntax = std::mem::take(&mut flags.sharp);
            flags.names = std::mem::take(&mut flags.plus);
        }
        self.printer.argument(argument, verb);
        self.next += 1;
    }

    /// Notes the arguments without a directive.
    fn extra(&mut self) {
        let Some(extra) = self.arguments.get(self.next..).filter(|extra| !extra.is_empty()) else { return };
        self.printer.flags = PrintFlags::default();
        self.printer.push("%!(EXTRA ");
        for (index, argument) in extra.iter().enumerate() {
            if index > 0 {
                self.printer.push(", ");
            }
            if !matches!(argument, GoValue::Nil) {
                self.printer.push(argument.type_name());
                self.printer.push("=");
            }
            self.printer.argument(argument, 'v');
        }
        self.printer.push(")");
    }

    /// Reads the index of an argument, `[2]`. The result is true if there is one.
    fn index(&mut self) -> bool {
        if self.format.get(self.position) != Some(&b'[') {
            return false;
        }
        self.is_reordered = true;
        let rest = &self.format[self.position..];
        let Some(end) = rest.iter().position(|byte| *byte == b']').filter(|_| rest.len() >= 3) else {
            self.position += 1;
            self.has_good_index = false;
            return false;
        };
        let number = digits(&rest[1..end]).filter(|(_, length)| *length == end - 1).map(|(number, _)| number);
        self.position += end + 1;
        match number {
            Some(number) if (1..=self.arguments.len()).contains(&number) => {
                self.next = number - 1;
                true
            }
            other => {
                self.has_good_index = false;
                other.is_some()
            }
        }
    }

    /// Reads a number, if there is one. One that is too large takes the rest of the format with it.
    fn number(&mut self) -> Option<usize> {
        let rest = &self.format[self.position..];
        if !rest.first().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        if let Some((number, length)) = digits(rest) {
            self.position += length;
            return Some(number);
        }
        self.position = self.format.len();
        None
    }

    /// Takes the next argument as a width or a precision.
    fn integer(&mut self) -> Option<i64> {
        let argument = self.arguments.get(self.next)?;
        self.next += 1;
        let GoValue::Integer(value, _) = argument else { return None };
        (value.unsigned_abs() <= LARGEST as u128).then_some(*value as i64)
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.format.get(self.position) == Some(&byte);
        self.position += usize::from(is_next);
        is_next
    }

    fn take_character(&mut self) -> Option<char> {
        let rest = &self.format[self.position..];
        let chunk = rest[..rest.len().min(4)].utf8_chunks().next()?;
        let character = chunk.valid().chars().next();
        self.position += character.map_or(1, char::len_utf8);
        Some(character.unwrap_or(char::REPLACEMENT_CHARACTER))
    }
}

/// Returns the number with which a text begins, and the number of its digits; None if there is none, or if it is too large.
fn digits(text: &[u8]) -> Option<(usize, usize)> {
    let mut number = 0_usize;
    let mut length = 0;
    for byte in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        if number > LARGEST {
            return None;
        }
        number = number * 10 + usize::from(byte - b'0');
        length += 1;
    }
    (length > 0).then_some((number, length))
}
