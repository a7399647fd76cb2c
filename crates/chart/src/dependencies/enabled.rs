//! The dependencies that are in a chart, that fit, and that values enable.

use std::collections::BTreeSet;

use kubewright_template::{GoMap, GoValue};

use super::aliases::fits;
use super::is_in_range;
use super::node::ChartNode;
use crate::compat::HelmCompat;
use crate::error::ChartError;
use crate::model::{Chart, ChartDependency};
use crate::values::{Coalescing, key, table_at, value_at};

/// Checks that the declared dependencies of a chart are in it, with versions in the declared ranges.
pub(crate) fn check_dependencies(chart: &Chart) -> Result<(), ChartError> {
    let candidates = |dependency: &ChartDependency| -> Vec<&str> {
        let charts = chart.dependencies.iter().filter(|child| child.name() == dependency.name);
        charts.map(|child| child.metadata.version.as_str()).collect()
    };
    let declared = &chart.metadata.dependencies;
    let missing = declared.iter().filter(|dependency| candidates(dependency).is_empty());
    let names: Vec<String> = missing.map(|dependency| dependency.name.clone()).collect();
    if !names.is_empty() {
        return Err(ChartError::MissingDependencies { names });
    }
    for dependency in declared.iter().filter(|dependency| !dependency.version.is_empty()) {
        let versions = candidates(dependency);
        if !versions.iter().any(|version| is_in_range(&dependency.version, version)) {
            return Err(ChartError::DependencyVersion {
                name: dependency.name.clone(),
                declared: dependency.version.clone(),
                found: versions.first().copied().unwrap_or_default().to_owned(),
            });
        }
    }
    Ok(())
}

/// Gives the charts of a tree their aliases, and removes those that are not enabled for the values. Without values, everything is enabled.
pub(crate) fn enable(
    node: &mut ChartNode,
    values: Option<&GoMap>,
    path: &str,
    compat: HelmCompat,
    warnings: &mut Vec<String>,
) -> Result<(), ChartError> {
    let Some(mut requirements) = node.requirements.take() else { return Ok(()) };
    node.children = used_charts(node, &mut requirements, compat);
    let mut coalesced = None;
    if let Some(values) = values {
        let values = Coalescing { compat, keeps_nulls: false, warnings }.coalesce(node, values)?;
        let disabled: BTreeSet<String> = requirements
            .iter()
            .filter(|requirement| !is_enabled(requirement, &values, path, warnings))
            .map(|requirement| requirement.name.clone())
            .collect();
        node.children.retain(|child| !disabled.contains(&child.name));
        requirements.retain(|requirement| !disabled.contains(&requirement.name));
        coalesced = Some(values);
    }
    for child in &mut node.children {
        let below = format!("{path}{}.", child.name);
        enable(child, coalesced.as_ref(), &below, compat, warnings)?;
    }
    node.requirements = if requirements.is_empty() { None } else { Some(requirements) };
    Ok(())
}

/// Returns the charts that are used: those that are not declared, and for each declaration the chart that fits, under its alias.
fn used_charts(node: &ChartNode, requirements: &mut [ChartDependency], compat: HelmCompat) -> Vec<ChartNode> {
    let mut used = Vec::new();
    for chart in &node.children {
        if !requirements.iter().any(|requirement| fits(requirement, &chart.chart)) {
            let mut chart = chart.clone();
            chart.move_below(&node.path, usize::MAX);
            used.push(chart);
        }
    }
    for requirement in requirements {
        if let Some(chart) = node.children.iter().find(|chart| fits(requirement, &chart.chart)) {
            let mut chart = chart.clone();
            if !requirement.alias.is_empty() {
                chart.name.clone_from(&requirement.alias);
            }
            // The charts in an aliased chart stay where they were loaded: those right in it with Helm 3, and those deeper in it with Helm 4, too.
            let depth = usize::from(compat == HelmCompat::Helm4);
            chart.move_below(&node.path, depth);
            used.push(chart);
        }
        if !requirement.alias.is_empty() {
            requirement.name.clone_from(&requirement.alias);
        }
    }
    used
}

/// Returns true if a dependency is enabled: by the first condition that is a boolean, or else by its tags; one with neither is enabled.
fn is_enabled(requirement: &ChartDependency, values: &GoMap, path: &str, warnings: &mut Vec<String>) -> bool {
    let name = &requirement.name;
    let mut is_enabled = true;
    if let Ok(tags) = table_at(values, "tags") {
        let mut states = BTreeSet::new();
        for tag in &requirement.tags {
            match tags.get(&key(tag)) {
                Some(GoValue::Bool(state)) => {
                    states.insert(state);
                }
                Some(_) => warnings.push(format!("Warning: Tag '{tag}' for chart {name} returned non-bool value")),
                None => {}
            }
        }
        is_enabled = states.contains(&true) || !states.contains(&false);
    }
    for condition in requirement.condition.trim().split(',').filter(|condition| !condition.is_empty()) {
        match value_at(values, &format!("{path}{condition}")) {
            Some(GoValue::Bool(state)) => return state,
            Some(_) => {
                warnings.push(format!("Warning: Condition path '{condition}' for chart {name} returned non-bool value"));
            }
            None => {}
        }
    }
    is_enabled
}
