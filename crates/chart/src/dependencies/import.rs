//! `import-values`: values of subcharts that become defaults of their parents.

use kubewright_template::{GoMap, GoValue};

use super::node::ChartNode;
use crate::compat::HelmCompat;
use crate::error::ChartError;
use crate::model::ImportedValues;
use crate::values::{Coalescing, deep_copy, empty_table, table_at};

/// Imports the values of subcharts in a tree, from the deepest up. The defaults of a chart with dependencies become those of its subcharts, too.
pub(crate) fn import_values(node: &mut ChartNode, compat: HelmCompat, warnings: &mut Vec<String>) -> Result<(), ChartError> {
    for child in &mut node.children {
        import_values(child, compat, warnings)?;
    }
    let Some(requirements) = &node.requirements else { return Ok(()) };
    let mut coalescing = Coalescing { compat, keeps_nulls: true, warnings };
    let values = coalescing.coalesce(node, &empty_table())?;
    let imported = empty_table();
    for requirement in requirements {
        for (child, parent) in requirement.import_values.iter().filter_map(ImportedValues::paths) {
            match table_at(&values, &format!("{}.{child}", requirement.name)) {
                Ok(table) => coalescing.tables(&imported, &nested(parent, table)),
                Err(missing) => coalescing.warnings.push(format!(
                    "Warning: ImportValues missing table from chart {}: {missing:?} is not a table",
                    requirement.name
                )),
            }
        }
    }
    let values = deep_copy(&values);
    coalescing.tables(&values, &imported);
    node.values = Some(values);
    Ok(())
}

/// Returns a table inside of the tables of a path.
fn nested(path: &str, table: GoMap) -> GoMap {
    if path == "." {
        return table;
    }
    path.split('.').rev().fold(table, |inner, name| GoMap::from_pairs([(name, GoValue::Map(inner))]))
}
