//! Printing of values by a verb.

use std::fmt::Write as _;

use super::flags::PrintFlags;
use super::number::{write_float, write_integer};
use super::{LARGEST_TEXT, can_backquote, quote, quote_ascii};
use crate::value::{ElementType, GoList, GoMap, GoObject, GoString, GoValue, IntegerType, MapType};

/// The nesting of values beyond which printing stops: a map may contain itself.
const DEPTH: usize = 1000;
/// The address that pointers print. A real one would differ from run to run.
const ADDRESS: i128 = 0xc0_0000_0000;

/// A writer of values.
#[derive(Debug, Default)]
pub(super) struct ValuePrinter {
    pub(super) output: Vec<u8>,
    pub(super) flags: PrintFlags,
    /// The limit that was exceeded.
    pub(super) failure: Option<String>,
    /// True inside of a note about a wrong verb, where texts of objects are not used.
    is_noting: bool,
}

impl ValuePrinter {
    /// Writes an argument of `printf`, or a value by itself.
    pub(super) fn argument(&mut self, value: &GoValue, verb: char) {
        match (value, verb) {
            (GoValue::Nil, 'T' | 'v') => self.flags.pad(&mut self.output, b"<nil>"),
            (_, 'T') => {
                let flags = self.flags;
                flags.pad(&mut self.output, flags.cut(value.type_name().as_bytes()));
            }
            (_, 'p') => self.pointer(value, verb),
            // An error to wrap, which only `fmt.Errorf` knows.
            (value, 'w') if !is_bytes(value) => self.note(value, verb, 0),
            _ => self.value(value, verb, 0),
        }
    }

    /// Writes a note: the verb does not fit the value.
    pub(super) fn note(&mut self, value: &GoValue, verb: char, depth: usize) {
        let was_noting = std::mem::replace(&mut self.is_noting, true);
        self.push(&format!("%!{verb}("));
        if matches!(value, GoValue::Nil) {
            self.push("<nil>");
        } else {
            self.push(value.type_name());
            self.push("=");
            self.value(value, 'v', depth);
        }
        self.push(")");
        self.is_noting = was_noting;
    }

    /// Returns the text, at the end of which a note tells of a value that is nested too deep, or of a text that is too large.
    pub(super) fn noted(mut self) -> Vec<u8> {
        if let Some(failure) = self.failure.take() {
            self.push(&format!("%!({failure})"));
        }
        self.output
    }

    pub(super) fn push(&mut self, text: &str) {
        self.output.extend_from_slice(text.as_bytes());
    }

    fn value(&mut self, value: &GoValue, verb: char, depth: usize) {
        if depth > DEPTH {
            self.failure.get_or_insert_with(|| format!("the value is nested more than {DEPTH} levels deep"));
        }
        // Shared values can make a text of any size.
        if self.output.len() > LARGEST_TEXT {
            self.failure.get_or_insert_with(|| format!("the text of the value is larger than {LARGEST_TEXT} bytes"));
        }
        if self.failure.is_some() {
            return;
        }
        let flags = self.flags;
        let is_written = match value {
            GoValue::Nil => return self.note(value, verb, depth),
            GoValue::Bool(value) if matches!(verb, 't' | 'v') => {
                flags.pad(&mut self.output, if *value { b"true" } else { b"false" });
                true
            }
            GoValue::Bool(_) => false,
            GoValue::Integer(value, type_) => write_integer(&mut self.output, *value, *type_, verb, &flags),
            GoValue::Float(value) => write_float(&mut self.output, *value, verb, &flags),
            GoValue::String(text) => self.string(text.as_bytes(), verb),
            GoValue::List(list) => {
                self.list(list, list.type_name(), verb, depth);
                true
            }
            GoValue::Map(map) => {
                self.map(map, map.type_name(), verb, depth);
                true
            }
            GoValue::Object(object) => {
                self.object(value, object.as_ref(), verb, depth);
                true
            }
        };
        if !is_written {
            self.note(value, verb, depth);
        }
    }

    /// Writes a value inside of another one.
    fn element(&mut self, value: &GoValue, verb: char, depth: usize) {
        match value {
            GoValue::Nil if self.flags.syntax => self.push("interface {}(nil)"),
            GoValue::Nil => self.push("<nil>"),
            value => self.value(value, verb, depth + 1),
        }
    }

    /// Writes a text. The result is false if the verb is none of texts.
    fn string(&mut self, text: &[u8], verb: char) -> bool {
        let flags = self.flags;
        match verb {
            'v' if flags.syntax => self.quoted(text),
            'v' | 's' => flags.pad(&mut self.output, flags.cut(text)),
            'q' => self.quoted(text),
            'x' => self.hexadecimal(text, false),
            'X' => self.hexadecimal(text, true),
            _ => return false,
        }
        true
    }

