//! Custom types in a spec: references at any place, and types with the names of settings.

use std::sync::Arc;

use kubewright::component::{Component, ReferenceKind};
use kubewright::prelude::*;

/// Custom types with the names of settings of the framework.
mod own {
    use super::*;

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    pub(super) struct Timeout {
        pub(super) connect: u32,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    pub(super) struct Target {
        pub(super) url: String,
    }

    #[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
    pub(super) struct Policies {
        pub(super) retries: u32,
    }
}

/// A setting under another name.
type Deadline = Timeout;

/// A spec that has them.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Own", namespaced, status = "ComponentStatus")]
pub(crate) struct OwnSpec {
    #[serde(default)]
    timeouts: own::Timeout,
    #[serde(default)]
    backend: own::Target,
    #[serde(default)]
    rules: own::Policies,
    #[serde(flatten)]
    deadline: Deadline,
    #[serde(default)]
    source: Source,
    #[serde(default)]
    list: Option<Vec<SecretRef>>,
    #[serde(default)]
    boxed: Option<Box<ConfigMapRef>>,
    #[serde(default)]
    pair: (String, Option<ConfigMapKeyRef>),
    #[serde(default)]
    both: Option<(SecretRef, ConfigMapRef)>,
    #[serde(default)]
    fixed: [Option<SecretKeyRef>; 2],
}

/// Where something comes from.
#[derive(HoldsReferences, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
enum Source {
    #[default]
    Nowhere,
    FromSecret(SecretRef),
    Files {
        one: ConfigMapRef,
        more: Wrapped,
    },
}

/// A list under another name.
#[derive(HoldsReferences, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Wrapped(Vec<ConfigMapRef>);

/// A type that is not part of an API, but of a program.
#[derive(HoldsReferences)]
struct Shared {
    maps: Arc<[ConfigMapRef]>,
    secret: Arc<SecretRef>,
}

fn paths(spec: Value) -> Vec<String> {
    let own = Own::new("demo", serde_json::from_value(spec).unwrap());
    own.references().all().iter().map(|reference| format!("{} = {}", reference.path.join("."), reference.target.name)).collect()
}

// REF-1, REF-9
#[test]
fn references_are_found_in_enums_tuples_arrays_boxes_and_lists() {
    let spec = json!({
        "source": { "files": { "one": { "name": "a" }, "more": [{ "name": "b" }, { "name": "c" }] } },
        "list": [{ "name": "d" }],
        "boxed": { "name": "e" },
        "pair": ["text", { "name": "f", "key": "k" }],
        "both": [{ "name": "g" }, { "name": "h" }],
        "fixed": [null, { "name": "i" }],
    });
    assert_eq!(
        paths(spec),
        [
            "source.files.one = a",
            "source.files.more.0 = b",
            "source.files.more.1 = c",
            "list.0 = d",
            "boxed = e",
            "pair.1 = f",
            "both.0 = g",
            "both.1 = h",
            "fixed.1 = i",
        ]
    );
    assert_eq!(paths(json!({ "source": { "fromSecret": { "name": "a" } } })), ["source.fromSecret = a"]);
    assert_eq!(paths(json!({})), Vec::<String>::new());
    assert_eq!(Own::reference_kinds().into_iter().collect::<Vec<_>>(), [ReferenceKind::ConfigMap, ReferenceKind::Secret]);
    let name = |name: &str| ConfigMapRef { name: name.to_owned() };
    let shared = Shared { maps: Arc::new([name("a"), name("b")]), secret: Arc::new(SecretRef { name: "c".to_owned() }) };
    let mut found = References::default();
    shared.refer(&mut found);
    let found: Vec<String> = found.all().iter().map(|reference| reference.path.join(".")).collect();
    assert_eq!(found, ["maps.0", "maps.1", "secret"]);
}

// COM-4
#[test]
fn types_that_are_called_like_settings_are_parameters_and_settings_with_another_name_are_settings() {
    let spec = json!({ "timeouts": { "connect": 3 }, "backend": { "url": "a" }, "rules": { "retries": 2 }, "timeout": "7m" });
    let own = Own::new("demo", serde_json::from_value(spec).unwrap());
    let settings = own.settings();
    assert_eq!(settings.timeout.map(|timeout| timeout.to_string()).as_deref(), Some("7m0s"));
    assert!(settings.kube_config.is_none());
    let parameters = own.parameters(&Resolved::default());
    assert_eq!((&parameters["timeouts"]["connect"], &parameters["rules"]["retries"]), (&json!(3), &json!(2)));
    assert_eq!((own.spec.timeouts.connect, own.spec.rules.retries, own.spec.backend.url.as_str()), (3, 2, "a"));
    assert!(Own::impersonates().is_empty());
    assert_eq!(crate::types::Bundle::impersonates(), ["serviceaccounts"]);
}
