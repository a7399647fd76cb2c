//! Suggestions for the user's next commands.

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;

/// Returns commands to try with the sample that became ready.
pub(crate) fn hints(kubeconfig: &str, plural: &str, object: &Value) -> String {
    let (namespace, name) = (object.namespace(), object.name());
    let scope = if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") };
    let commands = match dependent(object) {
        Some(dependent) => format!(
            "\x20 kubectl get {plural}{scope} -w                    # its state, as it changes\n\
             \x20 kubectl delete {dependent}    # watch it come back\n\
             \x20 kubectl delete {plural} {name}{scope}             # watch everything go, in order\n"
        ),
        None => format!(
            "\x20 kubectl get {plural}{scope} -w                    # its state, as it changes\n\
             \x20 kubectl edit {plural} {name}{scope}               # watch the operator follow\n\
             \x20 kubectl delete {plural} {name}{scope}             # watch it go\n"
        ),
    };
    format!(
        "Three things to try, in another terminal (export KUBECONFIG={kubeconfig}):\n\
         {commands}\
         Ctrl-C ends the operator and its API server."
    )
}

/// Returns the dependent that is suggested for deletion: a ConfigMap, or else the first dependent.
fn dependent(component: &Value) -> Option<String> {
    let items = component.pointer("/status/inventory")?.as_array()?;
    let item = items.iter().find(|item| item["kind"] == "ConfigMap").or_else(|| items.first())?;
    let kind = item["kind"].as_str()?.to_lowercase();
    let group = item["group"].as_str().unwrap_or_default();
    let resource = if group.is_empty() { kind } else { format!("{kind}.{group}") };
    let scope = item["namespace"].as_str().map(|namespace| format!(" -n {namespace}")).unwrap_or_default();
    Some(format!("{resource} {}{scope}", item["name"].as_str()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn hints_name_the_sample_and_one_of_its_dependents() {
        let component = json!({
            "metadata": {"name": "demo", "namespace": "default"},
            "status": {"inventory": [
                {"group": "apps", "kind": "Deployment", "name": "demo", "namespace": "default"},
                {"group": "", "kind": "ConfigMap", "name": "demo", "namespace": "default"},
            ]},
        });
        let text = hints("/tmp/config", "podinfos", &component);
        assert!(text.contains("kubectl delete configmap demo -n default"), "{text}");
        assert!(text.contains("kubectl delete podinfos demo -n default"), "{text}");
        assert!(text.contains("KUBECONFIG=/tmp/config"), "{text}");
    }

    #[test]
    fn an_object_without_dependents_is_edited_instead() {
        let object = json!({"metadata": {"name": "demo", "namespace": "default"}, "status": {"conditions": []}});
        let text = hints("/tmp/config", "addressableservices", &object);
        assert!(text.contains("kubectl edit addressableservices demo -n default"), "{text}");
        assert_eq!(text.matches("kubectl delete").count(), 1, "{text}");
    }
}
