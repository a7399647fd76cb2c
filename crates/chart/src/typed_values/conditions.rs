//! The decision if values of a schema fit another one, as far as it is certain.

use serde_json::{Map, Value, json};

use super::limits::keeps;
use super::schema_view::{DEEPEST_SCHEMA, ValuesSchemaNode, alternatives, has_value, is_sure, types_of, values_of};
use crate::schema_type::schema_type;

/// The keywords that refuse nothing.
const ANNOTATIONS: [&str; 11] = [
    "$comment",
    "$defs",
    "$id",
    "$schema",
    "default",
    "definitions",
    "deprecated",
    "description",
    "examples",
    "readOnly",
    "title",
];
/// The keywords of conditions by which values can be narrowed: they are about a value alone, and about its members each alone.
const NARROWING: [&str; 5] = ["const", "enum", "properties", "required", "type"];

/// The number of the values that fit a schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Certainty {
    /// All values fit.
    Always,
    /// No value fits.
    Never,
    /// Some values fit, and some do not.
    Sometimes,
    /// It is not known which values fit.
    Unknown,
}

use Certainty::{Always, Never, Sometimes, Unknown};

impl Certainty {
    /// Returns the certainty about all values of several groups, each of which has values.
    fn of_groups(groups: &[Self]) -> Self {
        let fits = groups.iter().any(|group| matches!(group, Always | Sometimes));
        let differs = groups.iter().any(|group| matches!(group, Never | Sometimes));
        match (fits, differs) {
            (true, true) => Sometimes,
            _ if groups.contains(&Unknown) => Unknown,
            (true, false) => Always,
            _ => Never,
        }
    }

    /// Returns the certainty about several rules for the same values. Two rules that some values fit each may have no value that fits both.
    fn of_rules(rules: &[Self]) -> Self {
        match rules.iter().filter(|rule| **rule == Sometimes).count() {
            _ if rules.contains(&Never) => Never,
            0 if !rules.contains(&Unknown) => Always,
            1 if !rules.contains(&Unknown) => Sometimes,
            _ => Unknown,
        }
    }

    /// Returns the certainty about rules for members that vary independently.
    fn of_members(members: &[Self]) -> Self {
        match () {
            () if members.contains(&Never) => Never,
            () if members.contains(&Unknown) => Unknown,
            () if members.contains(&Sometimes) => Sometimes,
            () => Always,
        }
    }

    /// Returns the certainty about rules of which at least one holds.
    fn of_choices(choices: &[Self]) -> Self {
        match choices.iter().filter(|choice| **choice == Sometimes).count() {
            _ if choices.contains(&Always) => Always,
            0 if !choices.contains(&Unknown) => Never,
            1 if !choices.contains(&Unknown) => Sometimes,
            _ => Unknown,
        }
    }

    const fn negated(self) -> Self {
        match self {
            Always => Never,
            Never => Always,
            other => other,
        }
    }
}

/// Returns the certainty about typed values of one alternative, merged with a default.
pub(super) fn certainty(schema: ValuesSchemaNode<'_>, typed: &[ValuesSchemaNode<'_>], default: Option<&Value>) -> Certainty {
    about(schema, typed, default, 0)
}

/// Returns true if values that fit a schema can be described by it beside their own schemas.
pub(super) fn narrows(schema: &Value) -> bool {
    let Some(rules) = schema.as_object() else { return false };
    let members = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    rules.keys().all(|keyword| NARROWING.contains(&&**keyword) || ANNOTATIONS.contains(&&**keyword))
        && members.map(|(_, member)| member).all(narrows)
}

/// Returns the certainty about typed values of all alternatives.
fn about_all(schema: ValuesSchemaNode<'_>, typed: &[ValuesSchemaNode<'_>], default: Option<&Value>, depth: usize) -> Certainty {
    let groups: Vec<Certainty> = alternatives(typed).iter().map(|typed| about(schema, typed, default, depth)).collect();
    Certainty::of_groups(&groups)
}

fn about(schema: ValuesSchemaNode<'_>, typed: &[ValuesSchemaNode<'_>], default: Option<&Value>, depth: usize) -> Certainty {
    let rules = match schema.schema() {
        Value::Bool(true) => return Always,
        Value::Bool(false) => return Never,
        Value::Object(rules) if depth < DEEPEST_SCHEMA => rules,
        _ => return Unknown,
    };
    let depth = depth + 1;
    let each = |keyword: &str| schema.schemas(keyword).map(|schema| about(schema, typed, default, depth)).collect::<Vec<_>>();
    let mut certainties = Vec::new();
    for (keyword, rule) in rules {
        certainties.push(match keyword.as_str() {
            "$ref" => schema.target().map_or(Unknown, |target| about(target, typed, default, depth)),
            "type" => about_types(schema, typed),
            "const" => about_values(&[rule], typed),
            "enum" => about_values(&rule.as_array().into_iter().flatten().collect::<Vec<_>>(), typed),
            "allOf" => Certainty::of_rules(&each("allOf")),
            "anyOf" => Certainty::of_choices(&each("anyOf")),
            // More than one choice that some values fit is not decided.
            "oneOf" => match each("oneOf").iter().copied().filter(|choice| *choice != Never).collect::<Vec<_>>()[..] {
                [] => Never,
                [choice] => choice,
                _ => Unknown,
            },
            "not" => about(schema.inner(rule), typed, default, depth).negated(),
            "properties" => about_members(schema, typed, default, depth),
            "required" if rules.contains_key("properties") => continue,
            "required" => about_members(schema, typed, default, depth),
            annotation if ANNOTATIONS.contains(&annotation) => continue,
            limit => about_limit(schema, limit, typed),
        });
    }
    Certainty::of_rules(&certainties)
}

