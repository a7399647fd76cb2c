//! The normal form of an object (NRM-1 to NRM-5): the outcome of the real server's decoding and encoding.

mod scalar;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;

use kubewright_machinery::object::json_type;
use serde_json::{Map, Value};

use crate::forms::Definitions;
use crate::forms::form::{Absent, Form, SCHEMA, Struct, StructField};
use crate::model::WrongType;

/// Brings an object into the normal form of its type. `apiVersion`, `kind` and `metadata` of the object itself are not changed.
pub(super) fn normalise(definition: &str, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType> {
    let definitions = Definitions::embedded();
    let (Some(form), Value::Object(members)) = (definitions.form(definition), object) else {
        return Ok(());
    };
    let mut walk = Walk { definitions, owner: form.name, fields: Vec::new(), path: String::new(), unknown };
    let is_ours = |field: &str| !matches!(field, "apiVersion" | "kind" | "metadata");
    walk.members(form, members, is_ours)
}

/// Adds the fields that are printed when absent to the top level of an object that otherwise is in normal form.
pub(super) fn complete(definition: &str, object: &mut Value) {
    let definitions = Definitions::embedded();
    let (Some(form), Value::Object(members)) = (definitions.form(definition), object) else {
        return;
    };
    let absent = |field: &&StructField| field.absent != Absent::Omitted && field.name != "metadata";
    for field in form.fields().iter().filter(absent) {
        if members.get(&field.name).is_none_or(Value::is_null) {
            let mut walk =
                Walk { definitions, owner: form.name, fields: Vec::new(), path: String::new(), unknown: &mut Vec::new() };
            // The field is absent, so it cannot have a wrong type.
            let _ = walk.slot(field, members);
        }
    }
}

/// Removes empty lists, as storing does: the real server stores most kinds as protobuf, which cannot distinguish empty and absent lists.
pub(super) fn forget_empty_lists(definition: &str, object: &mut Value) {
    if is_stored_as_json(definition) || !has_empty_list(object) {
        return;
    }
    let definitions = Definitions::embedded();
    if let (Some(form), Value::Object(members)) = (definitions.form(definition), object) {
        forget_in_struct(definitions, form, members);
    }
}

fn forget_in_struct(definitions: &'static Definitions, form: &'static Struct, members: &mut Map<String, Value>) {
    for field in form.fields() {
        if let Some(value) = members.get_mut(&field.name) {
            forget_in(definitions, &field.form, value);
        }
    }
}

fn forget_in(definitions: &'static Definitions, form: &'static Form, value: &mut Value) {
    match (form, &mut *value) {
        (Form::List(_), Value::Array(items)) if items.is_empty() => *value = Value::Null,
        (Form::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| forget_in(definitions, item, value)),
        (Form::Map(entry), Value::Object(entries)) => entries.values_mut().for_each(|value| forget_in(definitions, entry, value)),
        (Form::Struct(definition), Value::Object(members)) => {
            if let Some(form) = definitions.form(definition) {
                forget_in_struct(definitions, form, members);
            }
        }
        _ => {}
    }
}

/// Returns true if a value contains an empty list. Most objects have none and need no closer examination.
fn has_empty_list(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(has_empty_list),
        Value::Object(members) => members.values().any(has_empty_list),
        _ => false,
    }
}

/// Returns true for definitions and API services, which are not stored as protobuf.
fn is_stored_as_json(definition: &str) -> bool {
    definition.contains("apiextensions-apiserver") || definition.contains("kube-aggregator")
}

/// The state of a decode on its way through an object.
struct Walk<'a> {
    definitions: &'static Definitions,
    /// The struct whose field is being decoded.
    owner: &'static str,
    /// The fields that lead to the current value, without list indexes and map keys; Go reports wrong types with this path.
    fields: Vec<&'static str>,
    /// The path to the current value with list indexes and map keys; unknown fields are reported with this path.
    path: String,
    unknown: &'a mut Vec<String>,
}

