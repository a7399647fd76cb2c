//! The limits of a chart whose subcharts are used several times.

use super::is_in_range;
use crate::error::ChartError;
use crate::model::{Chart, ChartDependency};
use crate::source::FileUsage;

/// Returns true if a chart is the one that a dependency declares.
pub(super) fn fits(dependency: &ChartDependency, chart: &Chart) -> bool {
    chart.name() == dependency.name && is_in_range(&dependency.version, &chart.metadata.version)
}

/// Checks that the chart is within its limits if each subchart is counted once per alias. Few charts that use each other under several aliases would
/// otherwise make a tree without bounds.
pub(crate) fn check_aliases(chart: &Chart) -> Result<(), ChartError> {
    let limits = chart.limits;
    if usage_of_tree(chart).is_within(limits) {
        return Ok(());
    }
    Err(ChartError::TooManyAliases { chart: chart.name().to_owned(), size: limits.size, files: limits.files })
}

fn usage_of_tree(chart: &Chart) -> FileUsage {
    let declared = &chart.metadata.dependencies;
    let mut usage = chart.usage;
    for child in &chart.dependencies {
        let uses = declared.iter().filter(|dependency| fits(dependency, child)).count();
        usage.add(usage_of_tree(child), uses.max(1));
    }
    usage
}
