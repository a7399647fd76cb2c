//! The conditions and the phase of an owner, computed from the conditions of its components (flow-and-contract.md, 13.11).

use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::ComponentType;
use super::common_status::DeclaredCondition;
use super::format::Format;
use super::readiness::is_framework;
use crate::condition::{Condition, ConditionPolarity, ConditionStatus, ConditionVisibility, read_list};
use crate::flow::Reason;
use crate::reason;

/// A component that exists, with its conditions.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct Reported<'a> {
    /// The type of the component.
    pub type_: ComponentType,
    /// The conditions of the component.
    pub conditions: &'a [Condition],
    /// The conditions that the author of the component declares.
    pub declared: &'a [DeclaredCondition],
}

/// A condition of an owner. In JSON it is the condition with a further field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[allow(clippy::exhaustive_structs)] // callers build this plain pair
pub struct OwnerCondition {
    /// The condition.
    #[serde(flatten)]
    pub condition: Condition,
    /// The type of the component that it was exported from; empty for the owner's own ones and the summary.
    #[serde(default)] // sets the default in the schema
    pub managed_by: String,
}

/// Fields that other writers left out are read as empty, so that the status of every owner can be read.
impl<'de> Deserialize<'de> for OwnerCondition {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let condition = read_list(std::slice::from_ref(&value)).pop();
        let condition = condition.ok_or_else(|| D::Error::custom("a condition of an owner has no type"))?;
        let managed_by = value.get("managedBy").and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self { condition, managed_by })
    }
}

/// The inputs that the conditions of an owner follow from in a pass.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct OwnerPass<'a> {
    /// The conditions that the owner had before the pass.
    pub before: &'a [OwnerCondition],
    /// The time of the pass.
    pub now: Timestamp,
    /// The generation of the owner.
    pub generation: i64,
}

/// The conditions of the components as the owner shows them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Aggregate {
    /// The exported conditions, sorted by component and type.
    pub exported: Vec<OwnerCondition>,
    /// The summary condition.
    pub summary: OwnerCondition,
    /// A line for each condition that keeps the owner from being ready.
    pub offending: Vec<String>,
    /// The components with such conditions, in the order of their declaration.
    pub unready: Vec<ComponentType>,
}

/// The phase of an owner (OL-3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OwnerPhase {
    /// All components work.
    Ready,
    /// A component does not work yet, or no longer.
    NotReady,
    /// The owner is being deleted.
    Deleting,
}

impl OwnerPhase {
    /// Returns the phase of an owner: `Deleting` during a deletion, otherwise it follows `Ready` (OL-4).
    pub const fn of(is_deleting: bool, is_ready: bool) -> Self {
        match (is_deleting, is_ready) {
            (true, _) => Self::Deleting,
            (false, true) => Self::Ready,
            (false, false) => Self::NotReady,
        }
    }

    /// Returns the text in the status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "Ready",
            Self::NotReady => "Not Ready",
            Self::Deleting => "Deleting",
        }
    }
}

impl fmt::Display for OwnerPhase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Exports the conditions of the components that exist, and summarises them (AGG-1 to AGG-7).
pub fn aggregate(components: &[Reported<'_>], pass: &OwnerPass<'_>, format: &Format) -> Aggregate {
    let mut exported: Vec<OwnerCondition> = components.iter().flat_map(|component| component.exported(pass, format)).collect();
    exported.sort_by(|a, b| (&a.managed_by, &a.condition.type_).cmp(&(&b.managed_by, &b.condition.type_)));
    let summary = summary(components, pass, format);
    let mut offending: Vec<String> = exported
        .iter()
        .filter(|exported| exported.condition.status != ConditionStatus::True && is_normal(exported, components))
        .map(line)
        .collect();
    if summary.condition.status != ConditionStatus::True {
        offending.push(line(&summary));
    }
    let unready =
        components.iter().filter(|component| component.is_unready(&exported, components)).map(|component| component.type_);
    Aggregate { unready: unready.collect(), exported, summary, offending }
}

impl Aggregate {
    /// Returns the list for the owner's status: exported conditions, then the owner's own by type, the summary last (AGG-5).
    pub fn with_own(self, mut own: Vec<Condition>) -> Vec<OwnerCondition> {
        own.sort_by(|a, b| a.type_.cmp(&b.type_));
        let own = own.into_iter().map(|condition| OwnerCondition { condition, managed_by: String::new() });
        self.exported.into_iter().chain(own).chain([self.summary]).collect()
    }
}

impl Reported<'_> {
    fn exported(&self, pass: &OwnerPass<'_>, format: &Format) -> Vec<OwnerCondition> {
        let managed_by = self.type_.as_str().to_owned();
        if self.conditions.is_empty() {
            let condition = dated(no_conditions(self.type_), &managed_by, pass, format);
            return vec![OwnerCondition { condition, managed_by }];
        }
        let exported = self.conditions.iter().filter(|condition| self.is_exported(&condition.type_, format));
        exported.map(|condition| OwnerCondition { condition: condition.clone(), managed_by: managed_by.clone() }).collect()
    }

    fn is_exported(&self, type_: &str, format: &Format) -> bool {
        let declared = self.declared.iter().find(|declared| declared.type_ == type_);
        let is_internal = match declared {
            Some(declared) => declared.visibility == ConditionVisibility::Internal,
            None if type_ == self.type_.deletion_blocked() => false,
            None => is_framework(type_, self.type_, format),
        };
        let is_marked_internal =
            !format.writes_framework_conditions() && type_.starts_with(|first: char| first.is_ascii_lowercase());
        !is_internal && !is_marked_internal && type_ != self.type_.reconciliation()
    }

    /// Returns true if a condition of the component keeps the owner from being ready.
    fn is_unready(&self, exported: &[OwnerCondition], components: &[Self]) -> bool {
        let offends = |exported: &OwnerCondition| {
            let is_of_it = exported.managed_by == self.type_.as_str();
            is_of_it && exported.condition.status != ConditionStatus::True && is_normal(exported, components)
        };
        exported.iter().any(offends) || self.reconciliation().is_none_or(|found| found.status != ConditionStatus::True)
    }

    fn reconciliation(&self) -> Option<&Condition> {
        let type_ = self.type_.reconciliation();
        self.conditions.iter().find(|condition| condition.type_ == type_)
    }
}

