//! Validation of values by the `values.schema.json` of charts.

mod messages;
mod violation;
#[cfg(test)]
mod violation_tests;

use std::collections::{HashMap, VecDeque};
use std::fmt::{self, Write};
use std::sync::Arc;

use jsonschema::{Draft, Retrieve, Uri, Validator};
use kubewright_template::{GoMap, GoValue};
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::dependencies::ChartNode;
use crate::error::ChartError;
use crate::model::Chart;
use crate::values::{key, to_json};

/// The largest number of valid values that are kept: those of components that are rendered in turns.
const KEPT_VALUES: usize = 8;

/// The compiled schemas of charts, by their addresses. Charts live as long as the schemas.
#[derive(Default)]
pub(crate) struct ChartSchemas {
    validators: Mutex<HashMap<usize, Arc<Result<Validator, String>>>>,
    /// The values of the last requests that were valid, the newest at the end. All other values follow from them.
    valid: Mutex<VecDeque<Map<String, Value>>>,
}

impl fmt::Debug for ChartSchemas {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} schemas", self.validators.lock().len())
    }
}

impl ChartSchemas {
    /// Validates the values of a tree of charts, which the chart makes of those of a request. The error lists all violations, by chart.
    pub(crate) fn validate(&self, root: &ChartNode, values: &GoMap, requested: &Map<String, Value>) -> Result<(), ChartError> {
        if self.valid.lock().contains(requested) {
            return Ok(());
        }
        let mut text = String::new();
        self.chart(root, values, &mut text);
        if !text.is_empty() {
            return Err(ChartError::Schema(text));
        }
        let mut valid = self.valid.lock();
        if valid.len() >= KEPT_VALUES {
            valid.pop_front();
        }
        valid.push_back(requested.clone());
        Ok(())
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ChartLoader;
    use crate::dependencies::SharedChart;
    use crate::values::table;

    #[test]
    fn valid_values_are_validated_once_and_others_each_time() {
        let files =
            [("Chart.yaml", "name: top\nversion: 1.0.0"), ("values.schema.json", r#"{"properties": {"a": {"type": "number"}}}"#)];
        let root = ChartNode::root(&SharedChart::new(Arc::new(ChartLoader::default().files(files).unwrap())));
        let schemas = ChartSchemas::default();
        let validate = |value: Value| {
            let requested = Map::from_iter([("a".to_owned(), value)]);
            schemas.validate(&root, &table(&requested), &requested).is_ok()
        };
        assert_eq!([json!(1), json!("x"), json!(1), json!("x")].map(validate), [true, false, true, false]);
        assert_eq!(schemas.valid.lock().len(), 1);
        for number in 0..2 * KEPT_VALUES {
            assert!(validate(json!(number)));
        }
        assert_eq!(schemas.valid.lock().len(), KEPT_VALUES);
        assert!(!validate(json!("x")));
    }
}
