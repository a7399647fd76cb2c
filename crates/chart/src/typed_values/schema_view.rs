//! JSON schemas as sets of constraints, as far as they are compared.

use std::collections::BTreeSet;

use regex::Regex;
use serde_json::{Map, Value};

/// The largest number of alternatives of a place that are looked at.
const MOST_ALTERNATIVES: usize = 64;
/// The largest number of references and combinations inside of each other.
const DEEPEST_SCHEMA: usize = 24;

/// A schema in its document, in which references are resolved.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuesSchemaNode<'a> {
    document: &'a Value,
    schema: &'a Value,
}

/// The rule of a schema for a member of an object.
pub(super) enum MemberRule<'a> {
    /// The schema describes the member.
    Described(ValuesSchemaNode<'a>),
    /// The schema refuses the member.
    Refused,
    /// The schema does not know the member, but does not refuse it either.
    Open,
}

impl<'a> ValuesSchemaNode<'a> {
    /// Returns the schema of a whole document.
    pub(super) const fn document(document: &'a Value) -> Self {
        Self { document, schema: document }
    }

    /// Returns another schema in the same document.
    pub(super) const fn inner(self, schema: &'a Value) -> Self {
        Self { schema, ..self }
    }

    /// Returns the schema itself.
    pub(super) const fn schema(self) -> &'a Value {
        self.schema
    }

    pub(super) fn keyword(self, name: &str) -> Option<&'a Value> {
        self.schema.get(name)
    }

    fn map(self, name: &str) -> Option<&'a Map<String, Value>> {
        self.keyword(name)?.as_object()
    }

    /// Returns the described members of objects.
    pub(super) fn properties(self) -> impl Iterator<Item = (&'a String, Self)> {
        self.map("properties").into_iter().flatten().map(move |(name, schema)| (name, self.inner(schema)))
    }

    pub(super) fn required(self) -> impl Iterator<Item = &'a str> {
        self.keyword("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// Returns the allowed types but null. None if all are allowed.
    pub(super) fn types(self) -> Option<BTreeSet<&'a str>> {
        if self.keyword("x-kubernetes-int-or-string") == Some(&Value::Bool(true)) {
            return Some(BTreeSet::from(["integer", "string"]));
        }
        let types: BTreeSet<&str> = match self.keyword("type")? {
            Value::String(one) => BTreeSet::from([one.as_str()]),
            Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
            _ => return None,
        };
        Some(types.into_iter().filter(|name| *name != "null").collect())
    }

    /// Returns the only values that are allowed, but null.
    pub(super) fn values(self) -> Option<Vec<&'a Value>> {
        let listed = self.keyword("enum").and_then(Value::as_array).map(|values| values.iter().collect());
        let values: Vec<&Value> = listed.or_else(|| self.keyword("const").map(|value| vec![value]))?;
        Some(values.into_iter().filter(|value| !value.is_null()).collect())
    }

    /// Returns true if the schema allows null alone.
    fn is_null(self) -> bool {
        self.types().is_some_and(|types| types.is_empty()) || self.values().is_some_and(|values| values.is_empty())
    }

    /// Returns the schema of members that have no own one. None if there is no rule for them.
    pub(super) fn further_members(self) -> Option<&'a Value> {
        self.keyword("additionalProperties")
    }

    /// Returns the rule for a member.
    pub(super) fn member(self, name: &str) -> MemberRule<'a> {
        if let Some(schema) = self.map("properties").and_then(|properties| properties.get(name)) {
            return MemberRule::Described(self.inner(schema));
        }
        let patterns = self.map("patternProperties").into_iter().flatten();
        let mut matching = patterns.filter(|(pattern, _)| Regex::new(pattern).is_ok_and(|regex| regex.is_match(name)));
        if let Some((_, schema)) = matching.next() {
            return MemberRule::Described(self.inner(schema));
        }
        match self.further_members() {
            None => MemberRule::Open,
            Some(Value::Bool(false)) => MemberRule::Refused,
            Some(schema) => MemberRule::Described(self.inner(schema)),
        }
    }
}

/// Returns the alternatives of a place: each is a list of schemas that all apply. References, `allOf`, `anyOf` and `oneOf` are resolved; alternatives
/// that allow null alone are left out if there are others.
pub(super) fn alternatives<'a>(schemas: &[ValuesSchemaNode<'a>]) -> Vec<Vec<ValuesSchemaNode<'a>>> {
    let mut all = vec![Vec::new()];
    for schema in schemas {
        all = combined(&all, &expanded(*schema, 0));
    }
    let (nulls, others): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|alternative| alternative.iter().any(|node| node.is_null()));
    if others.is_empty() { nulls } else { others }
}

fn expanded(node: ValuesSchemaNode<'_>, depth: usize) -> Vec<Vec<ValuesSchemaNode<'_>>> {
    let mut all = vec![vec![node]];
    if depth >= DEEPEST_SCHEMA {
        return all;
    }
    if let Some(target) = node.keyword("$ref").and_then(Value::as_str).and_then(|reference| resolved(node.document, reference)) {
        all = combined(&all, &expanded(node.inner(target), depth + 1));
    }
    let members = |keyword: &str| node.keyword(keyword).and_then(Value::as_array).into_iter().flatten();
    for schema in members("allOf") {
        all = combined(&all, &expanded(node.inner(schema), depth + 1));
    }
    for keyword in ["anyOf", "oneOf"] {
        let choices: Vec<Vec<ValuesSchemaNode<'_>>> =
            members(keyword).flat_map(|schema| expanded(node.inner(schema), depth + 1)).take(MOST_ALTERNATIVES).collect();
        if !choices.is_empty() {
            all = combined(&all, &choices);
        }
    }
    all
}

/// Returns each alternative of the left together with each of the right.
fn combined<'a>(left: &[Vec<ValuesSchemaNode<'a>>], right: &[Vec<ValuesSchemaNode<'a>>]) -> Vec<Vec<ValuesSchemaNode<'a>>> {
    let pairs = left.iter().flat_map(|left| right.iter().map(move |right| [left.as_slice(), right.as_slice()].concat()));
    pairs.take(MOST_ALTERNATIVES).collect()
}

/// Returns the schema of a reference into the same document.
fn resolved<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}