    fn quoted(&mut self, text: &[u8]) {
        let flags = self.flags;
        let text = flags.cut(text);
        let quoted = match () {
            () if flags.sharp && can_backquote(text) => format!("`{}`", GoString::from(text).to_text()),
            () if flags.plus => quote_ascii(text),
            () => quote(text),
        };
        flags.pad(&mut self.output, quoted.as_bytes());
    }

    fn hexadecimal(&mut self, text: &[u8], is_upper: bool) {
        let flags = self.flags;
        let text = text.get(..flags.precision.unwrap_or(usize::MAX)).unwrap_or(text);
        let prefix = if is_upper { "0X" } else { "0x" };
        let mut digits = String::new();
        for (index, byte) in text.iter().enumerate() {
            if index > 0 && flags.space {
                digits.push(' ');
            }
            if flags.sharp && (index == 0 || flags.space) {
                digits.push_str(prefix);
            }
            let _ = if is_upper { write!(digits, "{byte:02X}") } else { write!(digits, "{byte:02x}") };
        }
        flags.pad(&mut self.output, digits.as_bytes());
    }

    fn list(&mut self, list: &GoList, type_name: &str, verb: char, depth: usize) {
        if let Some(bytes) = list.bytes().filter(|_| matches!(verb, 's' | 'q' | 'x' | 'X')) {
            self.string(&bytes, verb);
            return;
        }
        let is_top_level = depth == 0 && list.element() == ElementType::Byte;
        let (open, close) = self.open(if is_top_level { "[]byte" } else { type_name }, "[");
        self.push(&open);
        for (index, item) in list.iter().enumerate() {
            self.separator(index);
            self.element(item, verb, depth);
        }
        self.push(close);
    }

    fn map(&mut self, map: &GoMap, type_name: &str, verb: char, depth: usize) {
        let (open, close) = self.open(type_name, "map[");
        self.push(&open);
        for (index, (key, value)) in map.entries().into_iter().enumerate() {
            self.separator(index);
            self.value(&GoValue::String(key), verb, depth + 1);
            self.push(":");
            if map.map_type() == MapType::String {
                self.value(&value, verb, depth + 1);
            } else {
                self.element(&value, verb, depth);
            }
        }
        self.push(close);
    }

    /// Returns the marks before and after the elements of a list or map.
    fn open(&self, type_name: &str, open: &str) -> (String, &'static str) {
        if self.flags.syntax { (format!("{type_name}{{"), "}") } else { (open.to_owned(), "]") }
    }

    fn separator(&mut self, index: usize) {
        if index > 0 {
            self.push(if self.flags.syntax { ", " } else { " " });
        }
    }

    fn object(&mut self, value: &GoValue, object: &dyn GoObject, verb: char, depth: usize) {
        let takes_text = !self.is_noting && !self.flags.syntax && matches!(verb, 'v' | 's' | 'x' | 'X' | 'q');
        if let Some(text) = object.text().filter(|_| takes_text) {
            self.string(text.as_bytes(), verb);
            return;
        }
        match object.elements() {
            Some(GoValue::List(list)) => return self.list(&list, object.type_name(), verb, depth.max(1)),
            Some(GoValue::Map(map)) => return self.map(&map, object.type_name(), verb, depth),
            Some(elements @ (GoValue::Bool(_) | GoValue::Integer(..) | GoValue::Float(_) | GoValue::String(_))) => {
                return self.value(&elements, verb, depth);
            }
            _ => {}
        }
        if object.kind() == "ptr" {
            if depth > 0 {
                return self.pointer(value, verb);
            }
            self.push("&");
        }
        if self.flags.syntax {
            self.push(object.type_name().trim_start_matches('*'));
        }
        self.push("{");
        for (index, name) in object.field_names().iter().enumerate() {
            self.separator(index);
            if self.flags.names || self.flags.syntax {
                self.push(name);
                self.push(":");
            }
            self.element(&object.field(name).unwrap_or_default(), verb, depth);
        }
        self.push("}");
    }

    /// Writes the address of a value that has one.
    fn pointer(&mut self, value: &GoValue, verb: char) {
        if !matches!(value.kind(), "map" | "slice" | "ptr" | "func") {
            return self.note(value, verb, 0);
        }
        let flags = PrintFlags { sharp: !self.flags.sharp, syntax: false, ..self.flags };
        match verb {
            'v' if self.flags.syntax => {
                self.push(&format!("({})({ADDRESS:#x})", value.type_name()));
            }
            'p' | 'v' => {
                write_integer(&mut self.output, ADDRESS, IntegerType::Uint64, 'x', &flags);
            }
            'b' | 'o' | 'd' | 'x' | 'X' => {
                write_integer(&mut self.output, ADDRESS, IntegerType::Uint64, verb, &self.flags);
            }
            _ => self.push(&format!("%!{verb}({}={ADDRESS:#x})", value.type_name())),
        }
    }
}

fn is_bytes(value: &GoValue) -> bool {
    matches!(value, GoValue::List(list) if list.element() == ElementType::Byte)
}
