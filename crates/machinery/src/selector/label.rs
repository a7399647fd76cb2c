//! Label selectors and their requirements.

use std::collections::BTreeMap;
use std::fmt;

use serde_json::{Map, Value};

use super::SelectorError;
use crate::object::{ObjectExt, names};

/// A conjunction of requirements on labels. Without requirements it matches all objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LabelSelector {
    requirements: Vec<LabelRequirement>,
    // True for a selector that is absent from an object, if absence means that it selects no objects.
    nothing: bool,
}

/// One condition on one label.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LabelRequirement {
    /// The key of the label.
    pub key: String,
    /// The operator that compares the values.
    pub operator: SelectorOperator,
    /// The values, sorted and without repetition.
    pub values: Vec<String>,
}

/// The operator of a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SelectorOperator {
    /// The operator `key in (a,b)`.
    In,
    /// The operator `key notin (a,b)`; also true if the label is absent.
    NotIn,
    /// The operator `key=a`.
    Equals,
    /// The operator `key==a`.
    DoubleEquals,
    /// The operator `key!=a`; also true if the label is absent.
    NotEquals,
    /// The operator `key`.
    Exists,
    /// The operator `!key`.
    DoesNotExist,
    /// The operator `key>5`, for whole numbers.
    GreaterThan,
    /// The operator `key<5`, for whole numbers.
    LessThan,
}

/// A set of labels in which one can be looked up.
pub trait Labels {
    /// Returns the value of a label.
    fn value_of(&self, key: &str) -> Option<&str>;
}

impl Labels for Map<String, Value> {
    fn value_of(&self, key: &str) -> Option<&str> {
        self.get(key).and_then(Value::as_str)
    }
}

impl Labels for BTreeMap<String, String> {
    fn value_of(&self, key: &str) -> Option<&str> {
        self.get(key).map(String::as_str)
    }
}

impl LabelSelector {
    /// Creates a selector that matches every set of labels.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Creates a selector that matches no set of labels.
    pub fn nothing() -> Self {
        Self { requirements: Vec::new(), nothing: true }
    }

    /// Creates a selector that matches labels which meet all the requirements.
    pub fn new(requirements: Vec<LabelRequirement>) -> Self {
        Self { requirements, nothing: false }
    }

    /// Parses a selector from a query: `app=web,tier in (a,b),!legacy`.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        super::parse::parse(text).map(Self::new)
    }

    /// Reads a selector inside an object: `{matchLabels: .., matchExpressions: ..}`. An empty one matches all objects, an absent one (null) matches
    /// none.
    pub fn from_json(selector: &Value) -> Result<Self, SelectorError> {
        if selector.is_null() {
            return Ok(Self::nothing());
        }
        let mut requirements = Vec::new();
        for (key, value) in selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten() {
            let value = value.as_str().unwrap_or_default().to_owned();
            requirements.push(LabelRequirement::new(key, SelectorOperator::Equals, vec![value])?);
        }
        for expression in selector.get("matchExpressions").and_then(Value::as_array).into_iter().flatten() {
            requirements.push(LabelRequirement::from_json(expression)?);
        }
        requirements.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(Self::new(requirements))
    }

    /// Reads a plain map of labels, as Services and ReplicationControllers have it. An absent or empty one matches no objects.
    pub fn from_map(labels: &Value) -> Result<Self, SelectorError> {
        match labels.as_object() {
            Some(labels) if !labels.is_empty() => Self::from_json(&serde_json::json!({ "matchLabels": labels })),
            _ => Ok(Self::nothing()),
        }
    }

    /// Returns the requirements, all of which must be met.
    pub fn requirements(&self) -> &[LabelRequirement] {
        &self.requirements
    }

    /// Returns true if every set of labels matches.
    pub fn is_everything(&self) -> bool {
        !self.nothing && self.requirements.is_empty()
    }

    /// Returns true if labels meet all requirements.
    pub fn matches(&self, labels: &(impl Labels + ?Sized)) -> bool {
        !self.nothing && self.requirements.iter().all(|requirement| requirement.matches(labels))
    }

    /// Returns true if the labels of an object meet all requirements.
    pub fn matches_object(&self, object: &Value) -> bool {
        self.matches(object.labels())
    }
}

/// Prints the selector in the form of a query.
impl fmt::Display for LabelSelector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, requirement) in self.requirements.iter().enumerate() {
            let comma = if index > 0 { "," } else { "" };
            write!(f, "{comma}{requirement}")?;
        }
        Ok(())
    }
}

