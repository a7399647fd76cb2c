//! The comparison of one place of typed values with the same place of a chart's values, and of the places below.

use serde_json::Value;

use super::conditions::{Certainty, certainty, narrows};
use super::place::{ValuePlace, names};
use super::schema_view::{ValuesSchemaNode, alternatives, types_of};
use super::view::ValuesView;
use super::{ValuesDifference, compact, joined};

/// The largest depth of typed values. Types that contain themselves are not compared below it.
const DEEPEST_VALUES: usize = 40;
/// The largest number of places that are compared; the rest of the values is not.
const MOST_PLACES: usize = 100_000;
/// The largest number of conditions of a place that apply together.
const MOST_CONDITIONS: usize = 16;
/// The values that all subcharts see. Any chart may read any of them.
const GLOBAL: &str = "global";

/// One comparison.
pub(super) struct ValuesComparison {
    differences: Vec<ValuesDifference>,
    depth: usize,
    /// The number of places that may still be compared.
    places: usize,
}

/// Typed values under the conditions of a chart, and the schemas that apply to them.
struct ValuesScenario<'a> {
    typed: Vec<ValuesSchemaNode<'a>>,
    schemas: Vec<ValuesSchemaNode<'a>>,
    /// The conditions that narrow the typed values.
    conditions: Vec<&'a Value>,
}

impl ValuesComparison {
    pub(super) const fn new() -> Self {
        Self { differences: Vec::new(), depth: 0, places: MOST_PLACES }
    }

    pub(super) fn into_differences(self) -> Vec<ValuesDifference> {
        self.differences
    }

    /// Compares typed values, to which all of these schemas apply, with a place. Each alternative of the typed values must fit.
    pub(super) fn compare<'a>(&mut self, path: &str, typed: &[ValuesSchemaNode<'a>], view: &ValuesView<'a>) {
        if self.depth >= DEEPEST_VALUES {
            return;
        }
        self.depth += 1;
        let has_choices = alternatives(&view.schemas).len() > 1;
        for alternative in alternatives(typed) {
            let types = types_of(&alternative).filter(|types| has_choices && types.len() > 1).unwrap_or_default();
            // Each type may fit another choice.
            for only in types.iter().filter_map(|name| ValuesSchemaNode::of_type(name)) {
                self.compare_alternative(path, &[alternative.as_slice(), &[only]].concat(), view);
            }
            if types.is_empty() {
                self.compare_alternative(path, &alternative, view);
            }
        }
        self.depth -= 1;
    }

    /// Compares one alternative of typed values with the alternative of the place that it fits best.
    fn compare_alternative<'a>(&mut self, path: &str, typed: &[ValuesSchemaNode<'a>], view: &ValuesView<'a>) {
        let mut best: Option<(bool, Vec<ValuesDifference>)> = None;
        for schemas in alternatives(&view.schemas) {
            let Some(places) = self.places.checked_sub(1) else { return };
            let mut inner = Self { differences: Vec::new(), depth: self.depth, places };
            let has_type = inner.compare_scenarios(path, typed, schemas, view);
            self.places = inner.places;
            let is_better =
                best.as_ref().is_none_or(|(best_type, found)| (!has_type, inner.differences.len()) < (!best_type, found.len()));
            if is_better {
                best = Some((has_type, inner.differences));
            }
            if best.as_ref().is_some_and(|(_, found)| found.is_empty()) {
                break;
            }
        }
        for difference in best.into_iter().flat_map(|(_, differences)| differences) {
            self.add(difference);
        }
    }

    fn add(&mut self, difference: ValuesDifference) {
        if !self.differences.contains(&difference) {
            self.differences.push(difference);
        }
    }

    /// Compares one alternative of both under all conditions of the chart. Returns false if the types differ.
    fn compare_scenarios<'a>(
        &mut self,
        path: &str,
        typed: &[ValuesSchemaNode<'a>],
        schemas: Vec<ValuesSchemaNode<'a>>,
        view: &ValuesView<'a>,
    ) -> bool {
        let mut scenarios = Vec::new();
        ValuesScenario { typed: typed.to_vec(), schemas, conditions: Vec::new() }.resolve(0, view.default, &mut scenarios);
        let mut has_types = true;
        // The last one has no condition.
        for scenario in scenarios.into_iter().rev() {
            let before = std::mem::take(&mut self.differences);
            has_types &= self.compare_place(&ValuePlace { path, typed: &scenario.typed, schemas: scenario.schemas, view });
            let found = std::mem::replace(&mut self.differences, before);
            for mut difference in found {
                if self.differences.contains(&difference) {
                    continue;
                }
                let conditions =
                    scenario.conditions.iter().map(|condition| format!(", for values that fit {}", compact(condition)));
                difference.allowed.extend(conditions);
                self.add(difference);
            }
        }
        has_types
    }

    /// Compares one alternative of both. Returns false if the types differ; then nothing else is compared.
    fn compare_place<'a>(&mut self, place: &ValuePlace<'a, '_>) -> bool {
        if let Some(difference) = place.type_difference() {
            self.differences.push(difference);
            return false;
        }
        self.differences.extend(place.value_differences());
        self.differences.extend(place.limit_differences());
        self.differences.extend(place.refused_schemas());
        let types = types_of(place.typed);
        let can_be = |name: &str| types.as_ref().is_none_or(|types| types.contains(name));
        if can_be("object") {
            for (name, schemas) in place.typed_members() {
                self.compare_member(place, name, &schemas);
            }
            if place.declared().any(ValuesSchemaNode::is_open) {
                self.compare_further_members(place);
            }
        }
        let items: Vec<ValuesSchemaNode<'a>> =
            place.typed.iter().filter_map(|node| Some(node.inner(node.keyword("items")?))).collect();
        if !items.is_empty() && can_be("array") {
            let schemas = place.schemas.iter().filter_map(|node| Some(node.inner(node.keyword("items")?)));
            let default = place.default().and_then(Value::as_array).and_then(|items| items.first());
            let view = ValuesView { schemas: schemas.collect(), default, chart: None };
            self.compare(&format!("{}[]", place.path), &items, &view);
        }
        self.differences.extend(place.missing_values());
        true
    }

    fn compare_member<'a>(&mut self, place: &ValuePlace<'a, '_>, name: &str, typed: &[ValuesSchemaNode<'a>]) {
        if name == GLOBAL && place.view.chart.is_some() {
            return;
        }
        let path = joined(place.path, name);
        match place.member(name) {
            Ok(Some(view)) => self.compare(&path, typed, &view),
            Ok(None) => {}
            Err(known) => {
                let allowed = if known.is_empty() { "no fields".to_owned() } else { names(&known) };
                self.differences.push(ValuesDifference { path, found: "a field of this name".to_owned(), allowed });
            }
        }
    }

    /// Compares members of any name with a place. Without a schema they are of any type.
    fn compare_further_members<'a>(&mut self, place: &ValuePlace<'a, '_>) {
        if place.schemas.iter().any(|node| node.further_members() == Some(&Value::Bool(false))) {
            let allowed = names(&place.known_names());
            let path = place.path.to_owned();
            self.differences.push(ValuesDifference { path, found: "fields of any name".to_owned(), allowed });
            return;
        }
        let further =
            |node: ValuesSchemaNode<'a>| Some(node.inner(node.further_members().filter(|further| further.is_object())?));
        let typed: Vec<ValuesSchemaNode<'a>> = place.declared().filter_map(further).collect();
        let schemas: Vec<ValuesSchemaNode<'a>> = place.schemas.iter().copied().filter_map(further).collect();
        if !typed.is_empty() && !schemas.is_empty() {
            self.compare(&joined(place.path, "*"), &typed, &ValuesView { schemas, default: None, chart: None });
        }
    }
}

