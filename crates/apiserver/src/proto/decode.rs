//! Decoding of messages to JSON.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Number, Value};

use super::layout::{Layout, MessageField, Slot};
use super::special;
use super::wire::{Piece, WireError, WireReader};
use crate::forms::form::{Form, SCHEMA};

/// The maximal nesting depth of messages; no real object comes close to it.
const MAX_DEPTH: usize = 100;

/// Reads a message into a JSON object. Fields without a number in the layout are skipped; of zero values only those are kept that a client could
/// have set on purpose (PB-5).
pub(super) fn message(definition: &str, bytes: &[u8]) -> Result<Map<String, Value>, WireError> {
    let mut members = Map::new();
    if let Some(layout) = Layout::of(definition) {
        Decoder { depth: 0 }.members(layout, bytes, &mut members)?;
    }
    Ok(members)
}

struct Decoder {
    depth: usize,
}

impl Decoder {
    fn members(&mut self, layout: &'static Layout, bytes: &[u8], members: &mut Map<String, Value>) -> Result<(), WireError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(WireError::TooDeep);
        }
        let mut reader = WireReader::new(bytes);
        while let Some((number, piece)) = reader.next_of(layout.name(), |number| layout.slot(number).is_some())? {
            match (layout.slot(number), piece) {
                (None, _) => {}
                (Some(Slot::Field(entry)), piece) => self.field(entry, piece, members)?,
                (Some(Slot::Inline(inner)), Piece::Bytes(bytes)) => self.members(inner, bytes, members)?,
                (Some(Slot::Inline(_)), piece) => {
                    return Err(WireError::WrongType { wire: piece.wire_type(), field: format!("number {number}") });
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn field(
        &mut self,
        entry: &'static MessageField,
        piece: Piece<'_>,
        members: &mut Map<String, Value>,
    ) -> Result<(), WireError> {
        let name = entry.field.name.as_str();
        match (&entry.field.form, piece) {
            (Form::List(item), piece) => {
                let list = members.entry(name).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(items) = list {
                    self.items(item, piece, items, name)?;
                }
            }
            (Form::Map(item), Piece::Bytes(bytes)) => {
                let (key, value) = self.entry(item, bytes, name)?;
                let map = members.entry(name).or_insert_with(|| Value::Object(Map::new()));
                if let Value::Object(entries) = map {
                    entries.insert(key, value);
                }
            }
            (Form::Struct(definition), Piece::Bytes(bytes)) => {
                // A message field that occurs twice is merged into one message.
                let object = members.entry(name).or_insert_with(|| Value::Object(Map::new()));
                if let (Value::Object(inner), Some(layout)) = (object, Layout::of(definition)) {
                    self.members(layout, bytes, inner)?;
                }
            }
            (Form::Any, Piece::Bytes(_)) if entry.is_marker => {
                members.insert(name.to_owned(), Value::Object(Map::new()));
            }
            (form, piece) => {
                let value = self.value(form, piece, name)?;
                if value.is_null() || !entry.field.keeps_empty && form.is_empty(&value) {
                    members.remove(name);
                } else {
                    members.insert(name.to_owned(), value);
                }
            }
        }
        Ok(())
    }

    /// Reads an item of a list, or several packed numbers.
    fn items(&mut self, form: &'static Form, piece: Piece<'_>, items: &mut Vec<Value>, name: &str) -> Result<(), WireError> {
        match (form, piece) {
            (Form::Bool | Form::Int32 | Form::Int64, Piece::Bytes(packed)) => {
                let mut reader = WireReader::new(packed);
                while !reader.is_empty() {
                    items.push(self.value(form, Piece::Varint(reader.varint()?), name)?);
                }
            }
            (Form::Number, Piece::Bytes(packed)) => {
                let mut reader = WireReader::new(packed);
                while !reader.is_empty() {
                    items.push(self.value(form, Piece::Fixed64(reader.fixed64()?), name)?);
                }
            }
            (form, piece) => items.push(self.value(form, piece, name)?),
        }
        Ok(())
    }

    /// Reads an entry of a map: its key has the number 1, its value the number 2.
    fn entry(&mut self, form: &'static Form, bytes: &[u8], name: &str) -> Result<(String, Value), WireError> {
        let (mut key, mut value) = (String::new(), None);
        let mut reader = WireReader::new(bytes);
        while let Some((number, piece)) = reader.next()? {
            match (number, piece) {
                (1, Piece::Bytes(bytes)) => key = special::lossy(bytes),
                // A list cannot be the value of a map, so it is wrapped in a message.
                (2, Piece::Bytes(wrapped)) if matches!(form, Form::List(_)) => value = Some(self.wrapped(form, wrapped, name)?),
                (2, piece) => value = Some(self.value(form, piece, name)?),
                _ => {}
            }
        }
        Ok((key, value.unwrap_or_else(|| form.zero())))
    }

    /// Reads a message whose only field is a list.
    fn wrapped(&mut self, form: &'static Form, bytes: &[u8], name: &str) -> Result<Value, WireError> {
        let Form::List(item) = form else { return Ok(Value::Null) };
        let mut items = Vec::new();
        let mut reader = WireReader::new(bytes);
        while let Some((number, piece)) = reader.next()? {
            if number == 1 {
                self.items(item, piece, &mut items, name)?;
            }
        }
        Ok(Value::Array(items))
    }

    fn value(&mut self, form: &'static Form, piece: Piece<'_>, name: &str) -> Result<Value, WireError> {
        Ok(match (form, piece) {
            (Form::String, Piece::Bytes(bytes)) => special::lossy(bytes).into(),
            (Form::Bytes, Piece::Bytes(bytes)) => BASE64_STANDARD.encode(bytes).into(),
            (Form::Bool, Piece::Varint(value)) => (value != 0).into(),
            (Form::Int32, Piece::Varint(value)) => (value as i32).into(),
            (Form::Int64, Piece::Varint(value)) => (value as i64).into(),
            (Form::Number, Piece::Fixed64(bits)) => number(f64::from_bits(bits), name)?,
            (Form::Time, Piece::Bytes(bytes)) => special::time(bytes, 0, name)?,
            (Form::MicroTime, Piece::Bytes(bytes)) => special::time(bytes, 6, name)?,
            (Form::Quantity, Piece::Bytes(bytes)) => quantity(special::text(bytes)?),
            (Form::IntOrString, Piece::Bytes(bytes)) => special::int_or_string(bytes)?,
            (Form::Any, Piece::Bytes(bytes)) => special::raw_json(bytes, name)?,
            (Form::SchemaOrList | Form::SchemaOrBool | Form::SchemaOrNames, Piece::Bytes(bytes)) => {
                self.alternative(form, bytes, name)?
            }
            (Form::Struct(definition), Piece::Bytes(bytes)) => {
                let mut members = Map::new();
                if let Some(layout) = Layout::of(definition) {
                    self.members(layout, bytes, &mut members)?;
                }
                Value::Object(members)
            }
            (_, piece) => return Err(WireError::WrongType { wire: piece.wire_type(), field: go_name(name) }),
        })
    }

    /// Reads a schema, or the alternative that may stand in its place.
    fn alternative(&mut self, form: &'static Form, bytes: &[u8], name: &str) -> Result<Value, WireError> {
        static SCHEMA_FORM: Form = Form::Struct(SCHEMA);
        let (mut schema, mut others, mut allows) = (None, Vec::new(), false);
        let mut reader = WireReader::new(bytes);
        while let Some((number, piece)) = reader.next()? {
            match (form, number, piece) {
                (Form::SchemaOrBool, 1, Piece::Varint(value)) => allows = value != 0,
                (Form::SchemaOrBool, 2, piece) | (Form::SchemaOrList | Form::SchemaOrNames, 1, piece) => {
                    schema = Some(self.value(&SCHEMA_FORM, piece, name)?);
                }
                (Form::SchemaOrList, 2, piece) => others.push(self.value(&SCHEMA_FORM, piece, name)?),
                (Form::SchemaOrNames, 2, piece) => others.push(self.value(&Form::String, piece, name)?),
                _ => {}
            }
        }
        Ok(match (form, schema) {
            (Form::SchemaOrBool, None) => allows.into(),
            (_, Some(schema)) if others.is_empty() => schema,
            _ => Value::Array(others),
        })
    }
}

/// Returns the name of a field in Go, which the texts of its decoder use.
fn go_name(name: &str) -> String {
    if name == "metadata" {
        return "ObjectMeta".to_owned();
    }
    let mut letters = name.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// Returns a quantity; one that was never set is zero.
fn quantity(text: String) -> Value {
    if text.is_empty() { "0".into() } else { text.into() }
}

/// Returns a number; whole numbers are printed without a fraction, as Go prints them.
fn number(value: f64, name: &str) -> Result<Value, WireError> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Ok((value as i64).into());
    }
    let unprintable = || WireError::Unprintable { field: name.to_owned(), problem: format!("{value} is no number of JSON") };
    Number::from_f64(value).map(Value::Number).ok_or_else(unprintable)
}