impl LabelRequirement {
    /// Creates a requirement, after checks of the key, the values and their number against the operator.
    pub fn new(key: &str, operator: SelectorOperator, mut values: Vec<String>) -> Result<Self, SelectorError> {
        check_key("key", key)?;
        values.sort();
        values.dedup();
        let found = go_list(&values);
        let invalid = |problem: &str| Err(SelectorError(format!("values: Invalid value: {found}: {problem}")));
        match operator {
            SelectorOperator::In | SelectorOperator::NotIn if values.is_empty() => {
                return invalid("for 'in', 'notin' operators, values set can't be empty");
            }
            SelectorOperator::Equals | SelectorOperator::DoubleEquals | SelectorOperator::NotEquals if values.len() != 1 => {
                return invalid("exact-match compatibility requires one single value");
            }
            SelectorOperator::Exists | SelectorOperator::DoesNotExist if !values.is_empty() => {
                return invalid("values set must be empty for exists and does not exist");
            }
            SelectorOperator::GreaterThan | SelectorOperator::LessThan => {
                let [value] = values.as_slice() else {
                    return invalid("for 'Gt', 'Lt' operators, exactly one value is required");
                };
                if value.parse::<i64>().is_err() {
                    return Err(SelectorError(format!(
                        "values[0]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"
                    )));
                }
            }
            _ => {}
        }
        for (index, value) in values.iter().enumerate() {
            let problems = names::label_value(value);
            if !problems.is_empty() {
                let problems = problems.join("; ");
                return Err(SelectorError(format!("values[{index}][{key}]: Invalid value: {value:?}: {problems}")));
            }
        }
        Ok(Self { key: key.to_owned(), operator, values })
    }

    fn from_json(expression: &Value) -> Result<Self, SelectorError> {
        let key = expression.get("key").and_then(Value::as_str).unwrap_or_default();
        let operator = match expression.get("operator").and_then(Value::as_str).unwrap_or_default() {
            "In" => SelectorOperator::In,
            "NotIn" => SelectorOperator::NotIn,
            "Exists" => SelectorOperator::Exists,
            "DoesNotExist" => SelectorOperator::DoesNotExist,
            other => {
                return Err(SelectorError(format!("{other:?} is not a valid label selector operator")));
            }
        };
        let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
        Self::new(key, operator, values.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// Returns true if labels meet the requirement.
    pub fn matches(&self, labels: &(impl Labels + ?Sized)) -> bool {
        let value = labels.value_of(&self.key);
        let is_listed = |value: &str| self.values.iter().any(|listed| listed == value);
        match self.operator {
            SelectorOperator::In | SelectorOperator::Equals | SelectorOperator::DoubleEquals => value.is_some_and(is_listed),
            SelectorOperator::NotIn | SelectorOperator::NotEquals => !value.is_some_and(is_listed),
            SelectorOperator::Exists => value.is_some(),
            SelectorOperator::DoesNotExist => value.is_none(),
            SelectorOperator::GreaterThan => self.compare(value).is_some_and(|(found, bound)| found > bound),
            SelectorOperator::LessThan => self.compare(value).is_some_and(|(found, bound)| found < bound),
        }
    }

    fn compare(&self, value: Option<&str>) -> Option<(i64, i64)> {
        Some((value?.parse().ok()?, self.values.first()?.parse().ok()?))
    }
}

/// Prints `key=value`, `key in (a,b)`, `!key`.
impl fmt::Display for LabelRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, values, .. } = self;
        let values = values.join(",");
        match self.operator {
            SelectorOperator::In => write!(f, "{key} in ({values})"),
            SelectorOperator::NotIn => write!(f, "{key} notin ({values})"),
            SelectorOperator::Equals => write!(f, "{key}={values}"),
            SelectorOperator::DoubleEquals => write!(f, "{key}=={values}"),
            SelectorOperator::NotEquals => write!(f, "{key}!={values}"),
            SelectorOperator::Exists => f.write_str(key),
            SelectorOperator::DoesNotExist => write!(f, "!{key}"),
            SelectorOperator::GreaterThan => write!(f, "{key}>{values}"),
            SelectorOperator::LessThan => write!(f, "{key}<{values}"),
        }
    }
}

pub(super) fn check_key(field: &str, key: &str) -> Result<(), SelectorError> {
    let problems = names::qualified_name(key);
    if problems.is_empty() {
        return Ok(());
    }
    Err(SelectorError(format!("{field}: Invalid value: {key:?}: {}", problems.join("; "))))
}

/// Formats a list as the server prints it: an empty one is null there, even if the selector has `values: []`.
fn go_list(values: &[String]) -> String {
    if values.is_empty() {
        return "null".to_owned();
    }
    let quoted: Vec<String> = values.iter().map(|value| format!("{value:?}")).collect();
    format!("[{}]", quoted.join(","))
}
