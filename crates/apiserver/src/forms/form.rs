//! The form of a type: its fields, their types, and their printing when they are empty.

use serde_json::{Map, Value, json};

use super::data::Definitions;
use super::facts::{Facts, TypeName};

/// A type with fields.
#[derive(Debug)]
pub(crate) struct Struct {
    /// The name of the Go struct, such as `PodSpec`.
    pub(crate) name: &'static str,
    /// The fields, sorted by name.
    fields: Vec<StructField>,
    /// The defaults that the published schema declares.
    pub(crate) declared: Vec<(&'static str, &'static Value)>,
}

/// A field of a type.
#[derive(Debug)]
pub(crate) struct StructField {
    pub(crate) name: String,
    pub(crate) form: Form,
    pub(crate) absent: Absent,
    /// True if an empty or zero value is printed when it was sent.
    pub(crate) keeps_empty: bool,
}

/// The printed form of a field that was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absent {
    /// The field is omitted.
    Omitted,
    /// The zero value of the form is printed.
    Zero,
    /// `null` is printed.
    Null,
}

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    String,
    Bool,
    Int32,
    Int64,
    Number,
    /// Bytes in base64.
    Bytes,
    /// A time in whole seconds.
    Time,
    /// A time with six fractional digits.
    MicroTime,
    Quantity,
    IntOrString,
    List(Box<Form>),
    Map(Box<Form>),
    /// A type with fields, by the name of its definition.
    Struct(&'static str),
    /// Any JSON.
    Any,
    /// A schema or a list of schemas (`items`).
    SchemaOrList,
    /// A schema or a boolean (`additionalProperties`).
    SchemaOrBool,
    /// A schema or a list of names (`dependencies`).
    SchemaOrNames,
}

const REFERENCE: &str = "#/definitions/";
pub(crate) const SCHEMA: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps";

impl Struct {
    pub(crate) fn new(definitions: &Definitions, definition: &'static str, schema: &Value) -> Self {
        let name = TypeName::new(definition);
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let properties = schema["properties"].as_object().into_iter().flatten();
        let fields = properties.map(|(field, property)| {
            let form = Form::new(definitions, property);
            let (absent, keeps_empty) = printing(name, field, &form, required.contains(&field.as_str()));
            StructField { name: field.clone(), form, absent, keeps_empty }
        });
        let mut fields: Vec<StructField> = fields.collect();
        fields.sort_by(|a, b| a.name.cmp(&b.name));
        Self { name: name.last(), fields, declared: Facts::embedded().defaults(name) }
    }

    pub(crate) fn fields(&self) -> &[StructField] {
        &self.fields
    }

    pub(crate) fn field(&self, name: &str) -> Option<&StructField> {
        let index = self.fields.binary_search_by(|field| field.name.as_str().cmp(name)).ok()?;
        self.fields.get(index)
    }
}

impl Form {
    fn new(definitions: &Definitions, property: &Value) -> Self {
        if let Some(target) = property["$ref"].as_str() {
            return Self::referred(definitions, target.strip_prefix(REFERENCE).unwrap_or(target));
        }
        match (property["type"].as_str().unwrap_or_default(), property["format"].as_str().unwrap_or_default()) {
            ("string", "byte") => Self::Bytes,
            ("string", "date-time") => Self::Time,
            ("string", _) => Self::String,
            ("boolean", _) => Self::Bool,
            ("integer", "int32") => Self::Int32,
            ("integer", _) => Self::Int64,
            ("number", _) => Self::Number,
            ("array", _) => Self::List(Box::new(Self::new(definitions, &property["items"]))),
            ("object", _) if property["additionalProperties"].is_object() => {
                Self::Map(Box::new(Self::new(definitions, &property["additionalProperties"])))
            }
            _ => Self::Any,
        }
    }

    fn referred(definitions: &Definitions, target: &str) -> Self {
        match TypeName::new(target).last() {
            "Quantity" => return Self::Quantity,
            "IntOrString" => return Self::IntOrString,
            "Time" => return Self::Time,
            "MicroTime" => return Self::MicroTime,
            "JSONSchemaPropsOrArray" => return Self::SchemaOrList,
            "JSONSchemaPropsOrBool" => return Self::SchemaOrBool,
            "JSONSchemaPropsOrStringArray" => return Self::SchemaOrNames,
            _ => {}
        }
        let has_fields = definitions.schema(target).is_some_and(|schema| schema["properties"].is_object());
        definitions.static_name(target).filter(|_| has_fields).map_or(Self::Any, Self::Struct)
    }

