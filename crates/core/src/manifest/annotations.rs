//! The annotations with which a manifest controls its handling, and their grammar.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use kubewright_machinery::quantity::GoDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AdoptionPolicy, DeletePolicy, InvalidManifest, OperatorName, ReconcilePolicy, UpdatePolicy, keys};
use crate::health::Hints;
use crate::names::to_kebab;

const ORDERS: &str = "an integer from -32768 to 32767";

/// The stage of a component's deletion in which an object is applied (DEL-5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Lifecycle {
    /// Before the ordinary dependents are deleted.
    PreDelete,
    /// After they are gone.
    PostDelete,
}

impl Lifecycle {
    /// Returns the value as annotations and digests spell it.
    pub const fn as_kebab(self) -> &'static str {
        match self {
            Self::PreDelete => "pre-delete",
            Self::PostDelete => "post-delete",
        }
    }
}

impl fmt::Display for Lifecycle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_kebab())
    }
}

/// The values of the annotations of one manifest. `None` for an annotation that is not set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The policy for an object that exists already and is not ours, from `adoption-policy`.
    pub adoption: Option<AdoptionPolicy>,
    /// The policy for what counts as a change, from `reconcile-policy`.
    pub reconcile: ReconcilePolicy,
    /// The policy for writing changes, from `update-policy`.
    pub update: Option<UpdatePolicy>,
    /// The policy for an object that is no longer wanted, from `delete-policy`.
    pub delete: Option<DeletePolicy>,
    /// The interval at which an unchanged object is checked, from `reapply-interval`; never zero.
    pub reapply_interval: Option<Duration>,
    /// The wave in which the object is applied, from `apply-order`. Default: 0.
    pub apply_order: i16,
    /// The wave after whose readiness the object is deleted again, from `purge-order`.
    pub purge_order: Option<i16>,
    /// The wave in which the object is deleted, from `delete-order`. Default: 0.
    pub delete_order: i16,
    /// The hints about health, from `status-hint`.
    pub hints: Hints,
    /// The deletion stage in which the object is applied, from `lifecycle`.
    pub lifecycle: Option<Lifecycle>,
}

impl Annotations {
    /// Reads the annotations of a manifest. All mistakes are added to `errors`, so that they are reported together.
    pub fn read(operator: &OperatorName, manifest: &Value, errors: &mut Vec<InvalidManifest>) -> Self {
        let mut reader = AnnotationReader { operator, manifest, errors };
        reader.refuse_unknown();
        Self {
            adoption: reader.policy(keys::ADOPTION_POLICY, AdoptionPolicy::ALLOWED, false, AdoptionPolicy::from_kebab),
            reconcile: reader
                .policy(keys::RECONCILE_POLICY, ReconcilePolicy::ALLOWED, false, ReconcilePolicy::from_kebab)
                .unwrap_or_default(),
            update: reader.policy(keys::UPDATE_POLICY, UpdatePolicy::ALLOWED, true, UpdatePolicy::from_kebab),
            delete: reader.policy(keys::DELETE_POLICY, DeletePolicy::ALLOWED, true, DeletePolicy::from_kebab),
            reapply_interval: reader.interval(keys::REAPPLY_INTERVAL),
            apply_order: reader.order(keys::APPLY_ORDER).unwrap_or(0),
            purge_order: reader.order(keys::PURGE_ORDER),
            delete_order: reader.order(keys::DELETE_ORDER).unwrap_or(0),
            hints: reader.hints(keys::STATUS_HINT),
            lifecycle: reader.policy(keys::LIFECYCLE, &["pre-delete", "post-delete"], false, |text| match text {
                "pre-delete" => Some(Lifecycle::PreDelete),
                "post-delete" => Some(Lifecycle::PostDelete),
                _ => None,
            }),
        }
    }
}

struct AnnotationReader<'a> {
    operator: &'a OperatorName,
    manifest: &'a Value,
    errors: &'a mut Vec<InvalidManifest>,
}

impl<'a> AnnotationReader<'a> {
    fn value(&self, suffix: &str) -> Option<&'a str> {
        self.manifest.annotation(&self.operator.key(suffix))
    }

    fn refuse(&mut self, suffix: &str, value: &str, allowed: String) {
        self.errors.push(InvalidManifest::Annotation {
            object: self.manifest.title(),
            key: self.operator.key(suffix),
            value: value.to_owned(),
            allowed,
        });
    }

    /// Rejects unknown annotations under the operator's prefix, because a misspelt annotation would otherwise silently have no effect.
    fn refuse_unknown(&mut self) {
        let prefix = self.operator.key("");
        for key in self.manifest.annotations().keys() {
            let Some(suffix) = key.strip_prefix(&prefix) else { continue };
            let known = keys::ON_MANIFESTS.iter().chain(&keys::ON_COMPONENTS).copied();
            if known.clone().any(|known| known == suffix) {
                continue;
            }
            let nearest = known.min_by_key(|known| edit_distance(suffix, known)).unwrap_or_default();
            self.errors.push(InvalidManifest::UnknownAnnotation {
                object: self.manifest.title(),
                key: key.clone(),
                nearest: self.operator.key(nearest),
            });
        }
    }

    /// Reads a policy. With `default`, the value `default` means an unset policy: a deprecated spelling of the Go framework.
    fn policy<T>(&mut self, suffix: &str, allowed: &[&str], default: bool, parse: impl Fn(&str) -> Option<T>) -> Option<T> {
        let value = self.value(suffix).filter(|value| !value.is_empty())?;
        let kebab = to_kebab(value);
        if default && kebab == "default" {
            return None;
        }
        let parsed = parse(&kebab);
        if parsed.is_none() {
            self.refuse(suffix, value, allowed.join(", "));
        }
        parsed
    }

    fn order(&mut self, suffix: &str) -> Option<i16> {
        let value = self.value(suffix)?;
        let parsed = value.parse().ok();
        if parsed.is_none() {
            self.refuse(suffix, value, ORDERS.to_owned());
        }
        parsed
    }

    fn interval(&mut self, suffix: &str) -> Option<Duration> {
        let value = self.value(suffix)?;
        let parsed = positive_duration(value);
        if parsed.is_none() {
            self.refuse(suffix, value, "a duration greater than zero, such as 3m33s".to_owned());
        }
        parsed
    }

    fn hints(&mut self, suffix: &str) -> Hints {
        let Some(value) = self.value(suffix) else {
            return Hints::default();
        };
        Hints::parse(value).unwrap_or_else(|_| {
            self.refuse(suffix, value, Hints::ALLOWED.to_owned());
            Hints::default()
        })
    }
}

fn positive_duration(text: &str) -> Option<Duration> {
    let duration = GoDuration::parse(text).ok()?.to_std()?;
    (!duration.is_zero()).then_some(duration)
}

/// Returns the number of characters to insert, remove or replace to turn one text into the other (Levenshtein distance).
fn edit_distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (index, left) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (column, right) in other.chars().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}
