//! Conversion of an object to its view.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

use super::ComponentSnapshot;
use crate::kinds::Tells;

/// The summarizing conditions of objects that run permanently, and of those that run to completion.
const HAPPY: [&str; 2] = ["Ready", "Succeeded"];

/// An object at one moment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ObjectSnapshot {
    /// Kind and namespace/name.
    pub(crate) title: String,
    /// The status of the condition `Ready` or `Succeeded`: `-` for kinds without conditions, `Unknown` before the first status.
    pub(crate) ready: String,
    /// The reason of the condition.
    pub(crate) reason: String,
    /// The message of the condition.
    pub(crate) message: String,
    /// True if the object is ready in its present generation.
    pub(crate) is_ready: bool,
    /// The dependents, if the object is a component.
    pub(crate) component: Option<ComponentSnapshot>,
}

impl ObjectSnapshot {
    /// Returns the view of an object under this title.
    pub(crate) fn of(object: &Value, tells: Tells, title: String) -> Self {
        let status = &object["status"];
        let conditions = status["conditions"].as_array().map(Vec::as_slice).unwrap_or_default();
        let condition = HAPPY.iter().find_map(|kind| conditions.iter().find(|condition| condition["type"] == **kind));
        let text = |field: &str| condition.and_then(|condition| condition[field].as_str()).unwrap_or_default().to_owned();
        let is_present =
            |holder: &Value| holder["observedGeneration"].as_i64().is_none_or(|seen| Some(seen) == object.generation());
        let component =
            (tells == Tells::Dependents).then(|| ComponentSnapshot { title: title.clone(), ..ComponentSnapshot::of(object) });
        let is_ready = match (&component, condition) {
            (Some(component), _) => component.ready,
            (None, Some(condition)) => condition["status"] == "True" && is_present(condition) && is_present(status),
            (None, None) => tells == Tells::Nothing,
        };
        let ready = match condition {
            Some(_) => text("status"),
            None if tells == Tells::Nothing => "-".to_owned(),
            None => "Unknown".to_owned(),
        };
        Self { title, ready, reason: text("reason"), message: text("message"), is_ready, component }
    }
}