    /// Returns the zero value of the Go type; the fields of a struct are not filled in.
    pub(crate) fn zero(&self) -> Value {
        match self {
            Self::String | Self::Bytes => "".into(),
            Self::Bool => false.into(),
            Self::Int32 | Self::Int64 | Self::Number | Self::IntOrString => 0.into(),
            Self::Quantity => "0".into(),
            Self::Struct(_) => Value::Object(Map::new()),
            Self::List(_) | Self::Map(_) | Self::Time | Self::MicroTime | Self::Any => Value::Null,
            Self::SchemaOrList | Self::SchemaOrBool | Self::SchemaOrNames => json!({}),
        }
    }

    /// Returns true for a value that Go considers empty, so that it is omitted by default.
    pub(crate) fn is_empty(&self, value: &Value) -> bool {
        match (self, value) {
            (_, Value::Null) => true,
            (Self::String | Self::Bytes | Self::Time | Self::MicroTime, Value::String(text)) => text.is_empty(),
            (Self::Bool, Value::Bool(value)) => !value,
            (Self::Int32 | Self::Int64 | Self::Number, Value::Number(number)) => number.as_f64() == Some(0.0),
            (Self::List(_), Value::Array(items)) => items.is_empty(),
            (Self::Map(_), Value::Object(entries)) => entries.is_empty(),
            _ => false,
        }
    }

    /// Returns the Go type, as decoding errors name it.
    pub(crate) fn go_type(&self) -> String {
        match self {
            Self::String | Self::Time | Self::MicroTime => "string".into(),
            Self::Bool => "bool".into(),
            Self::Int32 | Self::IntOrString => "int32".into(),
            Self::Int64 => "int64".into(),
            Self::Number => "float64".into(),
            Self::Bytes => "[]uint8".into(),
            Self::Quantity => "resource.Quantity".into(),
            Self::List(item) => format!("[]{}", item.go_type()),
            Self::Map(item) => format!("map[string]{}", item.go_type()),
            Self::Struct(definition) => format!("v1.{}", TypeName::new(definition).last()),
            Self::Any => "map[string]interface {}".into(),
            Self::SchemaOrList | Self::SchemaOrBool | Self::SchemaOrNames => "v1.JSONSchemaProps".into(),
        }
    }
}

/// Returns the printed form of an absent field, and true if an empty value is kept (NRM-1 to NRM-4).
fn printing(name: TypeName<'_>, field: &str, form: &Form, required: bool) -> (Absent, bool) {
    let facts = Facts::embedded();
    let dropped = facts.is_dropped(name, field);
    if facts.is_null_when_absent(name, field) {
        // The only empty value of a time is the absent one.
        return (Absent::Null, true);
    }
    match form {
        Form::Struct(_) if facts.is_always_object(name, field) => (Absent::Zero, true),
        Form::Struct(_) | Form::Any | Form::SchemaOrList | Form::SchemaOrBool | Form::SchemaOrNames => (Absent::Omitted, true),
        Form::Time | Form::MicroTime if required || field == "lastTransitionTime" => (Absent::Null, true),
        Form::Time | Form::MicroTime => (Absent::Omitted, false),
        Form::List(_) | Form::Map(_) | Form::Bytes if required && !dropped => (Absent::Null, true),
        Form::List(_) | Form::Map(_) => (Absent::Omitted, false),
        _ if required && !dropped || facts.is_always_printed(name, field) => (Absent::Zero, true),
        Form::Quantity | Form::IntOrString => (Absent::Omitted, true),
        _ => (Absent::Omitted, !dropped && facts.keeps_zero(name, field)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(definition: &str, name: &str) -> (Form, Absent, bool) {
        let field = Definitions::embedded().form(definition).and_then(|form| form.field(name)).unwrap();
        (field.form.clone(), field.absent, field.keeps_empty)
    }

    #[test]
    fn fields_print_as_the_facts_say() {
        let core = |kind: &str, name: &str| field(&format!("io.k8s.api.core.v1.{kind}"), name);
        assert_eq!(core("Container", "name"), (Form::String, Absent::Zero, true));
        assert_eq!(core("Container", "image"), (Form::String, Absent::Omitted, false));
        assert_eq!(core("Container", "resources").1, Absent::Zero);
        assert_eq!(core("PodSpec", "containers").1, Absent::Null);
        assert_eq!(core("PodSpec", "hostNetwork"), (Form::Bool, Absent::Omitted, false));
        assert_eq!(core("PodSpec", "enableServiceLinks"), (Form::Bool, Absent::Omitted, true));
        assert_eq!(core("Secret", "data"), (Form::Map(Box::new(Form::Bytes)), Absent::Omitted, false));
        assert_eq!(core("ServicePort", "targetPort"), (Form::IntOrString, Absent::Zero, true));
        assert_eq!(core("PodCondition", "lastTransitionTime"), (Form::Time, Absent::Null, true));
    }
}
