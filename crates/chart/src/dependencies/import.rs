//! `import-values`: values of subcharts that become defaults of their parents.

use kubewright_machinery::object::MAX_NESTING;
use kubewright_template::{GoMap, GoValue};

use super::node::ChartNode;
use crate::compat::HelmCompat;
use crate::error::ChartError;
use crate::model::ImportedValues;
use crate::values::{Coalescing, deep_copy, empty_table, frozen, table_at};

/// The largest number of values that are imported in a tree of charts.
const IMPORTED: usize = 1_000_000;

/// Imports the values of subcharts in a tree, from the deepest up. The defaults of a chart with dependencies become those of its subcharts, too.
pub(crate) fn import_values(root: &mut ChartNode, compat: HelmCompat, warnings: &mut Vec<String>) -> Result<(), ChartError> {
    ValuesImport { compat, warnings, left: IMPORTED }.chart(root)
}

struct ValuesImport<'a> {
    compat: HelmCompat,
    warnings: &'a mut Vec<String>,
    /// The number of values that may still be imported.
    left: usize,
}

impl ValuesImport<'_> {
    fn chart(&mut self, node: &mut ChartNode) -> Result<(), ChartError> {
        for child in &mut node.children {
            self.chart(child)?;
        }
        let Some(requirements) = &node.requirements else { return Ok(()) };
        let mut coalescing = Coalescing { compat: self.compat, keeps_nulls: true, warnings: &mut *self.warnings };
        let values = coalescing.coalesce(node, &empty_table())?;
        let imported = empty_table();
        for requirement in requirements {
            for (child, parent) in requirement.import_values.iter().filter_map(ImportedValues::paths) {
                match table_at(&values, &format!("{}.{child}", requirement.name)) {
                    Ok(table) => {
                        let table = nested(parent, &table, &mut self.left).ok_or_else(|| too_large(&requirement.name, parent))?;
                        coalescing.tables(&imported, &table);
                    }
                    Err(missing) => coalescing.warnings.push(format!(
                        "Warning: ImportValues missing table from chart {}: {missing:?} is not a table",
                        requirement.name
                    )),
                }
            }
        }
        let values = deep_copy(&values);
        coalescing.tables(&values, &imported);
        node.values = frozen(&values);
        Ok(())
    }
}

fn too_large(chart: &str, parent: &str) -> ChartError {
    let start: String = parent.chars().take(100).collect();
    ChartError::Values(format!(
        "import-values of chart {chart} into {start:?}: the values are nested more than {MAX_NESTING} deep, or all imports have more than \
         {IMPORTED} values"
    ))
}

/// Returns a copy of a table inside of the tables of a path, or None if it is nested too deep or has more values than are left. Without the copy, a table
/// that is imported into itself would have no end.
fn nested(path: &str, table: &GoMap, left: &mut usize) -> Option<GoMap> {
    let names: Vec<&str> = if path == "." { Vec::new() } else { path.split('.').take(MAX_NESTING + 1).collect() };
    take(&GoValue::Map(table.clone()), MAX_NESTING.checked_sub(names.len())?, left)?;
    Some(names.iter().rev().fold(deep_copy(table), |inner, name| GoMap::from_pairs([(*name, GoValue::Map(inner))])))
}

/// Subtracts the number of values in a value from those that are left; None if there are more of them, or if they are nested deeper than this.
fn take(value: &GoValue, depth: usize, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(1)?;
    match value {
        GoValue::Map(map) => {
            let depth = depth.checked_sub(1)?;
            map.borrow().values().try_for_each(|inner| take(inner, depth, left))
        }
        GoValue::List(list) => {
            let depth = depth.checked_sub(1)?;
            list.iter().try_for_each(|inner| take(inner, depth, left))
        }
        _ => Some(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::values::{table, to_json};

    #[test]
    fn an_imported_table_is_a_copy_below_its_path() {
        let source = table(json!({"b": {"c": 1}}).as_object().unwrap());
        let mut left = 10;
        let copy = nested("x.y", &source, &mut left).unwrap();
        source.set("b".into(), GoValue::Nil);
        assert_eq!(to_json(&copy.into()), json!({"x": {"y": {"b": {"c": 1}}}}));
        assert_eq!(left, 7);
    }

    #[test]
    fn imports_are_limited_in_depth_and_number() {
        let source = table(json!({"a": [1, 2]}).as_object().unwrap());
        let path = |length| vec!["a"; length].join(".");
        assert!(nested(&path(MAX_NESTING - 2), &source, &mut 4).is_some());
        assert!(nested(&path(MAX_NESTING - 1), &source, &mut 4).is_none());
        assert!(nested(&path(1_000_000), &source, &mut 4).is_none());
        assert!(nested(".", &source, &mut 3).is_none());
    }
}
