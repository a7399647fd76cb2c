//! JSON schemas as sets of constraints, as far as they are compared.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value, json};

/// The largest number of alternatives of a place that are looked at.
const MOST_ALTERNATIVES: usize = 64;
/// The largest number of references and combinations inside of each other.
pub(super) const DEEPEST_SCHEMA: usize = 24;

/// The schemas of one type each.
static TYPES: LazyLock<[Value; 6]> =
    LazyLock::new(|| ["array", "boolean", "integer", "number", "object", "string"].map(|name| json!({ "type": name })));

/// A schema in its document, in which references are resolved.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuesSchemaNode<'a> {
    document: &'a Value,
    schema: &'a Value,
    /// True for the condition of the other side, which narrows values and adds no fields to them.
    is_condition: bool,
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
        Self { document, schema: document, is_condition: false }
    }

    /// Returns the schema as a condition that narrows the values of other schemas.
    pub(super) const fn condition(self) -> Self {
        Self { is_condition: true, ..self }
    }

    /// Returns true if the schema only narrows the values of other schemas.
    pub(super) const fn is_condition(self) -> bool {
        self.is_condition
    }

    /// Returns a condition that values of one type fit. None if there is no type of this name.
    pub(super) fn of_type(name: &str) -> Option<Self> {
        let schema = TYPES.iter().find(|schema| schema["type"] == name)?;
        Some(Self::document(schema).condition())
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

    /// Returns the schemas in a keyword that has a list of them.
    pub(super) fn schemas(self, keyword: &str) -> impl Iterator<Item = Self> {
        self.keyword(keyword).and_then(Value::as_array).into_iter().flatten().map(move |schema| self.inner(schema))
    }

    /// Returns the target of the reference. None if there is no reference, or not into the same document.
    pub(super) fn target(self) -> Option<Self> {
        let pointer = self.keyword("$ref")?.as_str()?.strip_prefix('#')?;
        Some(self.inner(self.document.pointer(pointer)?))
    }

    /// Returns true if validators check formats: those of the drafts that came before 2019-09.
    pub(super) fn checks_formats(self) -> bool {
        let draft = self.document.get("$schema").and_then(Value::as_str).unwrap_or_default();
        ["draft-04", "draft-06", "draft-07"].iter().any(|old| draft.contains(old))
    }

    pub(super) fn map(self, name: &str) -> Option<&'a Map<String, Value>> {
        self.keyword(name)?.as_object()
    }

    /// Returns the schema of a described member.
    pub(super) fn property(self, name: &str) -> Option<Self> {
        Some(self.inner(self.map("properties")?.get(name)?))
    }

    /// Returns true if a member is only described by a schema that applies under a condition.
    pub(super) fn describes_under_condition(self, name: &str) -> bool {
        let branches = ["then", "else"].into_iter().filter_map(|keyword| self.keyword(keyword));
        let dependents = ["dependentSchemas", "dependencies"].into_iter().filter_map(|keyword| self.map(keyword));
        let mut all = branches.chain(dependents.flat_map(|schemas| schemas.values()));
        all.any(|schema| schema.pointer("/properties").is_some_and(|properties| properties.get(name).is_some()))
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

    /// Returns true if the schema allows members of any name.
    pub(super) fn is_open(self) -> bool {
        match self.further_members() {
            Some(further) => *further != Value::Bool(false),
            None => self.keyword("x-kubernetes-preserve-unknown-fields") == Some(&Value::Bool(true)),
        }
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
    for schema in node.target().into_iter().chain(node.schemas("allOf")) {
        all = combined(&all, &expanded(schema, depth + 1));
    }
    for keyword in ["anyOf", "oneOf"] {
        let choices: Vec<Vec<ValuesSchemaNode<'_>>> =
            node.schemas(keyword).flat_map(|schema| expanded(schema, depth + 1)).take(MOST_ALTERNATIVES).collect();
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

/// Returns the types that several schemas allow together. None if they allow all.
pub(super) fn types_of<'a>(nodes: &[ValuesSchemaNode<'a>]) -> Option<BTreeSet<&'a str>> {
    let mut types = nodes.iter().filter_map(|node| node.types());
    let first = types.next()?;
    Some(types.fold(first, |all, next| all.iter().filter_map(|name| common_type(name, &next)).collect()))
}

/// Returns the part of a type that is among others: integers are numbers.
fn common_type<'a>(name: &'a str, types: &BTreeSet<&'a str>) -> Option<&'a str> {
    match name {
        _ if types.contains(name) => Some(name),
        "integer" => types.contains("number").then_some("integer"),
        "number" => types.contains("integer").then_some("integer"),
        _ => None,
    }
}

/// Returns the only values that several schemas allow together. None if they do not list any.
pub(super) fn values_of<'a>(nodes: &[ValuesSchemaNode<'a>]) -> Option<Vec<&'a Value>> {
    let mut values = nodes.iter().filter_map(|node| node.values());
    let first = values.next()?;
    Some(values.fold(first, |all, next| all.into_iter().filter(|value| has_value(&next, value)).collect()))
}

/// Returns true if a list has a value. Numbers are equal if their values are.
pub(super) fn has_value(values: &[&Value], value: &Value) -> bool {
    values.iter().any(|other| *other == value || value.is_number() && other.as_f64() == value.as_f64())
}

/// Returns true if values of these schemas always have a member: it is required, or has a default.
pub(super) fn is_sure(typed: &[ValuesSchemaNode<'_>], name: &str) -> bool {
    let has_default = |node: &ValuesSchemaNode<'_>| node.property(name).is_some_and(|field| field.keyword("default").is_some());
    typed.iter().any(|node| node.required().any(|known| known == name) || has_default(node))
}
