//! The grammar of the annotations by which a manifest says how it is to be handled.

use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::ObjectExt;
use kubewright_machinery::quantity::GoDuration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{AdoptionPolicy, DeletePolicy, ManifestError, OperatorName, ReconcilePolicy, UpdatePolicy};
use crate::health::Hints;

/// The annotations that have a meaning under the operator's prefix: on every manifest, the last three on one that is a component.
const KNOWN: [&str; 13] = [
    "adoption-policy",
    "reconcile-policy",
    "update-policy",
    "delete-policy",
    "reapply-interval",
    "apply-order",
    "purge-order",
    "delete-order",
    "status-hint",
    "lifecycle",
    "disable-events",
    "skip-deletion-hooks",
    "abandon-dependents",
];

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
    /// The value as annotations and digests spell it.
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

/// What the annotations of one manifest say. `None` where they are silent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// `adoption-policy`.
    pub adoption: Option<AdoptionPolicy>,
    /// `reconcile-policy`.
    pub reconcile: ReconcilePolicy,
    /// `update-policy`.
    pub update: Option<UpdatePolicy>,
    /// `delete-policy`.
    pub delete: Option<DeletePolicy>,
    /// `reapply-interval`, never zero.
    pub reapply_interval: Option<Duration>,
    /// `apply-order`.
    pub apply_order: i16,
    /// `purge-order`: the object is deleted again once this wave is ready.
    pub purge_order: Option<i16>,
    /// `delete-order`.
    pub delete_order: i16,
    /// `status-hint`.
    pub hints: Hints,
    /// `lifecycle`.
    pub lifecycle: Option<Lifecycle>,
}

impl Annotations {
    /// Reads the annotations of a manifest. Every mistake is added to `errors`, so that all are reported together.
    pub fn read(operator: &OperatorName, manifest: &Value, errors: &mut Vec<ManifestError>) -> Self {
        let mut reader = Reader { operator, manifest, errors };
        reader.refuse_unknown();
        Self {
            adoption: reader.policy("adoption-policy", AdoptionPolicy::ALLOWED, false, AdoptionPolicy::from_kebab),
            reconcile: reader
                .policy("reconcile-policy", ReconcilePolicy::ALLOWED, false, ReconcilePolicy::from_kebab)
                .unwrap_or_default(),
            update: reader.policy("update-policy", UpdatePolicy::ALLOWED, true, UpdatePolicy::from_kebab),
            delete: reader.policy("delete-policy", DeletePolicy::ALLOWED, true, DeletePolicy::from_kebab),
            reapply_interval: reader.interval("reapply-interval"),
            apply_order: reader.order("apply-order").unwrap_or(0),
            purge_order: reader.order("purge-order"),
            delete_order: reader.order("delete-order").unwrap_or(0),
            hints: reader.hints("status-hint"),
            lifecycle: reader.policy("lifecycle", &["pre-delete", "post-delete"], false, |text| match text {
                "pre-delete" => Some(Lifecycle::PreDelete),
                "post-delete" => Some(Lifecycle::PostDelete),
                _ => None,
            }),
        }
    }
}

struct Reader<'a> {
    operator: &'a OperatorName,
    manifest: &'a Value,
    errors: &'a mut Vec<ManifestError>,
}

impl<'a> Reader<'a> {
    fn value(&self, suffix: &str) -> Option<&'a str> {
        self.manifest.annotation(&self.operator.key(suffix))
    }

    fn refuse(&mut self, suffix: &str, value: &str, allowed: String) {
        self.errors.push(ManifestError::Annotation {
            object: self.manifest.title(),
            key: self.operator.key(suffix),
            value: value.to_owned(),
            allowed,
        });
    }

    /// A misspelt annotation would otherwise be silently without effect.
    fn refuse_unknown(&mut self) {
        let prefix = self.operator.key("");
        for key in self.manifest.annotations().keys() {
            let Some(suffix) = key.strip_prefix(&prefix) else { continue };
            if KNOWN.contains(&suffix) {
                continue;
            }
            let nearest = KNOWN.iter().min_by_key(|known| edit_distance(suffix, known)).copied().unwrap_or_default();
            self.errors.push(ManifestError::UnknownAnnotation {
                object: self.manifest.title(),
                key: key.clone(),
                nearest: self.operator.key(nearest),
            });
        }
    }

    /// `default` is the deprecated spelling of an unset policy, where the Go framework had it.
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

/// The number of characters to insert, remove or replace to make one text of the other (Levenshtein).
fn edit_distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (index, left) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for (place, right) in other.chars().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[place + 1];
            row[place + 1] = replaced.min(diagonal + 1).min(row[place] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

/// `SsaOverride`, `ssaOverride` and `ssa-override` are the same word.
pub(crate) fn to_kebab(text: &str) -> String {
    let mut kebab = String::with_capacity(text.len() + 4);
    for character in text.chars() {
        if character.is_ascii_uppercase() && !kebab.is_empty() && !kebab.ends_with('-') {
            kebab.push('-');
        }
        kebab.push(character.to_ascii_lowercase());
    }
    kebab
}
