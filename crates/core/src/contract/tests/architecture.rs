use kubewright_machinery::object::ObjectExt as _;
use serde_json::{Value, json};

use super::*;

const LABEL: &str = "architecture.openmcp.cloud/version";

fn put(architecture: Architecture, owner: &Value, component: &mut Value) -> Result<Option<String>, InvalidArchitecture> {
    architecture.put(component, owner, SERVER, &Format::openmcp())?;
    Ok(component.label(LABEL).map(str::to_owned))
}

fn owner(chosen: &str) -> Value {
    json!({ "metadata": { "labels": { format!("server.{LABEL}"): chosen } } })
}

// 13.13
#[test]
fn a_component_has_the_architecture_that_its_owner_chooses_once_and_for_all() {
    let (default, fixed) = (Architecture::default(), Architecture { version: ArchitectureVersion::V2, may_be_overridden: false });
    let none = json!({ "metadata": {} });
    assert_eq!(put(default, &none, &mut json!({})), Ok(Some("v1".to_owned())));
    assert_eq!(put(fixed, &none, &mut json!({})), Ok(Some("v2".to_owned())));
    assert_eq!(put(default, &owner("v2"), &mut json!({})), Ok(Some("v2".to_owned())));
    let mut live = json!({ "metadata": { "labels": { LABEL: "v1" } } });
    assert_eq!(put(default, &owner("v2"), &mut live), Ok(Some("v1".to_owned())), "it is immutable");
}

// 13.13
#[test]
fn an_unknown_or_forbidden_architecture_is_an_error_that_names_the_allowed_ones() {
    let fixed = Architecture { version: ArchitectureVersion::V1, may_be_overridden: false };
    let unknown = put(Architecture::default(), &owner("v3"), &mut json!({})).unwrap_err();
    let text = "label server.architecture.openmcp.cloud/version has the value \"v3\"; allowed: v1, v2";
    assert_eq!(unknown.to_string(), text);
    let forbidden = put(fixed, &owner("v2"), &mut json!({})).unwrap_err();
    assert!(forbidden.to_string().ends_with("allowed: v1"), "{forbidden}");
}

// PRE-1
#[test]
fn other_formats_have_no_architecture() {
    let mut component = json!({});
    Architecture::default().put(&mut component, &json!({}), SERVER, &format()).unwrap();
    assert_eq!(component, json!({}));
}