/// Returns true if a condition keeps the owner from being ready when it is not True: conditions of normal polarity and undeclared ones do.
fn is_normal(exported: &OwnerCondition, components: &[Reported<'_>]) -> bool {
    let component = components.iter().find(|component| component.type_.as_str() == exported.managed_by);
    component.is_none_or(|component| {
        let type_ = exported.condition.type_.as_str();
        let declared = component.declared.iter().find(|declared| declared.type_ == type_);
        let is_normal = declared.is_none_or(|declared| declared.polarity == ConditionPolarity::Normal);
        is_normal && type_ != component.type_.deletion_blocked()
    })
}

fn summary(components: &[Reported<'_>], pass: &OwnerPass<'_>, format: &Format) -> OwnerCondition {
    let form = format.summary();
    let mut sorted: Vec<&Reported<'_>> = components.iter().collect();
    sorted.sort_by_key(|component| component.type_);
    let is_successful =
        |component: &&Reported<'_>| component.reconciliation().is_some_and(|found| found.status == ConditionStatus::True);
    let (successful, failed): (Vec<&Reported<'_>>, Vec<&Reported<'_>>) = sorted.into_iter().partition(is_successful);
    let (status, reason, message) = if failed.is_empty() {
        let told = successful.iter().filter(|_| form.tells_success).filter_map(|component| {
            let message = component.reconciliation()?.message.as_str();
            (!message.is_empty()).then(|| format!("{}: {message}", component.type_))
        });
        let told: Vec<String> = told.collect();
        (ConditionStatus::True, reason!("AllComponentsReconciledSuccessfully"), told.join("\n"))
    } else {
        let lines: Vec<String> = failed.iter().map(|component| format!("{}{}", form.indent, failed_line(component))).collect();
        let message = format!("{}{}", form.heading, lines.join("\n"));
        (ConditionStatus::False, reason!("NotAllComponentsReconciledSuccessfully"), message)
    };
    let condition = Condition::new(form.type_, status, reason.as_str(), message);
    OwnerCondition { condition: dated(condition, "", pass, format), managed_by: String::new() }
}

/// Completes a condition that the owner loop creates: with its generation, and with the time of the pass unless the status is unchanged.
fn dated(condition: Condition, managed_by: &str, pass: &OwnerPass<'_>, format: &Format) -> Condition {
    let same = |before: &&OwnerCondition| {
        let (before, by) = (&before.condition, before.managed_by.as_str());
        before.type_ == condition.type_ && by == managed_by && before.status == condition.status
    };
    let since = pass.before.iter().find(same).map(|before| before.condition.last_transition_time);
    // Other writers may omit the time.
    let since = since.filter(|since| *since != Timestamp::UNIX_EPOCH);
    let observed_generation = format.condition_generation(pass.generation);
    Condition { last_transition_time: since.unwrap_or(pass.now), observed_generation, ..condition }
}

fn no_conditions(type_: ComponentType) -> Condition {
    let message = format!("{type_} has no conditions yet");
    Condition::new(type_.as_str(), ConditionStatus::Unknown, "NoConditions", message)
}

fn failed_line(component: &Reported<'_>) -> String {
    match component.reconciliation() {
        Some(found) => format!("{}: [{}] {}", component.type_, found.reason, found.message),
        None => format!("{}: [{}] condition {} is missing", component.type_, MISSING, component.type_.reconciliation()),
    }
}

/// The reason of a missing condition `<T>Reconciliation`.
const MISSING: Reason = reason!("NotReconciledYet");

fn line(exported: &OwnerCondition) -> String {
    let condition = &exported.condition;
    let by = if exported.managed_by.is_empty() { String::new() } else { format!("{}: ", exported.managed_by) };
    let message = if condition.message.is_empty() { String::new() } else { format!(" {}", condition.message) };
    format!("{by}{} is {} [{}]{message}", condition.type_, condition.status.as_str(), condition.reason)
}
