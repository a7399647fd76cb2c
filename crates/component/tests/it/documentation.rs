//! The reference of the book names exactly the items that the code defines, and the other chapters omit none of them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use kubewright::component::ComponentState;
use kubewright::core::condition::{DELETION_BLOCKED, PAUSED, REQUIRES_UPDATE, SUCCEEDED, WAITING};
use kubewright::core::manifest::keys;
use kubewright::prelude::*;

use crate::world::World;

const REFERENCE: &str = include_str!("../../../../docs/src/reference/components.md");
const TROUBLES: &str = include_str!("../../../../docs/src/troubles.md");
const TESTING: &str = include_str!("../../../../docs/src/testing.md");
const HOOKS: &str = include_str!("../../../../docs/src/hooks.md");

/// A type with every setting there is.
#[derive(CustomResource, Component, Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[kube(group = "test.kubewright.dev", version = "v1", kind = "Documented", namespaced, status = "ComponentStatus")]
pub(crate) struct DocumentedSpec {
    #[serde(flatten)]
    placement: Placement,
    #[serde(flatten)]
    policies: Policies,
    #[serde(flatten)]
    requeue: Requeue,
    #[serde(flatten)]
    retry: Retry,
    #[serde(flatten)]
    timeout: Timeout,
    #[serde(flatten)]
    reapply: Reapply,
    #[serde(flatten)]
    managed: ManagedTypes,
    #[serde(flatten)]
    target: Target,
    #[serde(flatten)]
    impersonation: Impersonation,
    #[serde(default)]
    suspend: Suspend,
}

/// Returns the first column of the table below a heading of the reference.
fn documented(heading: &str) -> BTreeSet<String> {
    first_column(REFERENCE, heading)
}

/// Returns the first column of the table below a heading of a page.
fn first_column(page: &str, heading: &str) -> BTreeSet<String> {
    let section = page.split_once(&format!("# {heading}\n")).unwrap_or_else(|| panic!("no heading {heading}")).1;
    let table = section.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    table.filter_map(|line| Some(line.strip_prefix("| `")?.split_once('`')?.0.to_owned())).collect()
}

fn same(heading: &str, known: impl IntoIterator<Item = impl Into<String>>) {
    let known: BTreeSet<String> = known.into_iter().map(Into::into).collect();
    let documented = documented(heading);
    let missing: Vec<_> = known.difference(&documented).collect();
    let invented: Vec<_> = documented.difference(&known).collect();
    assert!(missing.is_empty() && invented.is_empty(), "{heading}: not documented {missing:?}; not in the code {invented:?}");
}

fn crate_folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}

/// Returns the code of a file, or of all files below a folder, without its tests.
fn code(path: &str) -> String {
    fn read(path: &Path, text: &mut String) {
        if path.is_dir() {
            for entry in std::fs::read_dir(path).unwrap() {
                read(&entry.unwrap().path(), text);
            }
        } else {
            let file = std::fs::read_to_string(path).unwrap();
            text.push_str(file.split("#[cfg(test)]").next().unwrap());
        }
    }
    let mut text = String::new();
    read(&crate_folder(path), &mut text);
    text
}

/// Returns the texts that are the first arguments in calls of these functions.
fn arguments(code: &str, functions: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for function in functions {
        for rest in code.split(&format!("{function}(\"")).skip(1) {
            found.extend(rest.split('"').next().map(str::to_owned));
        }
    }
    found
}

/// Returns all texts of the form `CamelCase`.
fn words(code: &str) -> BTreeSet<String> {
    let is_word = |text: &&str| {
        text.starts_with(|first: char| first.is_ascii_uppercase())
            && text.chars().all(|c| c.is_ascii_alphabetic())
            && text.contains(|c: char| c.is_ascii_lowercase())
    };
    code.split('"').skip(1).step_by(2).filter(is_word).map(str::to_owned).collect()
}

fn properties(schema: &Value) -> Vec<String> {
    schema["properties"].as_object().unwrap().keys().cloned().collect()
}

#[test]
fn annotations_are_documented() {
    same("Annotations on manifests", keys::ON_MANIFESTS);
    let marks = [keys::OWNER_ID, keys::DIGEST];
    same("Marks on dependents", marks);
    same("Annotations on components", keys::ON_COMPONENTS);
    let table = code("core/src/manifest/keys.rs");
    let declared: BTreeSet<&str> = table.split('"').skip(1).step_by(2).collect();
    assert_eq!(declared, [&keys::ON_MANIFESTS[..], &marks, &keys::ON_COMPONENTS].concat().into_iter().collect());
    let users = code("core/src/manifest") + &code("core/src/dependents") + &code("component/src");
    let constants = table.lines().filter_map(|line| line.strip_prefix("pub const ")?.split_once(": &str"));
    let unused: Vec<&str> = constants.map(|(name, _)| name).filter(|name| !users.contains(&format!("keys::{name}"))).collect();
    assert!(unused.is_empty(), "keys that no code reads: {unused:?}");
    // The empty key is the prefix of all.
    let literals: Vec<String> = arguments(&users, &["operator.key"]).into_iter().filter(|key| !key.is_empty()).collect();
    assert!(literals.is_empty(), "keys that are not in the table: {literals:?}");
}

