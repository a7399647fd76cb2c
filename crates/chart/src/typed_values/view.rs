//! The knowledge about a place in the values of a chart.

use serde_json::Value;

use super::ChartSchemaTree;
use super::schema_view::ValuesSchemaNode;

/// The knowledge about a place in the values of a chart.
#[derive(Clone, Debug, Default)]
pub(super) struct ValuesView<'a> {
    /// The schemas that all apply.
    pub(super) schemas: Vec<ValuesSchemaNode<'a>>,
    /// The default.
    pub(super) default: Option<&'a Value>,
    /// The chart whose values these are, if the place is the root of a chart.
    pub(super) chart: Option<&'a ChartSchemaTree>,
}

impl<'a> ValuesView<'a> {
    pub(super) fn of_chart(chart: &'a ChartSchemaTree, defaults: &'a Value) -> Self {
        let schemas = chart.schema.iter().map(ValuesSchemaNode::document).collect();
        Self { schemas, default: Some(defaults), chart: Some(chart) }
    }
}
