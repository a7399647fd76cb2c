//! Validation of values by the `values.schema.json` of charts.

mod messages;
mod violation;
#[cfg(test)]
mod violation_tests;

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use jsonschema::{Draft, Retrieve, Uri, Validator};
use kubewright_template::{GoMap, GoValue};
use parking_lot::Mutex;
use serde_json::Value;

use crate::dependencies::ChartNode;
use crate::error::ChartError;
use crate::model::Chart;
use crate::values::{key, to_json};

/// The compiled schemas of charts, by their addresses. Charts live as long as the schemas.
#[derive(Default)]
pub(crate) struct ChartSchemas {
    validators: Mutex<HashMap<usize, Arc<Result<Validator, String>>>>,
}

impl fmt::Debug for ChartSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} schemas", self.validators.lock().len())
    }
}

impl ChartSchemas {
    /// Validates the values of a tree of charts. The error lists all violations, by chart.
    pub(crate) fn validate(&self, root: &ChartNode, values: &GoMap) -> Result<(), ChartError> {
        let mut text = String::new();
        self.chart(root, values, &mut text);
        if text.is_empty() { Ok(()) } else { Err(ChartError::Schema(text)) }
    }

    fn chart(&self, node: &ChartNode, values: &GoMap, text: &mut String) {
        if let Some(schema) = &node.chart.schema {
            let error = match &*self.validator(&node.chart, schema) {
                Ok(validator) => violation::violations(validator, schema, &to_json(&GoValue::Map(values.clone()))),
                Err(error) => Some(format!("values.schema.json: {error}\n")),
            };
            if let Some(error) = error {
                let _ = write!(text, "{}:\n{error}", node.name);
            }
        }
        for child in &node.children {
            match values.get(&key(&child.name)) {
                None | Some(GoValue::Nil) => {}
                Some(GoValue::Map(values)) => self.chart(child, &values, text),
                Some(other) => {
                    let name = &child.name;
                    let found = other.type_name();
                    let _ = writeln!(text, "{name}:\ninvalid type for values: expected object (map), got {found}");
                }
            }
        }
    }

    fn validator(&self, chart: &Arc<Chart>, schema: &[u8]) -> Arc<Result<Validator, String>> {
        let mut validators = self.validators.lock();
        validators.entry(Arc::as_ptr(chart) as usize).or_insert_with(|| Arc::new(compile(schema))).clone()
    }
}

fn compile(schema: &[u8]) -> Result<Validator, String> {
    let schema: Value = serde_json::from_slice(schema).map_err(|error| error.to_string())?;
    // The validator of Helm takes the newest draft for schemas without `$schema`.
    let mut options = jsonschema::options().with_retriever(NothingRemote);
    if schema.get("$schema").is_none() {
        options = options.with_draft(Draft::Draft202012);
    }
    options.build(&schema).map_err(|error| error.to_string())
}

/// Refuses schemas from elsewhere, but for names (`urn:`), which Helm takes for schemas that allow everything.
struct NothingRemote;

impl Retrieve for NothingRemote {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        if uri.as_str().starts_with("urn:") {
            return Ok(Value::Bool(true));
        }
        Err(format!("the schema {uri} is not part of the chart").into())
    }
}
