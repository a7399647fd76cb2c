//! Hooks: documents that Helm applies at certain times.

use std::collections::BTreeMap;

const HOOK: &str = "helm.sh/hook";
const WEIGHT: &str = "helm.sh/hook-weight";
const DELETE_POLICY: &str = "helm.sh/hook-delete-policy";
const LOG_POLICY: &str = "helm.sh/hook-output-log-policy";

/// The events that Helm knows.
const EVENTS: [&str; 10] = [
    "pre-install",
    "post-install",
    "pre-delete",
    "post-delete",
    "pre-upgrade",
    "post-upgrade",
    "pre-rollback",
    "post-rollback",
    "test",
    "test-success",
];

/// The annotations of a hook, as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChartHook {
    /// The events, in lower case, also those that Helm does not know.
    pub events: Vec<String>,
    /// The weight as it is written; None if it is not given.
    pub weight: Option<String>,
    /// The delete policies, in lower case.
    pub delete_policies: Vec<String>,
    /// The policies for the output of logs, in lower case.
    pub log_policies: Vec<String>,
}

impl ChartHook {
    /// Returns the hook of annotations; None if they make none.
    pub(super) fn of(annotations: &BTreeMap<String, String>) -> Option<Self> {
        let words = |text: &str| text.split(',').map(|word| word.trim().to_lowercase()).collect();
        let optional = |name| annotations.get(name).map(|text| words(text)).unwrap_or_default();
        Some(Self {
            events: words(annotations.get(HOOK)?),
            weight: annotations.get(WEIGHT).cloned(),
            delete_policies: optional(DELETE_POLICY),
            log_policies: optional(LOG_POLICY),
        })
    }

    /// Returns the events that Helm does not know. It leaves out a hook with one.
    pub fn unknown_events(&self) -> impl Iterator<Item = &str> {
        self.events.iter().map(String::as_str).filter(|event| !EVENTS.contains(event))
    }
}