impl Walk<'_> {
    fn members(
        &mut self,
        form: &'static Struct,
        members: &mut Map<String, Value>,
        is_ours: impl Fn(&str) -> bool,
    ) -> Result<(), WrongType> {
        let path = &self.path;
        let unknown = &mut *self.unknown;
        members.retain(|name, _| {
            let known = form.field(name).is_some() || !is_ours(name);
            if !known {
                kubewright_schema::limit::note(unknown, path.len() + name.len(), || joined(path, name));
            }
            known
        });
        for field in form.fields().iter().filter(|field| is_ours(&field.name)) {
            self.field(form, field, members)?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        form: &'static Struct,
        field: &'static StructField,
        members: &mut Map<String, Value>,
    ) -> Result<(), WrongType> {
        // This shortcut pays off because most fields of most objects are absent.
        if field.absent == Absent::Omitted && !members.contains_key(&field.name) {
            return Ok(());
        }
        let length = self.path.len();
        let owner = std::mem::replace(&mut self.owner, form.name);
        if length > 0 {
            self.path.push('.');
        }
        self.path.push_str(&field.name);
        self.fields.push(&field.name);
        let result = self.slot(field, members);
        self.fields.pop();
        self.path.truncate(length);
        self.owner = owner;
        result
    }

    fn slot(&mut self, field: &'static StructField, members: &mut Map<String, Value>) -> Result<(), WrongType> {
        if let Some(value) = members.get_mut(&field.name).filter(|value| !value.is_null()) {
            self.value(&field.form, value)?;
            // The form decides on the meaning of an empty string; an empty time becomes null.
            if !value.is_null() {
                if !field.keeps_empty && field.form.is_empty(value) {
                    members.remove(&field.name);
                }
                return Ok(());
            }
        }
        match field.absent {
            Absent::Omitted => {
                members.remove(&field.name);
            }
            Absent::Null => {
                members.insert(field.name.clone(), Value::Null);
            }
            Absent::Zero => {
                let mut zero = field.form.zero();
                self.value(&field.form, &mut zero)?;
                members.insert(field.name.clone(), zero);
            }
        }
        Ok(())
    }

    fn value(&mut self, form: &'static Form, value: &mut Value) -> Result<(), WrongType> {
        match (form, &mut *value) {
            (Form::Any, _)
            | (Form::String, Value::String(_))
            | (Form::Bool, Value::Bool(_))
            | (Form::Number, Value::Number(_)) => Ok(()),
            (Form::Int32 | Form::Int64, Value::Number(number)) => {
                let (least, most) =
                    if *form == Form::Int32 { (i64::from(i32::MIN), i64::from(i32::MAX)) } else { (i64::MIN, i64::MAX) };
                match number.as_i64() {
                    Some(whole) if (least..=most).contains(&whole) => Ok(()),
                    _ => Err(self.wrong(form, &format!("number {number}"))),
                }
            }
            (Form::IntOrString, Value::String(_)) => Ok(()),
            (Form::IntOrString, Value::Number(number)) if number.is_i64() => Ok(()),
            (Form::Bytes, Value::String(text)) => scalar::check_base64(text),
            (Form::Time, Value::String(text)) => scalar::time(text).map(|time| *value = time),
            (Form::MicroTime, Value::String(text)) => scalar::micro_time(text).map(|time| *value = time),
            (Form::Quantity, Value::String(_) | Value::Number(_)) => scalar::quantity(value),
            (Form::List(item), Value::Array(items)) => self.items(item, items),
            (Form::Map(item), Value::Object(entries)) => self.entries(item, entries),
            (Form::Struct(definition), Value::Object(members)) => match self.definitions.form(definition) {
                Some(form) => self.members(form, members, |_| true),
                None => Ok(()),
            },
            (Form::SchemaOrList, Value::Array(items)) => items.iter_mut().try_for_each(|item| self.schema(item)),
            (Form::SchemaOrNames, Value::Array(_)) | (Form::SchemaOrBool, Value::Bool(_)) => Ok(()),
            (Form::SchemaOrList | Form::SchemaOrNames | Form::SchemaOrBool, Value::Object(_)) => self.schema(value),
            (_, found) => {
                let found = json_type(found);
                Err(self.wrong(form, found))
            }
        }
    }

    fn schema(&mut self, value: &mut Value) -> Result<(), WrongType> {
        static FORM: Form = Form::Struct(SCHEMA);
        self.value(&FORM, value)
    }

    fn items(&mut self, form: &'static Form, items: &mut [Value]) -> Result<(), WrongType> {
        let length = self.path.len();
        for (index, item) in items.iter_mut().enumerate() {
            // Writing to a string cannot fail.
            let _ = write!(self.path, "[{index}]");
            self.element(form, item)?;
            self.path.truncate(length);
        }
        Ok(())
    }

    fn entries(&mut self, form: &'static Form, entries: &mut Map<String, Value>) -> Result<(), WrongType> {
        let length = self.path.len();
        for (key, entry) in entries.iter_mut() {
            self.path = joined(&self.path, key);
            self.element(form, entry)?;
            if *form == Form::Quantity {
                scalar::round_to_milli(entry);
            }
            self.path.truncate(length);
        }
        Ok(())
    }

    /// Decodes an item or entry; `null` becomes the zero value of the form.
    fn element(&mut self, form: &'static Form, value: &mut Value) -> Result<(), WrongType> {
        if value.is_null() {
            *value = form.zero();
            if value.is_null() {
                return Ok(());
            }
        }
        self.value(form, value)
    }

    fn wrong(&self, form: &Form, found: &str) -> WrongType {
        let (owner, path, wanted) = (self.owner, self.fields.join("."), form.go_type());
        WrongType(format!("json: cannot unmarshal {found} into Go struct field {owner}.{path} of type {wanted}"))
    }
}

fn joined(path: &str, field: &str) -> String {
    if path.is_empty() { field.to_owned() } else { format!("{path}.{field}") }
}
