//! The component and its target: `component`, `componentDigest`, `componentRevision`, `namespace`, `name`, `kubernetesVersion`, `apiResources`.

use std::any::Any;
use std::collections::BTreeMap;

use kubewright_template::{FunctionSet, GoObject, GoValue, Signature};
use serde_json::{Value, json};

use super::host_of::host_of;
use crate::environment::Question;

const NOTHING: Signature = Signature::of(&[]);

/// The version while it is not known. The output of such a run is not used.
const UNKNOWN_VERSION: &str = "v0.0.0";

/// Adds the functions.
pub(super) fn add_component(functions: &mut FunctionSet) {
    functions.add("component", NOTHING, |call| Ok(GoValue::of_struct(host_of(call)?.component())));
    functions.add("componentDigest", NOTHING, |call| Ok(host_of(call)?.inputs().digest.as_str().into()));
    functions.add("componentRevision", NOTHING, |call| Ok(GoValue::int64(host_of(call)?.inputs().revision)));
    functions.add("namespace", NOTHING, |call| Ok(host_of(call)?.inputs().namespace.as_str().into()));
    functions.add("name", NOTHING, |call| Ok(host_of(call)?.inputs().name.as_str().into()));
    functions.add("kubernetesVersion", NOTHING, |call| {
        let answer = host_of(call)?.answers().ask(Question::Version);
        let document = answer.map_or_else(|| json!({ "gitVersion": UNKNOWN_VERSION }), |answer| (*answer).clone());
        Ok(GoValue::object(ServerVersionObject(document)))
    });
    functions.add("apiResources", NOTHING, |call| {
        let answer = host_of(call)?.answers().ask(Question::ServedTypes);
        Ok(GoValue::of_struct(&answer.map_or_else(|| json!([]), |types| resource_lists(&types))))
    });
}

/// Returns one list per `group/version` that a cluster serves, sorted, with its kinds, sorted.
fn resource_lists(types: &Value) -> Value {
    let mut lists: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for served in types.as_array().into_iter().flatten().filter_map(Value::as_str) {
        // A version begins with a small letter and a kind does not, which tells `v1/Pod` from `apps/v1`.
        match served.rsplit_once('/') {
            Some((group_version, kind)) if kind.starts_with(|first: char| first.is_ascii_uppercase()) => {
                let (group, version) = group_version.split_once('/').unwrap_or(("", group_version));
                let resource = json!({ "group": group, "version": version, "kind": kind });
                lists.entry(group_version).or_default().push(resource);
            }
            _ => {
                lists.entry(served).or_default();
            }
        }
    }
    let list = |(group_version, resources): (&str, Vec<Value>)| json!({ "groupVersion": group_version, "resources": resources });
    lists.into_iter().map(list).collect()
}

/// The version document of a server. It prints as its git version; the fields have their names in JSON and in Go.
#[derive(Debug)]
struct ServerVersionObject(Value);

impl ServerVersionObject {
    fn git_version(&self) -> &str {
        self.0["gitVersion"].as_str().unwrap_or_default()
    }
}

impl GoObject for ServerVersionObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "*version.Info"
    }

    fn kind(&self) -> &'static str {
        "ptr"
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        let GoValue::Map(document) = GoValue::of_struct(&self.0) else { return None };
        match document.field(name) {
            GoValue::Nil => None,
            value => Some(value),
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["Major", "Minor", "GitVersion"]
    }

    fn method(&self, name: &str) -> Option<Signature> {
        (name == "String").then_some(NOTHING)
    }

    fn call(&self, _: &str, _: &[GoValue]) -> Result<GoValue, kubewright_template::FunctionError> {
        Ok(self.git_version().into())
    }

    fn text(&self) -> Option<String> {
        Some(self.git_version().to_owned())
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoValue::from(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resources_are_listed_by_group_and_version() {
        let types = json!(["apps/v1", "apps/v1/DaemonSet", "apps/v1/Deployment", "v1", "v1/Pod"]);
        let expected = json!([
            { "groupVersion": "apps/v1", "resources": [
                { "group": "apps", "version": "v1", "kind": "DaemonSet" },
                { "group": "apps", "version": "v1", "kind": "Deployment" },
            ] },
            { "groupVersion": "v1", "resources": [{ "group": "", "version": "v1", "kind": "Pod" }] },
        ]);
        assert_eq!(resource_lists(&types), expected);
    }
}
