//! Decoding of YAML into structs, as sigs.k8s.io/yaml does it: numbers and booleans become texts where a text is expected.

use std::collections::BTreeMap;

use kubewright_machinery::object::json_type;
use kubewright_template::{GoValue, printf};
use serde_json::{Map, Value};

/// The fields of one Go struct. Errors are those of Go's `encoding/json`.
pub(crate) struct FieldDecoder<'a> {
    /// The name of the struct, which errors show; empty for one without a name.
    struct_name: &'a str,
    /// The path to the struct, with a dot at the end; empty for a document.
    path: String,
    fields: &'a Map<String, Value>,
}

impl<'a> FieldDecoder<'a> {
    /// Creates a decoder of a document. `type_name` is the full name of the Go type, such as `chart.Metadata`. None for a document without content.
    pub(crate) fn document(value: &'a Value, type_name: &'a str) -> Result<Option<Self>, String> {
        match value {
            Value::Null => Ok(None),
            Value::Object(fields) => Ok(Some(Self { struct_name: struct_name(type_name), path: String::new(), fields })),
            other => {
                let found = json_type(other);
                Err(wrapped(&format!("json: cannot unmarshal {found} into Go value of type {type_name}")))
            }
        }
    }

    /// Returns the decoder of a field that is a struct; None if it is absent or null.
    pub(crate) fn object(&self, name: &str, type_name: &'a str) -> Result<Option<FieldDecoder<'a>>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(fields)) => Ok(Some(self.inside(name, type_name, fields))),
            Some(other) => Err(self.error(name, other, type_name)),
        }
    }

    fn inside(&self, name: &str, type_name: &'a str, fields: &'a Map<String, Value>) -> Self {
        Self { struct_name: struct_name(type_name), path: format!("{}{name}.", self.path), fields }
    }

    /// Returns the items of a field that is a list of structs. Null as an item is an error, after those of items of other types.
    pub(crate) fn objects(&self, name: &str, type_name: &'a str) -> Result<Vec<FieldDecoder<'a>>, String> {
        let items = self.list(name, &format!("[]*{type_name}"))?.iter().map(|item| match item {
            Value::Null => Ok(None),
            Value::Object(fields) => Ok(Some(self.inside(name, type_name, fields))),
            other => Err(self.error(name, other, type_name)),
        });
        let items: Vec<Option<FieldDecoder<'a>>> = items.collect::<Result<_, _>>()?;
        let items: Option<Vec<FieldDecoder<'a>>> = items.into_iter().collect();
        items.ok_or_else(|| format!("validation: {name} must not contain empty or null nodes"))
    }

    /// Returns a text; the empty one if it is absent.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(value) => text_of(value).ok_or_else(|| self.error(name, value, "string")),
        }
    }

    /// Returns a list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let items = self.list(name, "[]string")?.iter().map(|item| match item {
            Value::Null => Ok(String::new()),
            item => text_of(item).ok_or_else(|| self.error(name, item, "string")),
        });
        items.collect()
    }

    /// Returns a map of texts.
    pub(crate) fn map(&self, name: &str) -> Result<BTreeMap<String, String>, String> {
        match self.get(name) {
            None => Ok(BTreeMap::new()),
            Some(Value::Object(fields)) => {
                let entries = fields.iter().map(|(key, item)| match item {
                    Value::Null => Ok((key.clone(), String::new())),
                    item => {
                        let text = text_of(item).ok_or_else(|| self.error(name, item, "string"))?;
                        Ok((key.clone(), text))
                    }
                });
                entries.collect()
            }
            Some(other) => Err(self.error(name, other, "map[string]string")),
        }
    }

    /// Returns a boolean; false if it is absent.
    pub(crate) fn bool(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(value)) => Ok(*value),
            Some(other) => Err(self.error(name, other, "bool")),
        }
    }

    /// Returns a list of any values.
    pub(crate) fn list(&self, name: &str, type_name: &str) -> Result<&'a [Value], String> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(items)) => Ok(items),
            Some(other) => Err(self.error(name, other, type_name)),
        }
    }

    /// Returns true if the field is present and not null.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Returns the value of a field that is not null. Go takes a key that differs in case alone, too.
    fn get(&self, name: &str) -> Option<&'a Value> {
        let exact = self.fields.get(name);
        let value = exact.or_else(|| self.fields.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value));
        value.filter(|value| !value.is_null())
    }

    fn error(&self, name: &str, value: &Value, type_name: &str) -> String {
        let (found, struct_name, path) = (json_type(value), self.struct_name, &self.path);
        wrapped(&format!("json: cannot unmarshal {found} into Go struct field {struct_name}.{path}{name} of type {type_name}"))
    }
}

/// Returns the name of a struct in that of its type; empty for a type without a name.
fn struct_name(type_name: &str) -> &str {
    if type_name.starts_with("struct") { "" } else { type_name.rsplit('.').next().unwrap_or(type_name) }
}

fn wrapped(message: &str) -> String {
    format!("error unmarshaling JSON: while decoding JSON: {message}")
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) if number.is_f64() => {
            let text = printf(&"%v".into(), &[GoValue::Float(number.as_f64()?)]).ok()?;
            Some(text.to_text().into_owned())
        }
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_and_booleans_become_texts() {
        let document = json!({"version": 1.5, "appVersion": 7, "Home": true, "icon": null});
        let fields = FieldDecoder::document(&document, "chart.Metadata").unwrap().unwrap();
        let texts = ["version", "appVersion", "home", "icon", "name"].map(|name| fields.text(name).unwrap());
        assert_eq!(texts, ["1.5", "7", "true", "", ""]);
    }

    #[test]
    fn errors_name_the_field_as_go_does() {
        let document = json!({"name": {}, "keywords": "x"});
        let fields = FieldDecoder::document(&document, "chart.Metadata").unwrap().unwrap();
        let prefix = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ";
        assert_eq!(fields.text("name").unwrap_err(), format!("{prefix}object into Go struct field Metadata.name of type string"));
        assert_eq!(
            fields.texts("keywords").unwrap_err(),
            format!("{prefix}string into Go struct field Metadata.keywords of type []string")
        );
        let error = FieldDecoder::document(&json!([]), "chart.Metadata").err().unwrap();
        assert_eq!(error, format!("{prefix}array into Go value of type chart.Metadata"));
    }
}