#[test]
fn fields_are_documented() {
    use kube::CustomResourceExt as _;
    let crd = serde_json::to_value(Documented::crd()).unwrap();
    let schema = &crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"];
    same("Settings in the spec", properties(&schema["spec"]));
    same("Status", properties(&schema["status"]));
    same("Items of the inventory", properties(&schema["status"]["properties"]["inventory"]["items"]));
    let phases = &schema["status"]["properties"]["inventory"]["items"]["properties"]["phase"]["enum"];
    same("Phases", phases.as_array().unwrap().iter().filter_map(Value::as_str));
    let constants = [code("core/src/component"), code("core/src/condition/set.rs")].concat();
    let conditions = constants.split("pub const ").skip(1).filter(|rest| rest.contains(": &str = \""));
    let conditions = conditions.filter_map(|rest| Some(rest.split_once("&str = \"")?.1.split('"').next()?.to_owned()));
    // These conditions occur only in hand-written reconcilers.
    let others = [SUCCEEDED, DELETION_BLOCKED, PAUSED, REQUIRES_UPDATE, WAITING];
    same("Conditions", conditions.filter(|condition| !others.contains(&condition.as_str())));
    same("States", ComponentState::ALL.map(ComponentState::as_str));
}

#[test]
fn reasons_and_events_are_documented() {
    let mut reasons = words(&code("core/src/component/ready_condition.rs"));
    reasons.extend(words(&code("core/src/dependents/verdict.rs")));
    same("Reasons", reasons);
    let mut events = words(&code("component/src/events/sender.rs"));
    events.extend(words(&code("core/src/dependents/action.rs")));
    let reconciler = code("component/src/reconciler");
    events.extend(arguments(&reconciler, &["warn_of_the_end"]));
    events.extend(words(&reconciler).into_iter().filter(|word| reconciler.contains(&format!("object, \"{word}\""))));
    same("Events", events);
}

/// Returns the functions that begin with one of these words, in order.
fn functions<'a>(code: &'a str, begins: &'a str) -> impl Iterator<Item = &'a str> {
    code.split(begins).skip(1).filter_map(|rest| rest.split(['(', '<']).next())
}

#[test]
fn the_troubleshooting_page_explains_every_state_reason_condition_and_event() {
    // The reference is compared with the code by the tests above.
    for heading in ["States", "Reasons", "Conditions", "Events"] {
        let (known, explained) = (documented(heading), first_column(TROUBLES, heading));
        assert!(!known.is_empty(), "{heading}");
        let missing: Vec<_> = known.difference(&explained).collect();
        assert!(missing.is_empty(), "docs/src/troubles.md, {heading}: not explained {missing:?}");
    }
}

#[test]
fn every_expectation_is_in_the_chapter_on_testing() {
    let code = code("testing/src/expect.rs");
    let expectations: Vec<&str> = functions(&code, "    pub async fn ").chain(functions(&code, "    pub fn ")).collect();
    assert!(expectations.contains(&"ready") && expectations.contains(&"within"), "{expectations:?}");
    for expectation in expectations {
        assert!(
            TESTING.contains(&format!("{expectation}(")) || TESTING.contains(&format!("{expectation}::<")),
            "{expectation} is not documented"
        );
    }
}

#[test]
fn the_hooks_chapter_documents_every_hook_and_every_method_of_the_hook_context() {
    let (builder, context) = (code("component/src/operator/builder.rs"), code("component/src/hooks/context.rs"));
    let hooks: Vec<&str> =
        functions(&builder, "    pub fn ").filter(|name| name.starts_with("pre_") || name.starts_with("post_")).collect();
    assert_eq!(hooks.len(), 5, "{hooks:?}");
    for hook in hooks {
        assert!(HOOKS.contains(&format!("**`{hook}`**")), "{hook} is not documented");
    }
    for call in functions(&context, "    pub fn ") {
        assert!(HOOKS.contains(&format!("`{call}(")), "{call} is not documented");
    }
}

#[tokio::test]
async fn metrics_are_documented() {
    assert!(World::start().await.metrics().contains("kubewright_"));
    // A call may span several lines.
    let code = code("component/src/metrics") + &code("runtime/src/targets/metrics.rs");
    let joined = code.split_whitespace().collect::<Vec<_>>().join(" ").replace("( ", "(");
    let registered = arguments(&joined, &["register", "family", "encode_descriptor"]);
    same("Metrics", registered);
}
