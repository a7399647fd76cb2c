//! Fields that admission adds to every pod: a priority, and tolerations for failing nodes (PIPE-20, VEC-10).

use kubewright_middleware::Status;
use serde_json::{Value, json};

use super::lifecycle::name_of;
use crate::kinds::KindSpec;
use crate::status::StatusExt as _;
use crate::store::{ObjectName, Resource, Snapshot};

/// The time that a pod tolerates a node that is not ready or unreachable.
const PATIENCE_SECONDS: u32 = 300;
/// Priority classes that every cluster has, with their values.
const SYSTEM_CLASSES: [(&str, i64); 2] = [("system-node-critical", 2_000_001_000), ("system-cluster-critical", 2_000_000_000)];

/// Completes a new pod.
pub(super) fn complete(kind: &KindSpec, pod: &mut Value, snapshot: &Snapshot) -> Result<(), Status> {
    if !kind.group.is_empty() || kind.kind != "Pod" || !pod["spec"].is_object() {
        return Ok(());
    }
    set_priority(pod, snapshot)?;
    check_runtime(pod, snapshot)?;
    add_tolerations(pod);
    Ok(())
}

/// Checks that the runtime class of a pod exists, and that the pod's overhead is that of the class.
fn check_runtime(pod: &mut Value, snapshot: &Snapshot) -> Result<(), Status> {
    let class = pod["spec"]["runtimeClassName"].as_str().unwrap_or_default().to_owned();
    let refuse = |pod: &Value, why: &str| {
        let why = format!("pod rejected: {why}");
        Err(Status::forbidden("", "pods", name_of(pod), &why))
    };
    let mut overhead = Value::Null;
    if !class.is_empty() {
        let resource = Resource::new("node.k8s.io", "runtimeclasses");
        let Some(found) = snapshot.get(&resource, &ObjectName::new("", &class)) else {
            return refuse(pod, &format!("RuntimeClass {class:?} not found"));
        };
        overhead = found.value()["overhead"]["podFixed"].clone();
    }
    match (pod["spec"]["overhead"].is_null(), overhead.is_null()) {
        (false, true) => refuse(pod, "Pod Overhead set without corresponding RuntimeClass defined Overhead"),
        (false, false) if pod["spec"]["overhead"] != overhead => {
            refuse(pod, "Pod's Overhead doesn't match RuntimeClass's defined Overhead")
        }
        (true, false) => {
            pod["spec"]["overhead"] = overhead;
            Ok(())
        }
        _ => Ok(()),
    }
}

/// Completes an updated pod.
pub(super) fn complete_update(kind: &KindSpec, pod: &mut Value) {
    if kind.group.is_empty() && kind.kind == "Pod" && pod["spec"].is_object() {
        add_tolerations(pod);
    }
}

fn set_priority(pod: &mut Value, snapshot: &Snapshot) -> Result<(), Status> {
    let spec = &mut pod["spec"];
    let class = spec["priorityClassName"].as_str().unwrap_or_default().to_owned();
    let (priority, preemption) = if class.is_empty() {
        default_class(spec, snapshot)
    } else if let Some((_, value)) = SYSTEM_CLASSES.iter().find(|(name, _)| *name == class) {
        (*value, "PreemptLowerPriority".to_owned())
    } else {
        let found = snapshot.get(&Resource::new("scheduling.k8s.io", "priorityclasses"), &ObjectName::new("", &class));
        let why = format!("no PriorityClass with name {class} was found");
        let found = found.ok_or_else(|| Status::forbidden("", "pods", name_of(pod), &why))?;
        values_of(found.value())
    };
    let refuse = |what: &str, sent: &str, computed: &str| {
        let why = format!(
            "the {what} ({sent}) must not be provided in pod spec; priority admission controller computed {computed} from the given \
             PriorityClass name"
        );
        Status::forbidden("", "pods", name_of(pod), &why)
    };
    if let Some(sent) = pod["spec"]["priority"].as_i64().filter(|sent| *sent != priority) {
        return Err(refuse("integer value of priority", &sent.to_string(), &priority.to_string()));
    }
    if let Some(sent) = pod["spec"]["preemptionPolicy"].as_str().filter(|sent| *sent != preemption) {
        return Err(refuse("string value of PreemptionPolicy", sent, &preemption));
    }
    let spec = &mut pod["spec"];
    spec["priority"] = priority.into();
    spec["preemptionPolicy"] = preemption.into();
    Ok(())
}

/// Returns priority and preemption policy of a pod without a priority class: those of the cluster's default class, whose name is set in the spec,
/// else priority 0.
fn default_class(spec: &mut Value, snapshot: &Snapshot) -> (i64, String) {
    let classes = Resource::new("scheduling.k8s.io", "priorityclasses");
    let default = snapshot.list(&classes, None).find(|(_, stored)| stored.value()["globalDefault"] == true);
    match default {
        Some((name, stored)) => {
            spec["priorityClassName"] = (*name.name).into();
            values_of(stored.value())
        }
        None => (0, "PreemptLowerPriority".into()),
    }
}

fn values_of(class: &Value) -> (i64, String) {
    let policy = class["preemptionPolicy"].as_str().unwrap_or("PreemptLowerPriority").to_owned();
    (class["value"].as_i64().unwrap_or_default(), policy)
}

fn add_tolerations(pod: &mut Value) {
    let spec = &mut pod["spec"];
    let mut tolerations = spec["tolerations"].as_array().cloned().unwrap_or_default();
    for key in ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"] {
        let tolerated = tolerations.iter().any(|toleration| {
            let text = |field: &str| toleration[field].as_str().unwrap_or_default();
            (text("key").is_empty() || text("key") == key) && matches!(text("effect"), "" | "NoExecute")
        });
        if !tolerated {
            tolerations
                .push(json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": PATIENCE_SECONDS}));
        }
    }
    spec["tolerations"] = tolerations.into();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Registry;
    use crate::store::ObjectStore;

    fn completed(spec: Value) -> Value {
        let registry = Registry::builtin();
        let mut pod = json!({"metadata": {"name": "p"}, "spec": spec});
        complete(registry.resource("", "v1", "pods").unwrap(), &mut pod, &ObjectStore::new(1).snapshot()).unwrap();
        pod["spec"].take()
    }

    // VEC-10, PIPE-20
    #[test]
    fn a_plain_pod_gets_priority_zero_and_two_tolerations() {
        let spec = completed(json!({}));
        assert_eq!((&spec["priority"], &spec["preemptionPolicy"]), (&json!(0), &json!("PreemptLowerPriority")));
        assert_eq!(spec["tolerations"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn a_default_toleration_that_the_pod_already_has_is_not_added() {
        let own =
            json!([{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}]);
        let spec = completed(json!({"tolerations": own}));
        assert_eq!(spec["tolerations"][0]["tolerationSeconds"], 5);
        assert_eq!(spec["tolerations"].as_array().unwrap().len(), 2);
    }

    #[test]
    fn system_classes_have_their_values() {
        assert_eq!(completed(json!({"priorityClassName": "system-node-critical"}))["priority"], 2_000_001_000);
    }
}
