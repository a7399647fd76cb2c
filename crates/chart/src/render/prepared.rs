//! Trees of charts that are prepared for values: the dependencies that are enabled, the values, and whether they are valid.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;
#[cfg(feature = "schema")]
use std::sync::OnceLock;

use kubewright_template::GoMap;
use kubewright_template::value::FrozenMap;
use parking_lot::Mutex;
use serde_json::{Map, Value};

use crate::compat::HelmCompat;
use crate::dependencies::{ChartNode, SharedChart, enable, import_values};
use crate::error::ChartError;
use crate::values::{Coalescing, table};

/// The largest number of trees that are kept: those of components that are rendered in turns.
const KEPT_TREES: usize = 8;

/// A tree that is prepared for the values of requests. It has no `Debug`, since values may be secret.
pub(super) struct PreparedTree {
    /// The chart with the charts that are enabled.
    pub(super) root: ChartNode,
    pub(super) warnings: Vec<String>,
    requested: Map<String, Value>,
    /// The values of all charts. None if maps in them are the same, which copies would not be.
    values: Option<FrozenMap>,
    #[cfg(feature = "schema")]
    is_valid: OnceLock<()>,
}

impl PreparedTree {
    /// Prepares a chart for values. Also returns the values of all charts.
    fn new(chart: &SharedChart, requested: &Map<String, Value>, compat: HelmCompat) -> Result<(Self, GoMap), ChartError> {
        let mut warnings = Vec::new();
        let mut root = ChartNode::root(chart);
        let user_values = table(requested);
        enable(&mut root, Some(&user_values), "", compat, &mut warnings)?;
        import_values(&mut root, compat, &mut warnings)?;
        let values = coalesced(&root, requested, compat, &mut warnings)?;
        let tree = Self {
            root,
            warnings,
            requested: requested.clone(),
            values: FrozenMap::of(&values),
            #[cfg(feature = "schema")]
            is_valid: OnceLock::new(),
        };
        Ok((tree, values))
    }

    /// Returns a copy of the values of all charts.
    fn values(&self, compat: HelmCompat) -> Result<GoMap, ChartError> {
        match &self.values {
            Some(values) => Ok(values.clone().into()),
            // The warnings are known.
            None => coalesced(&self.root, &self.requested, compat, &mut Vec::new()),
        }
    }

    /// Validates the values, unless they were valid before.
    #[cfg(feature = "schema")]
    pub(super) fn validate(&self, validate: impl FnOnce() -> Result<(), ChartError>) -> Result<(), ChartError> {
        if self.is_valid.get().is_none() {
            validate()?;
            self.is_valid.get_or_init(|| ());
        }
        Ok(())
    }
}

fn coalesced(
    root: &ChartNode,
    requested: &Map<String, Value>,
    compat: HelmCompat,
    warnings: &mut Vec<String>,
) -> Result<GoMap, ChartError> {
    Coalescing { compat, keeps_nulls: false, warnings }.coalesce(root, &table(requested))
}

/// The trees of a chart for the values of the last requests, the newest at the end. All that a tree has follows from those values.
#[derive(Default)]
pub(super) struct PreparedTrees {
    trees: Mutex<VecDeque<Arc<PreparedTree>>>,
}

impl PreparedTrees {
    /// Returns the tree for some values, and a copy of the values of all charts. Errors are not kept.
    pub(super) fn get(
        &self,
        chart: &SharedChart,
        requested: &Map<String, Value>,
        compat: HelmCompat,
    ) -> Result<(Arc<PreparedTree>, GoMap), ChartError> {
        let kept = self.trees.lock().iter().find(|tree| tree.requested == *requested).cloned();
        if let Some(tree) = kept {
            let values = tree.values(compat)?;
            return Ok((tree, values));
        }
        let (tree, values) = PreparedTree::new(chart, requested, compat)?;
        let tree = Arc::new(tree);
        let mut trees = self.trees.lock();
        if trees.len() >= KEPT_TREES {
            trees.pop_front();
        }
        trees.push_back(tree.clone());
        Ok((tree, values))
    }
}

impl fmt::Debug for PreparedTrees {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} trees", self.trees.lock().len())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ChartLoader;
    use crate::values::to_json;

    fn shared(files: &[(&str, &str)]) -> SharedChart {
        SharedChart::new(Arc::new(ChartLoader::default().files(files.iter().copied()).unwrap()))
    }

    fn requested(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn a_tree_is_prepared_once_for_equal_values() {
        let chart = shared(&[("Chart.yaml", "name: top\nversion: 1.0.0"), ("values.yaml", "a: {b: 1}\nc: 2")]);
        let trees = PreparedTrees::default();
        let get = |value: Value| trees.get(&chart, &requested(&value), HelmCompat::default()).unwrap();
        let (first, values) = get(json!({"a": {"d": 3}}));
        values.set("e".into(), "changed".into());
        let (second, values) = get(json!({"a": {"d": 3}}));
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(to_json(&values.into()), json!({"a": {"b": 1, "d": 3}, "c": 2}));
        let (other, values) = get(json!({"c": null}));
        assert!(!Arc::ptr_eq(&first, &other));
        assert_eq!(to_json(&values.into()), json!({"a": {"b": 1}}));
        for number in 0..2 * KEPT_TREES {
            get(json!({"c": number}));
        }
        assert_eq!(trees.trees.lock().len(), KEPT_TREES);
        assert!(!Arc::ptr_eq(&first, &get(json!({"a": {"d": 3}})).0));
    }

    #[test]
    fn values_of_charts_that_share_maps_are_made_each_time_and_warned_of_once() {
        let chart = shared(&[
            ("Chart.yaml", "name: top\nversion: 1.0.0"),
            ("values.yaml", "global: {a: {b: {c: 1}}}\nd: 1"),
            ("charts/sub/Chart.yaml", "name: sub\nversion: 1.0.0"),
        ]);
        let trees = PreparedTrees::default();
        let requested = requested(&json!({"d": {"e": 1}}));
        let get = || trees.get(&chart, &requested, HelmCompat::default()).unwrap();
        let (first, values) = get();
        assert!(first.values.is_none(), "{values:?}");
        let (second, again) = get();
        assert!(Arc::ptr_eq(&first, &second));
        assert_eq!(to_json(&values.into()), to_json(&again.into()));
        assert_eq!(second.warnings.len(), 1, "{:?}", second.warnings);
    }

    #[cfg(feature = "schema")]
    #[test]
    fn valid_values_are_validated_once_and_others_each_time() {
        let chart = shared(&[("Chart.yaml", "name: top\nversion: 1.0.0")]);
        let (tree, _) = PreparedTrees::default().get(&chart, &Map::new(), HelmCompat::default()).unwrap();
        let invalid = || Err(ChartError::Schema("invalid".to_owned()));
        assert!(tree.validate(invalid).is_err());
        assert!(tree.validate(invalid).is_err());
        assert!(tree.validate(|| Ok(())).is_ok());
        assert!(tree.validate(invalid).is_ok());
    }
}
