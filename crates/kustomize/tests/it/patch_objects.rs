//! Patches and changes of images without a kustomization.

use kubewright_kustomize::{BuildLimits, ImageChange, KustomizeError, ObjectPatch, ObjectPatches, PatchTarget};
use serde_json::{Value, json};

fn map(name: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": name }, "data": { "k": "v" } })
}

fn pod(image: &str) -> Value {
    json!({ "apiVersion": "v1", "kind": "Pod", "metadata": { "name": "p", "labels": { "app": "web" } }, "spec": { "containers": [{ "name": "c", "image": image }] } })
}

fn patch(patch: &str) -> ObjectPatch {
    ObjectPatch { patch: patch.to_owned(), target: None }
}

fn targeted(target: PatchTarget, text: &str) -> ObjectPatch {
    ObjectPatch { target: Some(target), ..patch(text) }
}

fn applied(objects: &[Value], patches: &[ObjectPatch]) -> Result<Vec<Option<Value>>, KustomizeError> {
    ObjectPatches::new(patches, &[])?.apply(objects.to_vec(), BuildLimits::default())
}

fn failure(objects: &[Value], patches: &[ObjectPatch]) -> String {
    applied(objects, patches).unwrap_err().to_string()
}

#[test]
fn patches_are_applied_in_their_order() {
    let patches = [
        patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: n}, data: {k: '1', x: '1'}}"),
        targeted(
            PatchTarget { name: "n|o".to_owned(), ..PatchTarget::default() },
            "[{op: test, path: /data/k, value: '1'}, {op: remove, path: /data/k}]",
        ),
    ];
    let objects = applied(&[map("m"), map("n")], &patches).unwrap();
    assert_eq!(objects[0].as_ref().unwrap()["data"], json!({"k": "v"}));
    assert_eq!(objects[1].as_ref().unwrap()["data"], json!({"x": "1"}));
}

#[test]
fn targets_select_by_kind_and_labels() {
    let target = PatchTarget { kind: "Pod".to_owned(), label_selector: "app=web".to_owned(), ..PatchTarget::default() };
    let change = "{apiVersion: v1, kind: Pod, metadata: {name: any}, spec: {containers: [{name: c, tty: true}]}}";
    let objects = applied(&[map("p"), pod("nginx")], &[targeted(target, change)]).unwrap();
    assert_eq!(objects[0], Some(map("p")));
    let expected = json!([{ "name": "c", "image": "nginx", "tty": true }]);
    assert_eq!(objects[1].as_ref().unwrap()["spec"]["containers"], expected);
}

#[test]
fn a_deleted_object_is_none_and_the_others_keep_their_places() {
    let delete = patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: n}, $patch: delete}");
    let objects = applied(&[map("m"), map("n"), map("o")], &[delete]).unwrap();
    assert_eq!(objects, [Some(map("m")), None, Some(map("o"))]);
}

#[test]
fn an_object_may_be_twice_in_the_list() {
    let patches = [
        patch(
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: n}, data: {x: y}}\n---\n{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {x: z}}",
        ),
        targeted(PatchTarget { name: "n".to_owned(), ..PatchTarget::default() }, "[{op: remove, path: /data/k}]"),
    ];
    let objects = applied(&[map("n"), map("m"), map("n")], &patches).unwrap();
    let data: Vec<&Value> = objects.iter().map(|object| &object.as_ref().unwrap()["data"]).collect();
    assert_eq!(data, [&json!({"x": "y"}), &json!({"k": "v", "x": "z"}), &json!({"x": "y"})]);
}

#[test]
fn images_get_names_tags_and_digests() {
    let change = |new_name: &str, new_tag: &str, digest: &str| ImageChange {
        name: "docker.io/nginx".to_owned(),
        new_name: new_name.to_owned(),
        new_tag: new_tag.to_owned(),
        digest: digest.to_owned(),
    };
    for (change, expected) in [
        (change("", "2", ""), "docker.io/nginx:2"),
        (change("mirror/nginx", "", ""), "mirror/nginx:1"),
        (change("", "", "sha256:ab"), "docker.io/nginx@sha256:ab"),
    ] {
        let patches = ObjectPatches::new(&[], &[change]).unwrap();
        let objects = patches.apply(vec![pod("docker.io/nginx:1"), pod("other:1")], BuildLimits::default()).unwrap();
        let image = |index: usize| objects[index].as_ref().unwrap()["spec"]["containers"][0]["image"].clone();
        assert_eq!((image(0), image(1)), (json!(expected), json!("other:1")));
    }
}

#[test]
fn errors_name_the_entry_and_show_no_patch() {
    let unknown = patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}");
    let message = failure(&[map("m")], &[patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: m}}"), unknown]);
    assert!(message.starts_with("patches[1]: no resource matches strategic merge patch"), "{message}");
    let message = failure(&[], &[patch("[{op: add, path: /data/password, value: hunter2}]")]);
    assert_eq!(message, "patches[0]: must specify a target for JSON patch [path: \"patches[0]\"]");
    let message = failure(&[], &[patch("hunter2")]);
    assert!(message.starts_with("patches[0]: unable to parse SM or JSON patch") && !message.contains("hunter2"), "{message}");
    assert_eq!(failure(&[], &[patch(" ")]), "patches[0]: patch is empty");
    let target = PatchTarget { name: "(".to_owned(), ..PatchTarget::default() };
    assert!(failure(&[], &[targeted(target, "[{op: remove, path: /a}]")]).contains("is not a regular expression"));
    let error = ObjectPatches::new(&[], &[ImageChange::default()]).unwrap_err();
    assert_eq!(error.to_string(), "images[0]: name is missing; it is the present name of the image");
}

#[test]
fn number_and_size_of_objects_are_limited() {
    let patches =
        ObjectPatches::new(&[patch("{apiVersion: v1, kind: ConfigMap, metadata: {name: m}, data: {x: y}}")], &[]).unwrap();
    let limited = |limits| patches.apply(vec![map("m"), map("n")], limits).unwrap_err().to_string();
    let limits = BuildLimits { objects: 1, ..BuildLimits::default() };
    assert_eq!(limited(limits), "2 objects are more than the limit of 1; raise BuildLimits::objects");
    let limits = BuildLimits { bytes: 100, ..BuildLimits::default() };
    assert_eq!(limited(limits), "the objects are larger than 100 bytes in total; raise BuildLimits::bytes");
}
