//! The component and its target: `component`, `componentDigest`, `componentRevision`, `namespace`, `name`, `kubernetesVersion`, `apiResources`.

use std::any::Any;

use kubewright_template::{FunctionSet, GoMap, GoObject, GoValue, Signature};
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
        let lists = answer.as_deref().and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Ok(GoValue::list(lists.iter().filter_map(ResourceListObject::value_of)))
    });
}

/// The types of one `group/version` that a cluster serves. The fields have their names in JSON and in Go.
#[derive(Debug)]
struct ResourceListObject(GoMap);

impl ResourceListObject {
    /// Returns the list as a value; None if it is no object.
    fn value_of(list: &Value) -> Option<GoValue> {
        let GoValue::Map(fields) = GoValue::of_struct(list) else { return None };
        Some(GoValue::object(Self(fields)))
    }
}

impl GoObject for ResourceListObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "*v1.APIResourceList"
    }

    fn kind(&self) -> &'static str {
        "ptr"
    }

    fn field(&self, name: &str) -> Option<GoValue> {
        // Its name in JSON is another one than that in Go.
        let name = if name == "APIResources" { "resources" } else { name };
        match self.0.field(name) {
            GoValue::Nil => None,
            value => Some(value),
        }
    }

    fn field_names(&self) -> &[&'static str] {
        &["GroupVersion", "APIResources"]
    }

    fn encoded(&self) -> Option<GoValue> {
        Some(GoValue::Map(self.0.clone()))
    }

    fn maps(&self) -> Vec<GoMap> {
        vec![self.0.clone()]
    }
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
