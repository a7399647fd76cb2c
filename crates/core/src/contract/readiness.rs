//! The readiness of dependencies (flow-and-contract.md, 13.4).

use std::fmt;

use super::ComponentType;
use super::format::Format;
use super::graph::Revision;
use super::observation::Observation;
use super::provenance::{InvalidProvenance, Provenance};
use crate::condition::{Condition, ConditionPolarity, ConditionStatus, PAUSED, READY, REQUIRES_UPDATE, STALLED, WAITING};

/// The conditions of the framework that do not count for a component's readiness (RDY-2).
pub(super) const FRAMEWORK: [&str; 5] = [READY, STALLED, REQUIRES_UPDATE, PAUSED, WAITING];

/// The requirements of a depending component on one of its dependencies.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::exhaustive_structs)] // callers build it as an argument
pub struct Requirement<'a> {
    /// The type of the dependency.
    pub type_: ComponentType,
    /// The revision at which the dependency must be ready.
    pub revision: Revision,
    /// The conditions that count besides `<T>Reconciliation` and `<T>Healthy`; without a list, all present ones whose good status is True.
    pub conditions: Option<&'a [&'static str]>,
    /// The polarities of the declared conditions of the dependency; undeclared ones are normal.
    pub polarities: &'a [(String, ConditionPolarity)],
    /// The provenance of the depending component; none if its labels are invalid.
    pub own: Option<Provenance>,
    /// The finalizer that the depending component puts on the dependency.
    pub finalizer: &'a str,
}

/// The first reason why a dependency cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotReady {
    /// The dependency does not exist.
    Absent,
    /// The dependency carries `ignore` and counts as absent (RDY-6).
    Ignored,
    /// The dependency is being deleted, and the dependency finalizer is not on it (RDY-5).
    Deleting,
    /// The provenance labels of the dependency are invalid.
    Provenance(InvalidProvenance),
    /// A condition of the dependency is missing or not True.
    Condition {
        /// The type of the condition.
        type_: String,
        /// The condition, if it is present.
        found: Option<Box<Condition>>,
    },
    /// The dependency's controller has not applied its generation, or the generations in its labels.
    Lags,
    /// The dependency is ready at other generations than the depending component was generated from.
    OtherRevision,
}

impl NotReady {
    /// Returns true if the dependency works and only its generations lag behind, or if it is ignored: the health of the depending component stays
    /// unchanged in these cases (flow-and-contract.md, 13.6).
    pub const fn is_lag(&self) -> bool {
        matches!(self, Self::Ignored | Self::Lags | Self::OtherRevision)
    }
}

impl fmt::Display for NotReady {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent => f.write_str("it does not exist"),
            Self::Ignored => f.write_str("it is ignored by annotation"),
            Self::Deleting => f.write_str("it is being deleted"),
            Self::Provenance(error) => error.fmt(f),
            Self::Condition { type_, found: None } => write!(f, "condition {type_} is missing"),
            Self::Condition { type_, found: Some(found) } => {
                write!(f, "condition {type_} is {}", found.status.as_str())?;
                if !found.reason.is_empty() {
                    write!(f, " ({})", found.reason)?;
                }
                Ok(())
            }
            Self::Lags => f.write_str("its controller has not applied its current generations yet"),
            Self::OtherRevision => f.write_str("it was generated from other generations of the owner"),
        }
    }
}

/// Decides whether a dependency can be used: it is ready (RDY-1 to RDY-4) and, while it is being deleted, held by the depending component (RDY-5).
pub fn readiness(dependency: Option<&Observation>, requirement: &Requirement<'_>, format: &Format) -> Result<(), NotReady> {
    let dependency = usable(dependency, requirement.finalizer)?;
    let provenance = dependency.provenance.clone().map_err(NotReady::Provenance)?;
    if let Some((type_, found)) = first_bad_condition(dependency, requirement, format) {
        return Err(NotReady::Condition { type_, found: found.cloned().map(Box::new) });
    }
    let reached = if format.writes_applied() { dependency.applied } else { dependency.seen };
    if reached.is_none_or(|reached| reached.resource != dependency.generation || reached.provenance != provenance) {
        return Err(NotReady::Lags);
    }
    match requirement.revision {
        Revision::SameRevision if requirement.own != Some(provenance) => Err(NotReady::OtherRevision),
        Revision::SameRevision | Revision::ReadyOnly => Ok(()),
    }
}

/// Returns a dependency that exists for a depending component with this finalizer, ready or not. A cleanup gets such a dependency (CL-3).
pub fn usable<'a>(dependency: Option<&'a Observation>, finalizer: &str) -> Result<&'a Observation, NotReady> {
    match dependency {
        None => Err(NotReady::Absent),
        Some(dependency) if dependency.is_ignored() => Err(NotReady::Ignored),
        Some(dependency) if dependency.is_deleting && !dependency.has_finalizer(finalizer) => Err(NotReady::Deleting),
        Some(dependency) => Ok(dependency),
    }
}

/// Returns the first relevant condition that is missing or not True: `<T>Reconciliation`, `<T>Healthy`, then the others in their order.
fn first_bad_condition<'a>(
    dependency: &'a Observation,
    requirement: &Requirement<'_>,
    format: &Format,
) -> Option<(String, Option<&'a Condition>)> {
    let type_ = requirement.type_;
    let mut relevant = vec![type_.reconciliation(), type_.healthy()];
    if let Some(listed) = requirement.conditions {
        relevant.extend(listed.iter().map(|listed| (*listed).to_owned()));
    } else {
        let present = dependency.conditions.iter().filter(|condition| counts(&condition.type_, requirement, format));
        relevant.extend(present.map(|condition| condition.type_.clone()));
    }
    let found = relevant.into_iter().map(|type_| {
        let found = dependency.condition(&type_);
        (type_, found)
    });
    found.into_iter().find(|(_, found)| found.is_none_or(|found| found.status != ConditionStatus::True))
}

fn counts(type_: &str, requirement: &Requirement<'_>, format: &Format) -> bool {
    let declared = requirement.polarities.iter().find(|(declared, _)| declared == type_);
    let polarity = declared.map_or(ConditionPolarity::Normal, |(_, polarity)| *polarity);
    polarity == ConditionPolarity::Normal && !is_framework(type_, requirement.type_, format)
}

/// Returns true if a condition is one of the framework's own, as the format writes it.
pub(super) fn is_framework(type_: &str, of: ComponentType, format: &Format) -> bool {
    type_ == of.deletion_blocked() || FRAMEWORK.iter().any(|framework| format.internal_condition(framework) == type_)
}
