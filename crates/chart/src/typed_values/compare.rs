//! The comparison of one place of typed values with the same place of a chart's values, and of the places below.

use std::collections::BTreeSet;

use serde_json::Value;

use super::schema_view::{MemberRule, ValuesSchemaNode, alternatives};
use super::{ChartSchemaTree, ValuesDifference};
use crate::schema_type::schema_type;

/// The largest depth of typed values. Types that contain themselves are not compared below it.
const DEEPEST_VALUES: usize = 40;
/// The largest number of places that are compared; the rest of the values is not.
const MOST_PLACES: usize = 100_000;
/// The largest number of names that a difference lists.
const SHOWN_NAMES: usize = 30;
/// The values that all subcharts see. Any chart may read any of them.
const GLOBAL: &str = "global";

/// The knowledge about a place in the values of a chart.
#[derive(Clone, Debug, Default)]
pub(super) struct ValuesView<'a> {
    /// The schemas that all apply.
    schemas: Vec<ValuesSchemaNode<'a>>,
    /// The default.
    default: Option<&'a Value>,
    /// The chart whose values these are, if the place is the root of a chart.
    chart: Option<&'a ChartSchemaTree>,
}

impl<'a> ValuesView<'a> {
    pub(super) fn of_chart(chart: &'a ChartSchemaTree, defaults: &'a Value) -> Self {
        let schemas = chart.schema.iter().map(ValuesSchemaNode::document).collect();
        Self { schemas, default: Some(defaults), chart: Some(chart) }
    }
}

/// One comparison.
pub(super) struct ValuesComparison<'a> {
    typed: &'a Value,
    differences: Vec<ValuesDifference>,
    depth: usize,
    /// The number of places that may still be compared.
    places: usize,
}

impl<'a> ValuesComparison<'a> {
    pub(super) const fn new(typed: &'a Value) -> Self {
        Self { typed, differences: Vec::new(), depth: 0, places: MOST_PLACES }
    }

    pub(super) fn into_differences(self) -> Vec<ValuesDifference> {
        self.differences
    }

    /// Compares a schema of typed values with a place. Each alternative of the typed values must fit.
    pub(super) fn compare(&mut self, path: &str, typed: &'a Value, view: &ValuesView<'a>) {
        if self.depth >= DEEPEST_VALUES {
            return;
        }
        self.depth += 1;
        for alternative in alternatives(&[ValuesSchemaNode::document(self.typed).inner(typed)]) {
            self.compare_alternative(path, &alternative, view);
        }
        self.depth -= 1;
    }

