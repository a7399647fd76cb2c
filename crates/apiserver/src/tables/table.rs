//! Rendering of tables.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::age;
use super::jsonpath::JsonPath;
use super::partial::partial_metadata;
use super::printers::{self, Printer};
use crate::kinds::{Column, Columns, KindSpec};

const NAME: &str = "The name of the object, unique among the objects of its kind in its namespace.";
const AGE: &str = "How long ago the object was created.";

/// The part of its object that each row carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IncludeObject {
    /// No object.
    None,
    /// The metadata of the object.
    #[default]
    Metadata,
    /// The whole object.
    Object,
}

/// The error of an `includeObject` value that is not supported.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "Unable to convert to Table as requested: includeObject: Invalid value: {0:?}: must be 'Metadata', 'Object', 'None', or empty"
)]
pub struct IncludeObjectError(String);

impl IncludeObject {
    /// Parses the query parameter; an empty value means the metadata.
    pub fn parse(text: &str) -> Result<Self, IncludeObjectError> {
        match text {
            "" | "Metadata" => Ok(Self::Metadata),
            "Object" => Ok(Self::Object),
            "None" => Ok(Self::None),
            other => Err(IncludeObjectError(other.to_owned())),
        }
    }
}

/// The columns of the objects of a kind and the form of their rows. It is created once for a request or a watch.
#[derive(Debug)]
pub struct Table<'k> {
    columns: ColumnSource<'k>,
    include: IncludeObject,
    version: String,
}

#[derive(Debug)]
enum ColumnSource<'k> {
    Printer(&'static Printer),
    Custom(Vec<(&'k Column, JsonPath)>),
    /// The default columns of custom resources: name and age.
    CustomAge,
}

impl<'k> Table<'k> {
    /// Returns the tables of a kind; `version` is the version of meta.k8s.io.
    pub fn new(kind: &'k KindSpec, include: IncludeObject, version: impl Into<String>) -> Self {
        let columns = match &kind.columns {
            Columns::Builtin => ColumnSource::Printer(printers::of(&kind.group, &kind.kind)),
            Columns::Custom(columns) if columns.is_empty() => ColumnSource::CustomAge,
            // A column whose path cannot be parsed ends the columns, as on the real server.
            Columns::Custom(columns) => {
                let columns = columns.iter().map_while(|column| Some((column, JsonPath::parse(&column.json_path).ok()?)));
                ColumnSource::Custom(columns.collect())
            }
        };
        Self { columns, include, version: version.into() }
    }

    /// Renders a table of objects. `metadata` is that of the list, or the resource version of a single object. `headers` is true if the columns
    /// are described, which a watch does only once.
    pub fn render<'a>(
        &self,
        objects: impl IntoIterator<Item = &'a Value>,
        metadata: Value,
        headers: bool,
        now: Timestamp,
    ) -> Value {
        let rows: Vec<_> = objects.into_iter().map(|object| self.row(object, now)).collect();
        let columns = if headers { self.headers() } else { Value::Null };
        json!({"kind": "Table", "apiVersion": format!("meta.k8s.io/{}", self.version), "metadata": metadata,
            "columnDefinitions": columns, "rows": rows})
    }

    fn row(&self, object: &Value, now: Timestamp) -> Value {
        let carried = match self.include {
            IncludeObject::None => Value::Null,
            IncludeObject::Metadata => partial_metadata(object, &self.version),
            IncludeObject::Object => object.clone(),
        };
        json!({"cells": self.cells(object, now), "object": carried})
    }

    fn cells(&self, object: &Value, now: Timestamp) -> Vec<Value> {
        let name = object.pointer("/metadata/name").cloned().unwrap_or_else(|| "".into());
        let created = object.pointer("/metadata/creationTimestamp");
        match &self.columns {
            ColumnSource::Printer(printer) => printer.cells(object, now),
            ColumnSource::CustomAge => vec![name, age::since(created, now).into()],
            ColumnSource::Custom(columns) => {
                let cells = columns
                    .iter()
                    .map(|(column, path)| path.first(object).map_or(Value::Null, |value| custom_cell(&column.type_, value, now)));
                std::iter::once(name).chain(cells).collect()
            }
        }
    }

    fn headers(&self) -> Value {
        let header = |name: &str, type_: &str, format: &str, description: &str, priority: i64| json!({"name": name, "type": type_, "format": format, "description": description, "priority": priority});
        let name = header("Name", "string", "name", NAME, 0);
        match &self.columns {
            ColumnSource::Printer(printer) => printer
                .columns()
                .map(|(name, type_, priority)| {
                    let (format, description) = match name {
                        "Name" => ("name", NAME.to_owned()),
                        "Attacher" => ("name", "The driver that attaches the volume.".to_owned()),
                        "Age" => ("", AGE.to_owned()),
                        other => ("", format!("{other} of the object.")),
                    };
                    header(name, type_, format, &description, priority)
                })
                .collect(),
            ColumnSource::CustomAge => Value::Array(vec![name, header("Age", "date", "", AGE, 0)]),
            ColumnSource::Custom(columns) => std::iter::once(name)
                .chain(columns.iter().map(|(column, _)| {
                    let description = if column.description.is_empty() {
                        format!("Custom resource definition column (in JSONPath format): {}", column.json_path)
                    } else {
                        column.description.clone()
                    };
                    header(&column.name, &column.type_, &column.format, &description, column.priority)
                }))
                .collect(),
        }
    }
}

/// Returns a cell in the type of its column; a value of another type leaves the cell empty.
fn custom_cell(type_: &str, value: &Value, now: Timestamp) -> Value {
    match (type_, value) {
        (_, Value::Null) => Value::Null,
        ("string", Value::String(_)) => value.clone(),
        ("string", other) => other.to_string().into(),
        ("integer", Value::Number(number)) => number.as_i64().or_else(|| number.as_f64().map(|number| number as i64)).into(),
        ("number", Value::Number(number)) => number.as_f64().into(),
        ("boolean", Value::Bool(_)) => value.clone(),
        ("date", Value::String(_)) => age::since(Some(value), now).into(),
        _ => Value::Null,
    }
}
