//! The comparison of the schema of typed values, such as those in a custom resource, with the values that a chart knows.

mod compare;
#[cfg(test)]
mod condition_tests;
mod conditions;
#[cfg(test)]
mod limit_tests;
mod limits;
mod place;
mod schema_view;
#[cfg(test)]
mod tests;
mod view;

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use compare::ValuesComparison;
use schema_view::ValuesSchemaNode;
use view::ValuesView;

use crate::dependencies::{ChartNode, SharedChart, check_aliases, enable, import_values};
use crate::error::ChartError;
use crate::model::Chart;
use crate::values::{Coalescing, empty_table, to_json};

/// The largest number of characters of a schema in a difference.
const SHOWN_SCHEMA: usize = 200;

/// A difference between typed values and the values of a chart.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValuesDifference {
    /// The path in the values, such as `image.tag`, `hosts[].name`, or `labels.*`; empty for the values as a whole.
    pub path: String,
    /// The found form.
    pub found: String,
    /// The forms that the chart allows.
    pub allowed: String,
}

impl fmt::Display for ValuesDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.path.is_empty() { "the values" } else { &self.path };
        write!(f, "{path}: found {} (allowed: {})", self.found, self.allowed)
    }
}

/// A chart in a tree of charts, with its parsed schema.
#[derive(Debug)]
struct ChartSchemaTree {
    name: String,
    schema: Option<Value>,
    children: Vec<Self>,
}

/// Compares the JSON schema of typed values with the `values.schema.json` and the `values.yaml` of a chart and of its subcharts, and returns all
/// differences: fields that the chart does not know, other types, values that its schema refuses, limits that the typed values do not keep, and
/// values that it requires.
///
/// A field is known if the schema of the chart describes it, or else if the chart has a default for it. Below an empty or absent default nothing is
/// known, so that everything is allowed there. The values of subcharts are compared with the subcharts.
///
/// Limits are bounds of numbers, `multipleOf`, lengths, counts, `uniqueItems`, patterns, and the formats that validators check, which are those of
/// texts in schemas of the drafts before 2019-09. Formats such as `int32` and `uint16` bound the integers of typed values. A pattern fits if it is
/// the same text. All parts of `allOf` apply, and of `anyOf` and `oneOf` one must fit. A condition (`if`, `not`) counts as far as it is certain which
/// of the typed values fit it; then `then`, `else` and `not` are compared. Not compared are: values of any type; texts that a pattern of the typed
/// values makes shorter than its lengths; that only one choice of `oneOf` fits; `else` of a condition that some values fit; conditions of patterns
/// and bounds for values that are not listed; and `contains`, `dependentSchemas`, `patternProperties` of maps, `propertyNames`, and items by
/// position.
pub fn compare_values(chart: &Chart, schema: &Value) -> Result<Vec<ValuesDifference>, ChartError> {
    check_aliases(chart)?;
    let mut root = ChartNode::root(&SharedChart::new(Arc::new(chart.clone())));
    let (compat, mut warnings) = (chart.compat(), Vec::new());
    enable(&mut root, None, "", compat, &mut warnings)?;
    let mut switches = Vec::new();
    switch_paths(&root, "", &mut switches);
    import_values(&mut root, compat, &mut warnings)?;
    let mut coalescing = Coalescing { compat, keeps_nulls: true, warnings: &mut warnings };
    let mut defaults = to_json(&coalescing.coalesce(&root, &empty_table())?.into());
    for path in switches {
        add_switch(&mut defaults, &path);
    }
    let tree = ChartSchemaTree::of(&root)?;
    let mut comparison = ValuesComparison::new();
    comparison.compare("", &[ValuesSchemaNode::document(schema)], &ValuesView::of_chart(&tree, &defaults));
    Ok(comparison.into_differences())
}

impl ChartSchemaTree {
    fn of(node: &ChartNode) -> Result<Self, ChartError> {
        let parse = |bytes: &Arc<[u8]>| {
            serde_json::from_slice(bytes)
                .map_err(|error| ChartError::Schema(format!("{}:\nvalues.schema.json: {error}\n", node.name)))
        };
        Ok(Self {
            name: node.name.clone(),
            schema: node.chart.schema.as_ref().map(parse).transpose()?,
            children: node.children.iter().map(Self::of).collect::<Result<_, _>>()?,
        })
    }
}

/// Adds the paths of the values that enable subcharts: conditions, and tags.
fn switch_paths(node: &ChartNode, prefix: &str, paths: &mut Vec<String>) {
    for requirement in node.requirements.iter().flatten() {
        let conditions = requirement.condition.trim().split(',').filter(|condition| !condition.is_empty());
        paths.extend(conditions.map(|condition| format!("{prefix}{}", condition.trim())));
        paths.extend(requirement.tags.iter().map(|tag| format!("tags.{tag}")));
    }
    for child in &node.children {
        switch_paths(child, &format!("{prefix}{}.", child.name), paths);
    }
}

/// Adds a boolean at a path, unless there is a value.
fn add_switch(values: &mut Value, path: &str) {
    let (name, rest) = path.split_once('.').map_or((path, None), |(name, rest)| (name, Some(rest)));
    let Value::Object(members) = values else { return };
    match rest {
        None => {
            members.entry(name).or_insert(Value::Bool(true));
        }
        Some(rest) => add_switch(members.entry(name).or_insert_with(|| Map::new().into()), rest),
    }
}

/// Returns the path of a member.
fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// Returns the JSON of a schema, cut after its beginning.
fn compact(schema: &Value) -> String {
    let text = schema.to_string();
    if text.chars().count() <= SHOWN_SCHEMA { text } else { text.chars().take(SHOWN_SCHEMA).chain(['…']).collect() }
}