    /// Compares one alternative of typed values with the alternative of the place that it fits best.
    fn compare_alternative(&mut self, path: &str, typed: &[ValuesSchemaNode<'a>], view: &ValuesView<'a>) {
        let mut best: Option<(bool, Vec<ValuesDifference>)> = None;
        for schemas in alternatives(&view.schemas) {
            let place = ValuePlace { path, typed, schemas, view };
            let Some(places) = self.places.checked_sub(1) else { return };
            let mut inner = ValuesComparison { typed: self.typed, differences: Vec::new(), depth: self.depth, places };
            let has_type = inner.compare_place(&place);
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
            if !self.differences.contains(&difference) {
                self.differences.push(difference);
            }
        }
    }

    /// Compares one alternative of both. Returns false if the types differ; then nothing else is compared.
    fn compare_place(&mut self, place: &ValuePlace<'a, '_>) -> bool {
        if let Some(difference) = place.type_difference() {
            self.differences.push(difference);
            return false;
        }
        self.differences.extend(place.value_difference());
        for node in place.typed {
            for (name, schema) in node.properties() {
                self.compare_member(place, name, schema);
            }
            if let Some(further) = node.further_members().filter(|further| **further != Value::Bool(false)) {
                self.compare_further_members(place, Some(further));
            } else if node.keyword("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true)) {
                self.compare_further_members(place, None);
            }
            if let Some(items) = node.keyword("items") {
                let schemas = place.schemas.iter().filter_map(|node| Some(node.inner(node.keyword("items")?)));
                let default = place.default().and_then(Value::as_array).and_then(|items| items.first());
                let view = ValuesView { schemas: schemas.collect(), default, chart: None };
                self.compare(&format!("{}[]", place.path), items, &view);
            }
        }
        self.differences.extend(place.missing_values());
        true
    }

    fn compare_member(&mut self, place: &ValuePlace<'a, '_>, name: &str, typed: ValuesSchemaNode<'a>) {
        if name == GLOBAL && place.view.chart.is_some() {
            return;
        }
        let path = joined(place.path, name);
        match place.member(name) {
            Ok(Some(view)) => self.compare(&path, typed.schema(), &view),
            Ok(None) => {}
            Err(known) => {
                let allowed = if known.is_empty() { "no fields".to_owned() } else { names(&known) };
                self.differences.push(ValuesDifference { path, found: "a field of this name".to_owned(), allowed });
            }
        }
    }

    /// Compares members of any name with a place. Without a schema they are of any type.
    fn compare_further_members(&mut self, place: &ValuePlace<'a, '_>, typed: Option<&'a Value>) {
        if place.schemas.iter().any(|node| node.further_members() == Some(&Value::Bool(false))) {
            let allowed = names(&place.known_names());
            let path = place.path.to_owned();
            self.differences.push(ValuesDifference { path, found: "fields of any name".to_owned(), allowed });
            return;
        }
        let further = place
            .schemas
            .iter()
            .filter_map(|node| Some(node.inner(node.further_members().filter(|further| further.is_object())?)));
        let schemas: Vec<ValuesSchemaNode<'a>> = further.collect();
        if let (Some(typed), false) = (typed, schemas.is_empty()) {
            self.compare(&joined(place.path, "*"), typed, &ValuesView { schemas, default: None, chart: None });
        }
    }
}

/// One alternative of typed values at a place, and one of the place.
struct ValuePlace<'a, 'b> {
    path: &'b str,
    typed: &'b [ValuesSchemaNode<'a>],
    schemas: Vec<ValuesSchemaNode<'a>>,
    view: &'b ValuesView<'a>,
}

