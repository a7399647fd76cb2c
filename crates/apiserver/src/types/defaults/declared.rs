//! Defaults that the published schemas declare (B.6), applied wherever their type occurs in an object.

use serde_json::Value;

use crate::forms::Definitions;
use crate::forms::form::Form;
use crate::types::edit::{Edit as _, Members};

pub(super) fn apply(definition: &'static str, object: &mut Value) {
    if let Value::Object(members) = object {
        members_of(Definitions::embedded(), definition, members);
    }
}

fn members_of(definitions: &'static Definitions, definition: &'static str, members: &mut Members) {
    let Some(form) = definitions.form(definition) else {
        return;
    };
    for (field, value) in &form.declared {
        members.fill(field, (*value).clone());
    }
    for field in form.fields() {
        if let Some(value) = members.get_mut(&field.name) {
            value_of(definitions, &field.form, value);
        }
    }
}

fn value_of(definitions: &'static Definitions, form: &'static Form, value: &mut Value) {
    match (form, value) {
        (Form::Struct(definition), Value::Object(members)) => {
            members_of(definitions, definition, members);
        }
        (Form::List(item), Value::Array(items)) => items.iter_mut().for_each(|value| value_of(definitions, item, value)),
        (Form::Map(entry), Value::Object(entries)) => entries.values_mut().for_each(|value| value_of(definitions, entry, value)),
        _ => {}
    }
}
