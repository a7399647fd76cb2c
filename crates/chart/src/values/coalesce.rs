//! The coalescing of values: those of the user over the defaults of a chart, and both over the defaults of its subcharts.

use kubewright_template::{GoMap, GoValue, printf};

use super::table::{deep_copy, empty_table, key, without_nulls};
use crate::compat::HelmCompat;
use crate::error::ChartError;

/// The key of the values that all subcharts see.
const GLOBAL: &str = "global";

/// A chart with subcharts, as far as its values are concerned.
pub(crate) trait ValuesTree {
    /// Returns the name, under which the values of the parent have those of the chart.
    fn name(&self) -> &str;

    /// Returns a copy of the default values.
    fn defaults(&self) -> GoMap;

    /// Returns the subcharts.
    fn children(&self) -> &[Self]
    where
        Self: Sized;
}

/// One coalescing.
#[derive(Debug)]
pub(crate) struct Coalescing<'a> {
    /// The release line of Helm.
    pub(crate) compat: HelmCompat,
    /// True if nulls are kept, since the values will be coalesced again.
    pub(crate) keeps_nulls: bool,
    /// The warnings.
    pub(crate) warnings: &'a mut Vec<String>,
}

impl Coalescing<'_> {
    /// Returns the values of a chart and of its subcharts, with these values over the defaults. The values are not changed.
    pub(crate) fn coalesce(&mut self, chart: &impl ValuesTree, values: &GoMap) -> Result<GoMap, ChartError> {
        let values = deep_copy(values);
        self.chart(chart, &values, "")?;
        Ok(values)
    }

    /// Merges a table into another one, which has precedence.
    pub(crate) fn tables(&mut self, target: &GoMap, source: &GoMap) {
        self.tables_at(target, source, "", self.keeps_nulls);
    }

    fn chart(&mut self, chart: &impl ValuesTree, values: &GoMap, prefix: &str) -> Result<(), ChartError> {
        let path = joined(prefix, chart.name());
        self.defaults(chart, values, &path);
        for child in chart.children() {
            let name = key(child.name());
            let table = match values.get(&name) {
                None => {
                    let table = empty_table();
                    values.set(name.clone(), table.clone().into());
                    table
                }
                Some(GoValue::Map(table)) => table,
                Some(other) => {
                    let shown = printf(&"%t".into(), &[other]).map(|text| text.to_text().into_owned()).unwrap_or_default();
                    return Err(ChartError::Values(format!("type mismatch on {}: {shown}", child.name())));
                }
            };
            self.globals(&table, values, &path);
            self.chart(child, &table, &path)?;
        }
        Ok(())
    }

    /// Adds the defaults of a chart to its values.
    fn defaults(&mut self, chart: &impl ValuesTree, values: &GoMap, path: &str) {
        let is_cleaned = self.compat == HelmCompat::Helm4;
        for (name, default) in chart.defaults().entries() {
            let shown = || format!("{path}.{}", name.to_text());
            match (values.get(&name), default) {
                (Some(GoValue::Nil), _) if !self.keeps_nulls => {
                    values.remove(&name);
                }
                (Some(GoValue::Map(target)), GoValue::Map(source)) => {
                    let is_child = chart.children().iter().any(|child| child.name().as_bytes() == name.as_bytes());
                    let keeps_nulls = self.keeps_nulls || is_child;
                    if is_cleaned && !keeps_nulls {
                        without_nulls(&source);
                    }
                    self.tables_at(&target, &source, &shown(), keeps_nulls);
                }
                (Some(GoValue::Map(_)), GoValue::Nil) => {}
                (Some(GoValue::Map(_)), _) => {
                    self.warnings.push(format!("warning: skipped value for {}: Not a table.", shown()));
                }
                (Some(_), _) => {}
                (None, default) => {
                    if is_cleaned && !self.keeps_nulls {
                        match &default {
                            GoValue::Nil => continue,
                            GoValue::Map(table) => without_nulls(table),
                            _ => {}
                        }
                    }
                    values.set(name, default);
                }
            }
        }
    }

    fn tables_at(&mut self, target: &GoMap, source: &GoMap, path: &str, keeps_nulls: bool) {
        for (name, default) in source.entries() {
            let shown = || joined(path, &name.to_text());
            match (target.get(&name), default) {
                // The null of the user deletes the default; without a default it stays.
                (Some(GoValue::Nil), GoValue::Nil) => {}
                (Some(GoValue::Nil), _) if keeps_nulls => {}
                (Some(GoValue::Nil), _) => {
                    target.remove(&name);
                }
                (None, default) => target.set(name, default),
                (Some(GoValue::Map(target)), GoValue::Map(source)) => {
                    self.tables_at(&target, &source, &shown(), keeps_nulls);
                }
                (Some(_), GoValue::Map(_)) => {
                    self.warnings.push(format!("warning: cannot overwrite table with non table for {}", shown()));
                }
                (Some(GoValue::Map(_)), default) if !matches!(default, GoValue::Nil) => {
                    self.warnings.push(format!("warning: destination for {} is a table. Ignoring non-table value", shown()));
                }
                _ => {}
            }
        }
    }

    /// Merges the global values of a chart over those of a subchart.
    fn globals(&mut self, target: &GoMap, source: &GoMap, path: &str) {
        let own = match target.get(&key(GLOBAL)) {
            None => empty_table(),
            Some(GoValue::Map(table)) => table,
            Some(_) => {
                self.warnings.push("warning: skipping globals because destination global is not a table.".to_owned());
                return;
            }
        };
        let outer = match source.get(&key(GLOBAL)) {
            None => empty_table(),
            Some(GoValue::Map(table)) => table,
            Some(_) => {
                self.warnings.push("warning: skipping globals because source global is not a table.".to_owned());
                return;
            }
        };
        for (name, value) in outer.entries() {
            let shown = name.to_text().into_owned();
            match (value, own.get(&name)) {
                (GoValue::Map(value), existing) => {
                    // Only the first level is copied: the tables in it are those of the parent, as in Helm.
                    let copy = GoMap::new(value.entries().into_iter().collect(), value.map_type());
                    match existing {
                        None => own.set(name, copy.into()),
                        Some(GoValue::Map(existing)) => {
                            self.tables_at(&copy, &existing, &joined(path, &shown), true);
                            own.set(name, copy.into());
                        }
                        Some(_) => {
                            self.warnings.push(format!("Conflict: cannot merge map onto non-map for {shown:?}. Skipping."))
                        }
                    }
                }
                (_, Some(GoValue::Map(_))) => self.warnings.push(format!("key {shown} is table. Skipping")),
                (value, _) => own.set(name, value),
            }
        }
        target.set(key(GLOBAL), own.into());
    }
}