impl<'a> ValuePlace<'a, '_> {
    fn difference(&self, found: String, allowed: String) -> ValuesDifference {
        ValuesDifference { path: self.path.to_owned(), found, allowed }
    }

    /// Returns the default, unless it is null.
    fn default(&self) -> Option<&'a Value> {
        self.view.default.filter(|default| !default.is_null())
    }

    /// Returns the types of the typed values. None if they are of any type.
    fn typed_types(&self) -> Option<BTreeSet<&'a str>> {
        let mut types = self.typed.iter().filter_map(|node| node.types());
        let first = types.next()?;
        Some(types.fold(first, |all, next| all.intersection(&next).copied().collect()))
    }

    fn type_difference(&self) -> Option<ValuesDifference> {
        let found = self.typed_types()?;
        let allowed: Vec<BTreeSet<&str>> = self.schemas.iter().filter_map(|node| node.types()).collect();
        let fits = |name: &str, types: &BTreeSet<&str>| types.contains(name) || name == "integer" && types.contains("number");
        if let Some(types) = allowed.iter().find(|types| found.iter().any(|name| !fits(name, types))) {
            return Some(self.difference(type_names(&found), type_names(types)));
        }
        // A schema without types says less than a default.
        let default = self.default().filter(|_| allowed.is_empty() && self.schemas.iter().all(|node| node.values().is_none()))?;
        let name = schema_type(default);
        let is_number = |found: &str| name == "number" && matches!(found, "integer" | "number");
        let differs = found.iter().all(|found| *found != name && !is_number(found));
        differs.then(|| self.difference(type_names(&found), format!("type {name}, as the default")))
    }

    fn value_difference(&self) -> Option<ValuesDifference> {
        let allowed: Vec<&Value> = self.schemas.iter().find_map(|node| node.values())?;
        let shown = |values: &[&Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let Some(found) = self.typed.iter().find_map(|node| node.values()) else {
            let types = self.typed_types()?;
            let is_boolean = types.iter().all(|name| *name == "boolean") && allowed.len() > 1;
            return (!is_boolean).then(|| self.difference(format!("any value of {}", type_names(&types)), shown(&allowed)));
        };
        let refused: Vec<&Value> = found.into_iter().filter(|value| !allowed.contains(value)).collect();
        (!refused.is_empty()).then(|| self.difference(shown(&refused), shown(&allowed)))
    }

    /// Returns the knowledge about a member: None if anything is allowed. The error has the known names.
    fn member(&self, name: &str) -> Result<Option<ValuesView<'a>>, BTreeSet<&'a str>> {
        let mut schemas = Vec::new();
        let mut is_refused = false;
        for node in &self.schemas {
            match node.member(name) {
                MemberRule::Described(schema) => schemas.push(schema),
                MemberRule::Refused => is_refused = true,
                MemberRule::Open => {}
            }
        }
        let members = self.default().and_then(Value::as_object);
        let default = members.and_then(|members| members.get(name));
        let subchart = self.view.chart.and_then(|chart| chart.children.iter().find(|child| child.name == name));
        if is_refused && schemas.is_empty() {
            return Err(self.known_names());
        }
        if let Some(chart) = subchart {
            schemas.extend(chart.schema.iter().map(ValuesSchemaNode::document));
            return Ok(Some(ValuesView { schemas, default, chart: Some(chart) }));
        }
        if default.is_some() || !schemas.is_empty() {
            return Ok(Some(ValuesView { schemas, default, chart: None }));
        }
        // Below a default without members, or none at all, a schema without members leaves everything open.
        let is_described = self.schemas.iter().any(|node| node.properties().next().is_some());
        let has_members = members.is_some_and(|members| !members.is_empty());
        if is_described || has_members || self.view.chart.is_some() { Err(self.known_names()) } else { Ok(None) }
    }

    fn known_names(&self) -> BTreeSet<&'a str> {
        let described = self.schemas.iter().flat_map(|node| node.properties()).map(|(name, _)| name.as_str());
        let defaults = self.default().and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str());
        let subcharts = self.view.chart.into_iter().flat_map(|chart| &chart.children).map(|child| child.name.as_str());
        described.chain(defaults).chain(subcharts).collect()
    }

    /// Returns the values that the schema of the chart requires, and that neither the typed values nor the defaults are sure to have.
    fn missing_values(&self) -> Vec<ValuesDifference> {
        let is_object = self.typed_types().is_some_and(|types| types.contains("object"));
        if !is_object {
            return Vec::new();
        }
        let members = self.default().and_then(Value::as_object);
        let has_default = |name: &str| members.and_then(|members| members.get(name)).is_some_and(|value| !value.is_null());
        let mut required: Vec<&str> = self.schemas.iter().flat_map(|node| node.required()).collect();
        required.dedup();
        let missing = required.into_iter().filter(|name| !has_default(name));
        let differences = missing.filter_map(|name| {
            let field = self.typed.iter().find_map(|node| node.properties().find(|(known, _)| *known == name));
            let is_sure = |schema: ValuesSchemaNode<'_>| {
                self.typed.iter().any(|node| node.required().any(|known| known == name)) || schema.keyword("default").is_some()
            };
            let found = match field {
                Some((_, schema)) if is_sure(schema) => return None,
                Some(_) => "an optional field",
                None => "no field",
            };
            let allowed = "a required field, or one with a default: the chart requires the value and has no default".to_owned();
            Some(ValuesDifference { path: joined(self.path, name), found: found.to_owned(), allowed })
        });
        differences.collect()
    }
}

fn joined(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

fn type_names(types: &BTreeSet<&str>) -> String {
    format!("type {}", types.iter().copied().collect::<Vec<_>>().join(" or "))
}

fn names(names: &BTreeSet<&str>) -> String {
    let mut shown: Vec<&str> = names.iter().copied().take(SHOWN_NAMES).collect();
    if names.len() > SHOWN_NAMES {
        shown.push("…");
    }
    shown.join(", ")
}
