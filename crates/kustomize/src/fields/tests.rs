use serde_json::{Value, json};

use super::*;

fn set(object: &mut Value, path: &str, create: bool, created: Created) -> Result<(), String> {
    let mut spec = FieldSpec::everywhere(path);
    spec.create = create;
    change(object, &spec, created, &mut |value| {
        *value = json!("set");
        Ok(())
    })
    .map_err(|problem| problem.0)
}

#[test]
fn fields_are_found_through_lists() {
    let mut object = json!({"spec": {"containers": [{"image": "a"}, {"image": "b"}, {}]}});
    set(&mut object, "spec/containers/image", false, Created::Scalar).unwrap();
    assert_eq!(object, json!({"spec": {"containers": [{"image": "set"}, {"image": "set"}, {}]}}));
}

#[test]
fn absent_fields_are_created_on_request_except_lists() {
    let mut object = json!({"spec": null});
    set(&mut object, "spec/a/b", true, Created::Scalar).unwrap();
    assert_eq!(object, json!({"spec": {"a": {"b": "set"}}}));
    let mut object = json!({});
    set(&mut object, "spec/list[]/b", true, Created::Scalar).unwrap();
    assert_eq!(object, json!({"spec": {}}));
    set(&mut object, "spec/c", true, Created::Nothing).unwrap();
    assert_eq!(object, json!({"spec": {}}));
}

#[test]
fn a_field_below_a_scalar_is_an_error() {
    let problem = set(&mut json!({"spec": "x"}), "spec/a", false, Created::Scalar).unwrap_err();
    assert_eq!(problem, "considering field 'spec/a': expected sequence or mapping node, found string");
}

#[test]
fn delimiters_in_paths_can_be_escaped() {
    assert_eq!(split_path(r"metadata/annotations/a\/b", '/'), ["metadata", "annotations", "a/b"]);
    assert_eq!(split_path("/a/b", '/'), ["a", "b"]);
    assert_eq!(split_path("", '/'), [""]);
}