fn joined(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::values::{table, to_json};

    struct TestChart {
        name: &'static str,
        defaults: Value,
        children: Vec<Self>,
    }

    impl ValuesTree for TestChart {
        fn name(&self) -> &str {
            self.name
        }

        fn defaults(&self) -> GoMap {
            table(self.defaults.as_object().unwrap())
        }

        fn children(&self) -> &[Self] {
            &self.children
        }
    }

    fn coalesced(tree: &TestChart, values: Value, compat: HelmCompat) -> Result<Value, String> {
        let mut warnings = Vec::new();
        let mut coalescing = Coalescing { compat, keeps_nulls: false, warnings: &mut warnings };
        let values = table(values.as_object().unwrap());
        coalescing.coalesce(tree, &values).map(|values| to_json(&values.into())).map_err(|error| error.to_string())
    }

    fn parent(defaults: Value, child: Value) -> TestChart {
        let children = vec![TestChart { name: "sub", defaults: child, children: Vec::new() }];
        TestChart { name: "top", defaults, children }
    }

    #[test]
    fn maps_merge_and_a_null_deletes_a_default() {
        let tree = TestChart { name: "top", defaults: json!({"a": {"b": 1, "c": 2}, "d": 1, "l": [1]}), children: Vec::new() };
        for compat in [HelmCompat::Helm3, HelmCompat::Helm4] {
            let values = coalesced(&tree, json!({"a": {"b": null, "x": null}, "d": null, "l": [2], "n": null}), compat);
            assert_eq!(values.unwrap(), json!({"a": {"c": 2, "x": null}, "l": [2], "n": null}));
        }
    }

    #[test]
    fn nulls_of_defaults_are_kept_by_helm_3_alone() {
        let tree = TestChart { name: "top", defaults: json!({"a": null, "b": {"c": null, "d": 1}}), children: Vec::new() };
        assert_eq!(coalesced(&tree, json!({"b": {}}), HelmCompat::Helm3).unwrap(), json!({"a": null, "b": {"c": null, "d": 1}}));
        assert_eq!(coalesced(&tree, json!({"b": {}}), HelmCompat::Helm4).unwrap(), json!({"b": {"d": 1}}));
    }

    #[test]
    fn values_of_the_parent_win_over_those_of_the_subchart() {
        let tree = parent(json!({"sub": {"a": 2, "b": null}}), json!({"a": 1, "b": 1, "c": 1}));
        let values = coalesced(&tree, json!({"sub": {"c": null}}), HelmCompat::Helm4).unwrap();
        assert_eq!(values, json!({"sub": {"a": 2, "global": {}}}));
    }

    #[test]
    fn globals_of_the_parent_win_in_all_subcharts() {
        let tree = parent(json!({"global": {"a": 1, "t": {"x": 1}}}), json!({"global": {"a": 2, "b": 2, "t": {"y": 2}}}));
        let values = coalesced(&tree, json!({}), HelmCompat::Helm4).unwrap();
        assert_eq!(values["sub"]["global"], json!({"a": 1, "b": 2, "t": {"x": 1, "y": 2}}));
        assert_eq!(values["global"], json!({"a": 1, "t": {"x": 1}}));
    }

    #[test]
    fn values_of_a_subchart_that_are_no_map_are_an_error() {
        let tree = parent(json!({}), json!({}));
        let error = coalesced(&tree, json!({"sub": "x"}), HelmCompat::Helm4).unwrap_err();
        assert_eq!(error, "type mismatch on sub: %!t(string=x)");
    }
}
