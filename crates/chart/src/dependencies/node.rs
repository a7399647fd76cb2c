//! The tree of charts of one rendering.

use std::sync::Arc;

use kubewright_template::GoMap;

use crate::model::{Chart, ChartDependency};
use crate::values::{ValuesTree, deep_copy, table};

/// A chart in the tree of one rendering: its alias, its path, and the values that it imports.
#[derive(Clone, Debug)]
pub(crate) struct ChartNode {
    pub(crate) chart: Arc<Chart>,
    /// The name, or the alias.
    pub(crate) name: String,
    /// The declared dependencies that are not processed yet, or that are enabled, under the names by which they are used. None if there are none.
    pub(crate) requirements: Option<Vec<ChartDependency>>,
    /// The default values, if they are other ones than those of the chart.
    pub(crate) values: Option<GoMap>,
    pub(crate) children: Vec<Self>,
    /// The path, as the names of templates begin.
    pub(crate) path: String,
}

impl ChartNode {
    /// Returns the tree of a loaded chart, with everything enabled and under its own name.
    pub(crate) fn root(chart: &Arc<Chart>) -> Self {
        Self::loaded(chart, chart.name().to_owned())
    }

    fn loaded(chart: &Arc<Chart>, path: String) -> Self {
        let children = chart.dependencies.iter().map(|child| Self::loaded(child, child_path(&path, child.name()))).collect();
        let dependencies = &chart.metadata.dependencies;
        let requirements = if dependencies.is_empty() { None } else { Some(dependencies.clone()) };
        Self { chart: chart.clone(), name: chart.name().to_owned(), requirements, values: None, children, path }
    }

    /// Moves the chart below another path, and the charts in it down to a depth.
    pub(super) fn move_below(&mut self, parent: &str, depth: usize) {
        self.path = child_path(parent, &self.name);
        if depth > 0 {
            self.children.iter_mut().for_each(|child| child.move_below(&self.path, depth - 1));
        }
    }
}

impl ValuesTree for ChartNode {
    fn name(&self) -> &str {
        &self.name
    }

    fn defaults(&self) -> GoMap {
        self.values.as_ref().map_or_else(|| table(&self.chart.values), deep_copy)
    }

    fn children(&self) -> &[Self] {
        &self.children
    }
}

fn child_path(parent: &str, name: &str) -> String {
    format!("{parent}/charts/{name}")
}
