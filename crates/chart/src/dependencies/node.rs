//! The tree of charts of one rendering.

use std::sync::Arc;

use kubewright_template::GoMap;
use kubewright_template::value::FrozenMap;

use crate::model::{Chart, ChartDependency};
use crate::values::ValuesTree;

/// A chart with its default values as all renderings share them, and the charts in it.
#[derive(Debug)]
pub(crate) struct SharedChart {
    pub(crate) chart: Arc<Chart>,
    values: FrozenMap,
    dependencies: Vec<Self>,
}

impl SharedChart {
    /// Creates the tree of a chart.
    pub(crate) fn new(chart: Arc<Chart>) -> Self {
        let dependencies = chart.dependencies.iter().cloned().map(Self::new).collect();
        Self { values: FrozenMap::new(&chart.values), dependencies, chart }
    }
}

/// A chart in the tree of one rendering: its alias, its path, and the values that it imports.
#[derive(Clone, Debug)]
pub(crate) struct ChartNode {
    pub(crate) chart: Arc<Chart>,
    /// The name, or the alias.
    pub(crate) name: String,
    /// The declared dependencies that are not processed yet, or that are enabled, under the names by which they are used. None if there are none.
    pub(crate) requirements: Option<Vec<ChartDependency>>,
    /// The default values: those of the chart, or with those that it imports.
    pub(crate) values: FrozenMap,
    pub(crate) children: Vec<Self>,
    /// The path, as the names of templates begin.
    pub(crate) path: String,
}

impl ChartNode {
    /// Returns the tree of a loaded chart, with everything enabled and under its own name.
    pub(crate) fn root(shared: &SharedChart) -> Self {
        Self::loaded(shared, shared.chart.name().to_owned())
    }

    fn loaded(shared: &SharedChart, path: String) -> Self {
        let chart = shared.chart.clone();
        let children =
            shared.dependencies.iter().map(|child| Self::loaded(child, child_path(&path, child.chart.name()))).collect();
        let dependencies = &chart.metadata.dependencies;
        let requirements = if dependencies.is_empty() { None } else { Some(dependencies.clone()) };
        let (name, values) = (chart.name().to_owned(), shared.values.clone());
        Self { chart, name, requirements, values, children, path }
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
        self.values.clone().into()
    }

    fn children(&self) -> &[Self] {
        &self.children
    }
}

fn child_path(parent: &str, name: &str) -> String {
    format!("{parent}/charts/{name}")
}
