//! Conversion of a component's status to its view.

use jiff::Timestamp;
use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// A component and its dependents at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ComponentSnapshot {
    /// Kind and namespace/name.
    pub(crate) title: String,
    /// The state; `Pending` before the first status.
    pub(crate) state: String,
    /// The message of the condition Ready.
    pub(crate) message: String,
    /// True if the state is Ready for the present generation.
    pub(crate) ready: bool,
    /// One row per dependent, in the order of waves.
    pub(crate) rows: Vec<DependentRow>,
}

impl DependentRow {
    /// Returns true if the operator has finished with the dependent.
    pub(super) fn is_done(&self) -> bool {
        matches!(self.action, "done" | "completed")
    }
}

/// The row of a dependent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DependentRow {
    /// The group, kind, namespace and name, which distinguish rows that look alike.
    pub(crate) key: String,
    /// The kind and name, with the namespace if it is not the component's.
    pub(crate) object: String,
    /// The apply order.
    pub(crate) wave: i64,
    /// The operator's present action on the dependent.
    pub(crate) action: &'static str,
    /// The health of the dependent, with the reason while it is not `Current`.
    pub(crate) health: String,
    /// The time of the last write.
    pub(crate) applied: Option<Timestamp>,
}

impl ComponentSnapshot {
    /// Returns kind and namespace/name of a component. A namespaced sample without a namespace is created in `default`.
    pub(crate) fn title_of(component: &Value) -> String {
        Self::title(component.kind(), component)
    }

    /// Returns the title with the group of the kind, for operators with several kinds of the same name.
    pub(crate) fn full_title_of(component: &Value) -> String {
        let group = component.gvk().map(|gvk| gvk.group).unwrap_or_default();
        Self::title(&format!("{}.{group}", component.kind()), component)
    }

    fn title(kind: &str, component: &Value) -> String {
        let namespace = Some(component.namespace()).filter(|namespace| !namespace.is_empty()).unwrap_or("default");
        format!("{kind} {namespace}/{}", component.name())
    }

    /// Returns the view of a component object.
    pub(crate) fn of(component: &Value) -> Self {
        let status = &component["status"];
        let state = status["state"].as_str().unwrap_or("Pending").to_owned();
        let observed = status["observedGeneration"].as_i64();
        let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let message = conditions
            .iter()
            .find(|condition| condition["type"] == "Ready")
            .and_then(|condition| condition["message"].as_str())
            .unwrap_or_default();
        let mut rows: Vec<DependentRow> = status["inventory"]
            .as_array()
            .into_iter()
            .flatten()
            .map(|item| DependentRow::of(item, component.namespace()))
            .collect();
        rows.sort_by_key(|row| row.wave);
        Self {
            title: Self::title_of(component),
            ready: state == "Ready" && observed == component.generation(),
            state,
            message: message.to_owned(),
            rows,
        }
    }
}

impl DependentRow {
    fn of(item: &Value, home: &str) -> Self {
        let text = |key: &str| item[key].as_str().unwrap_or_default();
        let health = match (text("status"), text("message")) {
            (status, "") => status.to_owned(),
            (status, message) => format!("{status}: {message}"),
        };
        Self {
            key: [text("group"), text("kind"), text("namespace"), text("name")].join("/"),
            object: match text("namespace") {
                namespace if namespace.is_empty() || namespace == home => format!("{} {}", text("kind"), text("name")),
                namespace => format!("{} {namespace}/{}", text("kind"), text("name")),
            },
            wave: item["applyOrder"].as_i64().unwrap_or_default(),
            action: action(text("phase")),
            health,
            applied: text("lastAppliedAt").parse().ok(),
        }
    }
}

/// Returns the name of the action in a phase.
fn action(phase: &str) -> &'static str {
    match phase {
        "ScheduledForApplication" => "waits",
        "Creating" => "create",
        "Updating" => "update",
        "Ready" => "done",
        "ScheduledForCompletion" | "Completing" => "clean up",
        "Completed" => "completed",
        "ScheduledForDeletion" => "will be deleted",
        "Deleting" => "delete",
        _ => "",
    }
}
