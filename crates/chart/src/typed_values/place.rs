//! One alternative of typed values at a place, and one of the values of a chart there.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::conditions::{Certainty, certainty};
use super::limits::{MemberCounts, limit_differences};
use super::schema_view::{MemberRule, ValuesSchemaNode, has_value, is_sure, types_of, values_of};
use super::view::ValuesView;
use super::{ValuesDifference, compact, joined};
use crate::schema_type::schema_type;

/// The largest number of names that a difference lists.
const SHOWN_NAMES: usize = 30;
/// The keywords with the names of members that must be beside others. `dependencies` has schemas, too, which are not compared.
const DEPENDENT_NAMES: [&str; 2] = ["dependentRequired", "dependencies"];

/// One alternative of typed values at a place, and one of the place.
pub(super) struct ValuePlace<'a, 'b> {
    pub(super) path: &'b str,
    pub(super) typed: &'b [ValuesSchemaNode<'a>],
    pub(super) schemas: Vec<ValuesSchemaNode<'a>>,
    pub(super) view: &'b ValuesView<'a>,
}

impl<'a> ValuePlace<'a, '_> {
    fn difference(&self, found: String, allowed: String) -> ValuesDifference {
        ValuesDifference { path: self.path.to_owned(), found, allowed }
    }

    /// Returns the default, unless it is null.
    pub(super) fn default(&self) -> Option<&'a Value> {
        self.view.default.filter(|default| !default.is_null())
    }

    /// Returns the schemas that have fields, and not only conditions for them.
    pub(super) fn declared(&self) -> impl Iterator<Item = ValuesSchemaNode<'a>> {
        self.typed.iter().copied().filter(|node| !node.is_condition())
    }

    /// Returns the described members of the typed values, each with all schemas that apply to it.
    pub(super) fn typed_members(&self) -> BTreeMap<&'a str, Vec<ValuesSchemaNode<'a>>> {
        let names = self.declared().flat_map(ValuesSchemaNode::properties).map(|(name, _)| name.as_str());
        let schemas = |name: &str| self.typed.iter().filter_map(|node| node.property(name)).collect();
        names.map(|name| (name, schemas(name))).collect()
    }

    pub(super) fn type_difference(&self) -> Option<ValuesDifference> {
        let found = types_of(self.typed)?;
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

    /// Returns the values that a list of allowed values does not have.
    pub(super) fn value_differences(&self) -> Vec<ValuesDifference> {
        let shown = |values: &[&Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let found = values_of(self.typed);
        let differences = self.schemas.iter().filter_map(|node| node.values()).filter_map(|allowed| {
            let Some(found) = &found else {
                let types = types_of(self.typed)?;
                let is_boolean = types.iter().all(|name| *name == "boolean") && allowed.len() > 1;
                return (!is_boolean).then(|| self.difference(format!("any value of {}", type_names(&types)), shown(&allowed)));
            };
            let refused: Vec<&Value> = found.iter().copied().filter(|value| !has_value(&allowed, value)).collect();
            (!refused.is_empty()).then(|| self.difference(shown(&refused), shown(&allowed)))
        });
        differences.collect()
    }

    /// Returns the bounds, lengths, counts, patterns and formats that the typed values do not keep.
    pub(super) fn limit_differences(&self) -> Vec<ValuesDifference> {
        let found = limit_differences(self.typed, &self.schemas, self.member_counts());
        found.into_iter().map(|(found, allowed)| self.difference(found, allowed)).collect()
    }

    /// Returns the numbers of members that objects have after the merge with the default.
    fn member_counts(&self) -> MemberCounts {
        let typed = self.typed_members();
        let defaults: BTreeSet<&str> = self.default_members().map(|(name, _)| name).collect();
        let sure = typed.keys().filter(|name| is_sure(self.typed, name) && !defaults.contains(*name)).count();
        let limit = |keyword: &str| self.typed.iter().filter_map(|node| node.keyword(keyword)?.as_u64()).collect::<Vec<_>>();
        let least = limit("minProperties").into_iter().max().map_or(0, |least| usize::try_from(least).unwrap_or(usize::MAX));
        let is_open = self.declared().any(ValuesSchemaNode::is_open);
        let most = if is_open {
            let most = limit("maxProperties").into_iter().min().map(|most| usize::try_from(most).unwrap_or(usize::MAX));
            most.map(|most| most.saturating_add(defaults.len()))
        } else {
            Some(typed.keys().filter(|name| !defaults.contains(*name)).count() + defaults.len())
        };
        MemberCounts { least: least.max(sure + defaults.len()), most }
    }

    /// Returns the schemas of `not` that typed values fit. Those for which that is not certain are left out.
    pub(super) fn refused_schemas(&self) -> Vec<ValuesDifference> {
        let refused = self.schemas.iter().filter_map(|node| Some(node.inner(node.keyword("not")?)));
        let fits = |node: &ValuesSchemaNode<'_>| {
            matches!(certainty(*node, self.typed, self.default()), Certainty::Always | Certainty::Sometimes)
        };
        let difference = |node: ValuesSchemaNode<'_>| {
            let schema = compact(node.schema());
            self.difference(
                format!("values that fit {schema}"),
                "values that do not fit it, as the chart says with `not`".to_owned(),
            )
        };
        refused.filter(fits).map(difference).collect()
    }

    /// Returns the knowledge about a member: None if anything is allowed. The error has the known names.
    pub(super) fn member(&self, name: &str) -> Result<Option<ValuesView<'a>>, BTreeSet<&'a str>> {
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
        let is_known = self.schemas.iter().any(|node| node.describes_under_condition(name));
        let is_closed = is_described || has_members || self.view.chart.is_some();
        if is_closed && !is_known { Err(self.known_names()) } else { Ok(None) }
    }

    pub(super) fn known_names(&self) -> BTreeSet<&'a str> {
        let described = self.schemas.iter().flat_map(|node| node.properties()).map(|(name, _)| name.as_str());
        let defaults = self.default().and_then(Value::as_object).into_iter().flatten().map(|(name, _)| name.as_str());
        let subcharts = self.view.chart.into_iter().flat_map(|chart| &chart.children).map(|child| child.name.as_str());
        described.chain(defaults).chain(subcharts).collect()
    }

    /// Returns the members of the default that are not null.
    fn default_members(&self) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let members = self.default().and_then(Value::as_object).into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), value)).filter(|(_, value)| !value.is_null())
    }

    /// Returns the values that the schema of the chart requires, always or beside others, and that neither the typed values nor the defaults are sure
    /// to have.
    pub(super) fn missing_values(&self) -> Vec<ValuesDifference> {
        let is_object = types_of(self.typed).is_some_and(|types| types.contains("object"));
        if !is_object {
            return Vec::new();
        }
        let defaults: BTreeSet<&str> = self.default_members().map(|(name, _)| name).collect();
        let is_typed = |name: &str| self.declared().any(|node| node.property(name).is_some());
        let always = self.schemas.iter().flat_map(|node| node.required()).map(|name| (name, None));
        let dependent = self.schemas.iter().flat_map(|node| DEPENDENT_NAMES.into_iter().filter_map(|keyword| node.map(keyword)));
        let dependent = dependent.flatten().filter(|(trigger, _)| is_typed(trigger) || defaults.contains(trigger.as_str()));
        let dependent = dependent.flat_map(|(trigger, names)| {
            let names = names.as_array().into_iter().flatten().filter_map(Value::as_str);
            names.map(move |name| (name, Some(trigger.as_str())))
        });
        let mut required: Vec<(&str, Option<&str>)> = always.chain(dependent).collect();
        required.dedup();
        let missing = required.into_iter().filter(|(name, _)| !defaults.contains(name) && !is_sure(self.typed, name));
        let differences = missing.map(|(name, trigger)| {
            let found = if is_typed(name) { "an optional field" } else { "no field" };
            let beside = trigger.map(|trigger| format!(" beside {trigger}")).unwrap_or_default();
            let allowed =
                format!("a required field, or one with a default: the chart requires the value{beside} and has no default");
            ValuesDifference { path: joined(self.path, name), found: found.to_owned(), allowed }
        });
        differences.collect()
    }
}

fn type_names(types: &BTreeSet<&str>) -> String {
    format!("type {}", types.iter().copied().collect::<Vec<_>>().join(" or "))
}

pub(super) fn names(names: &BTreeSet<&str>) -> String {
    let mut shown: Vec<&str> = names.iter().copied().take(SHOWN_NAMES).collect();
    if names.len() > SHOWN_NAMES {
        shown.push("…");
    }
    shown.join(", ")
}