fn about_types(schema: ValuesSchemaNode<'_>, typed: &[ValuesSchemaNode<'_>]) -> Certainty {
    let (Some(allowed), Some(found)) = (schema.types(), types_of(typed)) else { return Unknown };
    let groups = found.iter().map(|name| match *name {
        name if allowed.contains(name) || name == "integer" && allowed.contains("number") => Always,
        "number" if allowed.contains("integer") => Unknown,
        _ => Never,
    });
    let groups: Vec<Certainty> = groups.collect();
    if groups.is_empty() { Unknown } else { Certainty::of_groups(&groups) }
}

fn about_values(allowed: &[&Value], typed: &[ValuesSchemaNode<'_>]) -> Certainty {
    let types = types_of(typed);
    let is_boolean = types.as_ref().is_some_and(|types| types.len() == 1 && types.contains("boolean"));
    let booleans = || is_boolean.then_some(vec![&Value::Bool(false), &Value::Bool(true)]);
    if let Some(found) = values_of(typed).or_else(booleans) {
        let groups: Vec<Certainty> = found.iter().map(|value| if has_value(allowed, value) { Always } else { Never }).collect();
        return if groups.is_empty() { Unknown } else { Certainty::of_groups(&groups) };
    }
    let Some(types) = types else { return Unknown };
    if types.contains("object") || types.contains("array") {
        return Unknown;
    }
    let has_type = |value: &&&Value| match schema_type(value) {
        "number" => types.contains("number") || types.contains("integer") && (value.is_i64() || value.is_u64()),
        name => types.contains(name),
    };
    let is_text = types.contains("string");
    let limit = |node: ValuesSchemaNode<'_>, keyword: &str, value: &Value| match keyword {
        "format" if is_text => Unknown,
        "$ref" | "allOf" | "anyOf" | "oneOf" | "format" | "nullable" | "type" => Always,
        annotation if ANNOTATIONS.contains(&annotation) || annotation.starts_with("x-") => Always,
        limit => match keeps(node, limit, value) {
            Some(true) => Always,
            Some(false) => Never,
            None => Unknown,
        },
    };
    let possible = allowed.iter().filter(has_type).map(|value| {
        let keywords =
            typed.iter().flat_map(|node| node.schema().as_object().into_iter().flatten().map(|(keyword, _)| (*node, keyword)));
        Certainty::of_rules(&keywords.map(|(node, keyword)| limit(node, keyword, value)).collect::<Vec<_>>())
    });
    match Certainty::of_choices(&possible.collect::<Vec<_>>()) {
        Always => Sometimes,
        other => other,
    }
}

/// Returns the certainty about a limit of values that are listed.
fn about_limit(schema: ValuesSchemaNode<'_>, keyword: &str, typed: &[ValuesSchemaNode<'_>]) -> Certainty {
    let Some(values) = values_of(typed).filter(|values| !values.is_empty()) else { return Unknown };
    let groups = values.iter().map(|value| match keeps(schema, keyword, value) {
        Some(true) => Always,
        Some(false) => Never,
        None => Unknown,
    });
    Certainty::of_groups(&groups.collect::<Vec<_>>())
}

/// Returns the certainty about the described and the required members of objects.
fn about_members(
    schema: ValuesSchemaNode<'_>,
    typed: &[ValuesSchemaNode<'_>],
    default: Option<&Value>,
    depth: usize,
) -> Certainty {
    let is_object = types_of(typed).is_some_and(|types| types.len() == 1 && types.contains("object"));
    if !is_object {
        return Unknown;
    }
    let is_open = typed.iter().any(|node| node.is_open());
    let required: Vec<&str> = schema.required().collect();
    let described = schema.properties().map(|(name, _)| name.as_str());
    let names = described.chain(required.iter().copied().filter(|name| schema.property(name).is_none()));
    let members = names.map(|name| {
        let rule = schema.property(name);
        let fields: Vec<ValuesSchemaNode<'_>> = typed.iter().filter_map(|node| node.property(name)).collect();
        let default = default.and_then(|default| default.get(name)).filter(|default| !default.is_null());
        let absent = || match default {
            Some(default) => rule.map_or(Always, |rule| about_constant(rule, default, depth)),
            None if required.contains(&name) => Never,
            None => Always,
        };
        if fields.is_empty() {
            return if is_open { Unknown } else { absent() };
        }
        let given = rule.map_or(Always, |rule| about_all(rule, &fields, default, depth));
        if is_sure(typed, name) { given } else { Certainty::of_groups(&[given, absent()]) }
    });
    Certainty::of_members(&members.collect::<Vec<_>>())
}

/// Returns the certainty about one value, which is never `Sometimes`.
fn about_constant(schema: ValuesSchemaNode<'_>, value: &Value, depth: usize) -> Certainty {
    about(schema, &[ValuesSchemaNode::document(&schema_of(value))], None, depth)
}

/// Returns a schema of one value. Members that are null are left out.
fn schema_of(value: &Value) -> Value {
    let Value::Object(members) = value else {
        let is_integer = value.is_i64() || value.is_u64();
        return json!({ "type": if is_integer { "integer" } else { schema_type(value) }, "const": value });
    };
    let members = || members.iter().filter(|(_, member)| !member.is_null());
    let properties: Map<String, Value> = members().map(|(name, member)| (name.clone(), schema_of(member))).collect();
    let required: Vec<&String> = members().map(|(name, _)| name).collect();
    json!({ "type": "object", "properties": properties, "required": required })
}