impl<'a> ValuesScenario<'a> {
    /// Adds the scenarios to which the conditions (`if`) of the schemas lead. A condition that all typed values fit, or none, adds the schema of its
    /// branch. One that some fit leads to a further scenario, in which it narrows the typed values, if it is simple enough; the other branch is not
    /// compared then.
    fn resolve(mut self, from: usize, default: Option<&'a Value>, scenarios: &mut Vec<Self>) {
        let mut next = from;
        while let Some(node) = self.schemas.get(next).copied() {
            next += 1;
            let Some(condition) = node.keyword("if").map(|condition| node.inner(condition)) else { continue };
            let branch = |keyword: &str| node.keyword(keyword).map(|branch| node.inner(branch));
            match certainty(condition, &self.typed, default.filter(|default| !default.is_null())) {
                Certainty::Always => self.add_branch(branch("then")),
                Certainty::Never => self.add_branch(branch("else")),
                Certainty::Sometimes if narrows(condition.schema()) && self.conditions.len() < MOST_CONDITIONS => {
                    let Some(then) = branch("then") else { continue };
                    let mut narrowed =
                        Self { typed: self.typed.clone(), schemas: self.schemas.clone(), conditions: self.conditions.clone() };
                    narrowed.typed.push(condition.condition());
                    narrowed.conditions.push(condition.schema());
                    narrowed.add_branch(Some(then));
                    narrowed.resolve(next, default, scenarios);
                }
                Certainty::Sometimes | Certainty::Unknown => {}
            }
        }
        scenarios.push(self);
    }

    /// Adds the schema of a branch and all of its parts. A branch with choices is not compared.
    fn add_branch(&mut self, branch: Option<ValuesSchemaNode<'a>>) {
        let Some(branch) = branch else { return };
        if let [parts] = &alternatives(&[branch])[..] {
            self.schemas.extend(parts);
        }
    }
}
