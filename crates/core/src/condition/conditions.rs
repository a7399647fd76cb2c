//! The field of a status that holds its conditions.

use std::borrow::Cow;
use std::fmt;
use std::slice::Iter;

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Value, json};

use super::list::condition_of;
use super::{Condition, ConditionManager, ConditionPolicy, ConditionSet, ConditionStatus, READY, SUCCEEDED, TerminalCondition};

/// The conditions of a status, for its field `conditions`.
///
/// During a pass the framework puts a [`ConditionManager`] behind it, so that marks compute the top-level condition and carry the time and generation
/// of the pass. Outside a pass, as in a unit test of a reconciler, the same methods change the list alone: the top-level condition is not computed,
/// no conditions are initialised, and a condition whose status changes has the start of Unix time.
///
/// The JSON form is the list. Two values are equal if their lists are.
#[derive(Clone, Default)]
pub struct Conditions {
    list: Vec<Condition>,
    manager: Option<Box<ConditionManager>>,
}

impl Conditions {
    /// Starts a pass. Until [`take`](Self::take), the list is that of the manager.
    pub fn begin(&mut self, manager: ConditionManager) {
        self.list = manager.conditions();
        self.manager = Some(Box::new(manager));
    }

    /// Ends the pass, if one runs. The list keeps its content.
    pub fn take(&mut self) -> Option<ConditionManager> {
        self.manager.take().map(|manager| *manager)
    }

    /// Returns all conditions, as a slice.
    pub fn as_slice(&self) -> &[Condition] {
        &self.list
    }

    /// Iterates over all conditions.
    pub fn iter(&self) -> Iter<'_, Condition> {
        self.list.iter()
    }

    /// Returns true if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the number of conditions.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns the top-level condition. Outside a pass it is `Ready`, or else `Succeeded`.
    pub fn top(&self) -> Option<&Condition> {
        match &self.manager {
            Some(manager) => manager.top(),
            None => self.get(READY).or_else(|| self.get(SUCCEEDED)),
        }
    }

    /// Returns the condition of this type.
    pub fn get(&self, type_: &str) -> Option<&Condition> {
        self.list.iter().find(|condition| condition.type_ == type_)
    }

    /// Returns true if the top-level condition is True.
    pub fn is_happy(&self) -> bool {
        self.top().is_some_and(|top| top.status == ConditionStatus::True)
    }

    /// Returns true if the condition is present and True.
    pub fn is_true(&self, type_: &str) -> bool {
        self.status(type_) == ConditionStatus::True
    }

    /// Returns true if the condition is present and False.
    pub fn is_false(&self, type_: &str) -> bool {
        self.status(type_) == ConditionStatus::False
    }

    /// Returns true if the condition is Unknown or absent.
    pub fn is_unknown(&self, type_: &str) -> bool {
        self.status(type_) == ConditionStatus::Unknown
    }

    /// Replaces a condition by its type, as [`ConditionManager::set`] does.
    pub fn set(&mut self, condition: Condition) {
        self.change(|manager| manager.set(condition));
    }

    /// Removes a condition, as [`ConditionManager::clear`] does. Outside a pass the declared conditions are not known, and all can be cleared.
    pub fn clear(&mut self, type_: &str) -> Result<(), TerminalCondition> {
        if self.manager.is_some() {
            return self.change(|manager| manager.clear(type_));
        }
        self.list.retain(|condition| condition.type_ != type_);
        Ok(())
    }

    /// Adds the declared conditions that are absent, as [`ConditionManager::initialize`] does. Outside a pass it changes no condition.
    pub fn initialize(&mut self) {
        if self.manager.is_some() {
            self.change(ConditionManager::initialize);
        }
    }

    /// Marks a condition True, as [`ConditionManager::mark_true`] does.
    pub fn mark_true(&mut self, type_: impl AsRef<str>) {
        self.change(|manager| manager.mark_true(type_.as_ref()));
    }

    /// Marks a condition True with a reason and a message, as [`ConditionManager::mark_true_with`] does.
    pub fn mark_true_with(&mut self, type_: impl AsRef<str>, reason: &str, message: impl AsRef<str>) {
        self.change(|manager| manager.mark_true_with(type_.as_ref(), reason, message));
    }

    /// Marks a condition Unknown, as [`ConditionManager::mark_unknown`] does.
    pub fn mark_unknown(&mut self, type_: impl AsRef<str>, reason: &str, message: impl AsRef<str>) {
        self.change(|manager| manager.mark_unknown(type_.as_ref(), reason, message));
    }

    /// Marks a condition False, as [`ConditionManager::mark_false`] does.
    pub fn mark_false(&mut self, type_: impl AsRef<str>, reason: &str, message: impl AsRef<str>) {
        self.change(|manager| manager.mark_false(type_.as_ref(), reason, message));
    }

    fn status(&self, type_: &str) -> ConditionStatus {
        self.get(type_).map_or(ConditionStatus::Unknown, |condition| condition.status)
    }

    fn change<T>(&mut self, change: impl FnOnce(&mut ConditionManager) -> T) -> T {
        if let Some(manager) = &mut self.manager {
            let result = change(manager);
            self.list = manager.conditions();
            return result;
        }
        // A set without dependents, so that marks do not compute a top-level condition.
        let (set, policy) = (ConditionSet::living([]), ConditionPolicy::default());
        let mut alone = ConditionManager::begin(set, policy, &self.list, Timestamp::UNIX_EPOCH, None);
        let result = change(&mut alone);
        self.list = alone.finish();
        result
    }
}

impl From<Vec<Condition>> for Conditions {
    fn from(list: Vec<Condition>) -> Self {
        Self { list, manager: None }
    }
}

impl FromIterator<Condition> for Conditions {
    fn from_iter<I: IntoIterator<Item = Condition>>(conditions: I) -> Self {
        Self::from(Vec::from_iter(conditions))
    }
}

impl<'a> IntoIterator for &'a Conditions {
    type Item = &'a Condition;
    type IntoIter = Iter<'a, Condition>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl PartialEq for Conditions {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for Conditions {}

impl fmt::Debug for Conditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.list.fmt(f)
    }
}

impl Serialize for Conditions {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list.serialize(serializer)
    }
}

/// Malformed entries of the list do not keep the object from being read.
impl<'de> Deserialize<'de> for Conditions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Option::<Vec<Value>>::deserialize(deserializer)?.unwrap_or_default();
        Ok(entries.iter().filter_map(condition_of).collect())
    }
}

impl JsonSchema for Conditions {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Conditions".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut condition = Condition::json_schema(generator);
        if let Some(Value::Object(properties)) = condition.get_mut("properties") {
            let description = "How bad it is that the condition does not hold; an error if empty.";
            properties.insert("severity".to_owned(), json!({ "type": "string", "description": description }));
        }
        json_schema!({
            "type": "array",
            "items": condition,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["type"],
        })
    }
}
