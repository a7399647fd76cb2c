//! The comparison of a live object with its manifest, regardless of the managers that wrote the fields (TAKE-2).

use kubewright_machinery::fieldset::{FieldSet, Path, PathElement, extract};
use kubewright_machinery::object::ObjectExt;
use kubewright_machinery::quantity::Quantity;
use serde_json::{Map, Value};

/// The differences between a manifest and a live object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ManifestDifference {
    /// The leaves of the manifest that the live object lacks or has with another value.
    pub(super) wanted: Vec<Path>,
    /// The leaves of the live object that our manager owns and that the manifest lacks.
    pub(super) owned: Vec<Path>,
    /// The leaves of ours whose live value is a map that the manifest leaves empty. Only the presence of these maps is ours.
    pub(super) empty_paths: Vec<Vec<String>>,
}

/// The fields whose values are quantities, for which a number and its text, or two spellings of a number, are equal.
const QUANTITIES: [&str; 8] = ["requests", "limits", "capacity", "hard", "sizeLimit", "allocatable", "overhead", "storage"];

/// Compares a manifest with a live object. `ours` are the fields that our manager owns; `marks` are the labels and annotations that the engine adds.
pub(super) fn compare(manifest: &Value, live: &Value, ours: &FieldSet, marks: &[String]) -> ManifestDifference {
    let mut walk = DifferenceWalk { path: Path::new(), found: Vec::new() };
    walk.children(manifest, live, ours, &|path, name| !is_of_server(path, name));
    let mut difference = ManifestDifference { wanted: walk.found, ..ManifestDifference::default() };
    for path in ours.leaves() {
        if is_of_engine(&path, marks) {
            continue;
        }
        let Some(value) = extract(live, &path).filter(|value| !is_empty(value)) else { continue };
        let wanted = find(manifest, &path);
        let is_field = matches!(path.last(), Some(PathElement::Field(_)));
        if is_field && value.is_object() && wanted.is_none_or(is_empty) {
            difference.empty_paths.push(path.keys());
        } else if wanted.is_none_or(|wanted| value.is_object() && has_more(value, wanted)) {
            difference.owned.push(path);
        }
    }
    difference
}

/// Returns true for fields of a manifest that do not count as wanted.
fn is_of_server(path: &Path, name: &str) -> bool {
    match path.len() {
        0 => name == "status",
        1 => matches!(&path[0], PathElement::Field(field) if &**field == "metadata") && name == "resourceVersion",
        _ => false,
    }
}

/// Returns true for marks and finalizers, which the engine handles in any case.
fn is_of_engine(path: &Path, marks: &[String]) -> bool {
    let field = |index: usize| match path.get(index) {
        Some(PathElement::Field(name)) => &**name,
        _ => "",
    };
    field(0) == "metadata"
        && match field(1) {
            "labels" | "annotations" => marks.iter().any(|mark| mark == field(2)),
            "finalizers" => true,
            _ => false,
        }
}

struct DifferenceWalk {
    path: Path,
    found: Vec<Path>,
}

impl DifferenceWalk {
    fn value(&mut self, wanted: &Value, live: Option<&Value>, ours: &FieldSet) {
        if is_empty(wanted) && (wanted.is_null() || wanted.is_object() || live.is_none_or(is_empty)) {
            return;
        }
        match (wanted, live) {
            (Value::Object(_), Some(live @ Value::Object(_))) => self.children(wanted, live, ours, &|_, _| true),
            (Value::Array(wanted), Some(Value::Array(live))) => self.list(wanted, live, ours),
            (wanted, Some(live)) if is_same(wanted, live, self.is_quantity()) => {}
            _ => self.found.push(self.path.clone()),
        }
    }

    fn children(&mut self, wanted: &Value, live: &Value, ours: &FieldSet, counts: &dyn Fn(&Path, &str) -> bool) {
        for (name, value) in wanted.as_object().into_iter().flatten() {
            if !counts(&self.path, name) {
                continue;
            }
            let element = PathElement::field(name.as_str());
            let below = ours.element(&element).map(|(_, below)| below.clone()).unwrap_or_default();
            self.step(element, value, live.get(name), &below);
        }
    }

    fn step(&mut self, element: PathElement, wanted: &Value, live: Option<&Value>, ours: &FieldSet) {
        self.path.push(element);
        self.value(wanted, live, ours);
        self.path.pop();
    }

    /// Compares a list. Entries are matched by the keys in our field set, else by position; members of a set by their values.
    fn list(&mut self, wanted: &[Value], live: &[Value], ours: &FieldSet) {
        let by_key = ours.elements().any(|(element, _, _)| matches!(element, PathElement::Key(_)));
        let by_value = ours.elements().any(|(element, _, _)| matches!(element, PathElement::Value(_)));
        if by_key {
            for (index, entry) in wanted.iter().enumerate() {
                let found = ours.elements().find_map(|(element, _, below)| {
                    let PathElement::Key(keys) = element else { return None };
                    let there =
                        matches_keys(entry, keys, true).then(|| live.iter().find(|live| matches_keys(live, keys, false)))?;
                    Some((element.clone(), there?, below.clone()))
                });
                match found {
                    Some((element, there, below)) => self.step(element, entry, Some(there), &below),
                    None => self.step(position(index), entry, None, &FieldSet::new()),
                }
            }
        } else if by_value {
            for (index, member) in wanted.iter().enumerate() {
                if !live.contains(member) {
                    self.step(position(index), member, None, &FieldSet::new());
                }
            }
        } else if wanted.len() == live.len() {
            for (index, (wanted, live)) in wanted.iter().zip(live).enumerate() {
                self.step(position(index), wanted, Some(live), &FieldSet::new());
            }
        } else {
            self.found.push(self.path.clone());
        }
    }

    fn is_quantity(&self) -> bool {
        self.path.iter().any(|element| matches!(element, PathElement::Field(name) if QUANTITIES.contains(&&**name)))
    }
}

fn position(index: usize) -> PathElement {
    PathElement::Index(i64::try_from(index).unwrap_or(i64::MAX))
}

/// Returns true for null and for the values that typed clients omit or send for unset fields.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.is_empty(),
        Value::Object(map) => map.is_empty(),
    }
}

fn is_same(wanted: &Value, live: &Value, quantity: bool) -> bool {
    if wanted == live {
        return true;
    }
    if let (Value::Number(wanted), Value::Number(live)) = (wanted, live) {
        return wanted.as_f64() == live.as_f64();
    }
    let parsed = |value: &Value| quantity.then(|| Quantity::from_value(value).ok()).flatten();
    matches!((parsed(wanted), parsed(live)), (Some(wanted), Some(live)) if wanted == live)
}

/// Returns true if an entry has these keys. With `may_lack`, keys may be missing, since a manifest may leave them to their defaults.
fn matches_keys(entry: &Value, keys: &[(String, Value)], may_lack: bool) -> bool {
    keys.iter().all(|(name, wanted)| match entry.get(name) {
        Some(found) => found == wanted,
        None => may_lack,
    })
}

/// Returns the value of the manifest at a path of the live object.
fn find<'a>(manifest: &'a Value, path: &[PathElement]) -> Option<&'a Value> {
    path.iter().try_fold(manifest, |value, element| match element {
        PathElement::Key(keys) => {
            let list = value.as_array()?;
            let exact = list.iter().find(|entry| matches_keys(entry, keys, false));
            exact.or_else(|| list.iter().find(|entry| matches_keys(entry, keys, true)))
        }
        element => extract(value, std::slice::from_ref(element)),
    })
}

/// Returns true if a live map that is ours as a whole contains a value that the manifest lacks.
fn has_more(live: &Value, wanted: &Value) -> bool {
    match (live, wanted) {
        (Value::Object(live), Value::Object(wanted)) => live.iter().any(|(name, live)| match wanted.get(name) {
            Some(wanted) => has_more(live, wanted),
            None => !is_empty(live),
        }),
        _ => false,
    }
}

/// Returns true if the answer to a dry run equals the live object, except for fields that every write changes and for labels and annotations that the
/// manifest lacks.
pub(super) fn is_unchanged(answer: &Value, live: &Value, manifest: &Value) -> bool {
    let reduced = |object: &Value| {
        let mut object = object.clone();
        let metadata = object.metadata_mut();
        for field in ["generation", "resourceVersion", "managedFields"] {
            metadata.remove(field);
        }
        for kind in ["labels", "annotations"] {
            let wanted = manifest.metadata().get(kind).and_then(Value::as_object);
            let is_wanted = |name: &str| wanted.is_some_and(|wanted| wanted.contains_key(name));
            if let Some(map) = metadata.get_mut(kind).and_then(Value::as_object_mut) {
                map.retain(|name, _| is_wanted(name));
                if map.is_empty() {
                    metadata.remove(kind);
                }
            }
        }
        object
    };
    reduced(answer) == reduced(live)
}

/// Returns the fields of a manifest that another manager changed, and the managers that own them now; each list has at most three entries.
pub(super) fn contested(manifest: &Value, live: &Value, own: &str) -> (Vec<String>, Vec<String>) {
    let entries = live.metadata().get("managedFields").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let parsed: Vec<(&str, FieldSet)> = entries
        .iter()
        .filter_map(|entry| Some((entry.get("manager")?.as_str()?, FieldSet::parse(entry.get("fieldsV1")?).ok()?)))
        .collect();
    let all = parsed.iter().fold(FieldSet::new(), |all, (_, fields)| all.union(fields));
    let mut walk = DifferenceWalk { path: Path::new(), found: Vec::new() };
    walk.children(manifest, live, &all, &|path, name| !is_of_server(path, name));
    let mut managers: Vec<String> = Vec::new();
    for path in &walk.found {
        for (manager, fields) in parsed.iter().filter(|(manager, _)| *manager != own) {
            let owns = (1..=path.len()).any(|length| fields.has(&path[..length]) && fields.below(&path[..length]).is_empty());
            if owns && managers.len() < SHOWN && !managers.iter().any(|known| known == manager) {
                managers.push((*manager).to_owned());
            }
        }
    }
    (walk.found.iter().take(SHOWN).map(ToString::to_string).collect(), managers)
}

/// The number of fields and managers that are named.
const SHOWN: usize = 3;

/// Returns the object that a repair sends with PUT: the live object with the values of the manifest. Its lists are those of the manifest (DRIFT-8).
pub(super) fn repaired(live: &Value, manifest: &Value) -> Value {
    let mut body = live.clone();
    overlay(body.as_object_mut(), manifest.as_object());
    body.metadata_mut().remove("managedFields");
    body
}

fn overlay(live: Option<&mut Map<String, Value>>, wanted: Option<&Map<String, Value>>) {
    let (Some(live), Some(wanted)) = (live, wanted) else { return };
    for (name, wanted) in wanted {
        match (live.get_mut(name), wanted) {
            (Some(Value::Object(live)), Value::Object(wanted)) => overlay(Some(live), Some(wanted)),
            (_, Value::Null) => {}
            _ => {
                live.insert(name.clone(), wanted.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compared(manifest: &Value, live: &Value, ours: Value) -> ManifestDifference {
        compare(manifest, live, &FieldSet::parse(&ours).unwrap(), &["op/owner".to_owned()])
    }

    fn shown(paths: &[Path]) -> Vec<String> {
        paths.iter().map(ToString::to_string).collect()
    }

    // TAKE-2
    #[test]
    fn spellings_defaults_and_empty_values_are_no_difference() {
        let manifest = json!({
            "metadata": { "name": "d", "creationTimestamp": null, "labels": {} },
            "spec": {
                "replicas": 1.0, "paused": false, "strategy": {},
                "containers": [{ "name": "c", "ports": [{ "containerPort": 80 }], "resources": { "limits": { "cpu": "1000m" } } }],
            },
            "status": { "ignored": true },
        });
        let live = json!({
            "metadata": { "name": "d", "uid": "u", "labels": { "op/owner": "x" } },
            "spec": {
                "replicas": 1, "strategy": { "type": "RollingUpdate" },
                "containers": [
                    { "name": "sidecar" },
                    { "name": "c", "image": "", "ports": [{ "containerPort": 80, "protocol": "TCP" }], "resources": { "limits": { "cpu": "1" } } },
                ],
            },
        });
        let ours = json!({
            "f:metadata": { "f:labels": { "f:op/owner": {} } },
            "f:spec": { "f:replicas": {}, "f:strategy": {}, "f:containers": { "k:{\"name\":\"c\"}": {
                ".": {}, "f:name": {}, "f:image": {},
                "f:ports": { "k:{\"containerPort\":80,\"protocol\":\"TCP\"}": { ".": {}, "f:containerPort": {} } },
                "f:resources": { "f:limits": { "f:cpu": {} } },
            } } },
        });
        let difference = compared(&manifest, &live, ours);
        assert!(
            difference.wanted.is_empty() && difference.owned.is_empty(),
            "{:?} {:?}",
            shown(&difference.wanted),
            shown(&difference.owned)
        );
        assert_eq!(difference.empty_paths, [["f:spec", "f:strategy"]]);
    }

    // TAKE-2
    #[test]
    fn other_values_missing_ones_and_fields_that_left_the_manifest_differ() {
        let manifest = json!({ "data": { "a": "1", "b": "2" }, "list": [1, 2], "keyed": [{ "name": "x" }, { "name": "new" }] });
        let live = json!({ "data": { "a": "1000m", "c": "3" }, "list": [1], "keyed": [{ "name": "x" }, { "name": "old" }] });
        let ours = json!({
            "f:data": { "f:a": {}, "f:c": {} }, "f:list": {},
            "f:keyed": { "k:{\"name\":\"x\"}": { "f:name": {} }, "k:{\"name\":\"old\"}": { "f:name": {} } },
        });
        let difference = compared(&manifest, &live, ours);
        assert_eq!(shown(&difference.wanted), [".data.a", ".data.b", ".keyed[1]", ".list"]);
        assert_eq!(shown(&difference.owned), [".data.c", ".keyed[name=\"old\"].name"]);
    }

    #[test]
    fn a_dry_run_may_change_versions_and_unwanted_labels_only() {
        let manifest = json!({ "metadata": { "name": "a", "labels": { "mine": "x" } } });
        let live =
            json!({ "metadata": { "name": "a", "generation": 1, "labels": { "mine": "x", "old": "y" } }, "data": { "a": "b" } });
        let answer = json!({ "metadata": { "name": "a", "generation": 2, "labels": { "mine": "x" } }, "data": { "a": "b" } });
        assert!(is_unchanged(&answer, &live, &manifest));
        assert!(!is_unchanged(&json!({ "metadata": { "name": "a" }, "data": { "a": "c" } }), &live, &manifest));
    }

    // DRIFT-5
    #[test]
    fn contested_fields_are_found_with_their_field_managers() {
        let manifest = json!({ "data": { "a": "1", "b": "2" } });
        let live = json!({
            "metadata": { "managedFields": [
                { "manager": "op", "fieldsV1": { "f:data": { "f:a": {} } } },
                { "manager": "fighter", "fieldsV1": { "f:data": { "f:b": {} } } },
                { "manager": "bystander", "fieldsV1": { "f:data": { "f:c": {} } } },
            ] },
            "data": { "a": "1", "b": "9", "c": "3" },
        });
        let (fields, managers) = contested(&manifest, &live, "op");
        assert_eq!((fields, managers), (vec![".data.b".to_owned()], vec!["fighter".to_owned()]));
    }

    // DRIFT-8
    #[test]
    fn a_repair_keeps_fields_of_other_writers_and_takes_lists_from_the_manifest() {
        let live = json!({ "metadata": { "labels": { "x": "y" }, "managedFields": [] }, "spec": { "ports": [{ "port": 81 }], "ip": "1" } });
        let manifest = json!({ "metadata": { "name": "s" }, "spec": { "ports": [{ "port": 80 }] } });
        assert_eq!(
            repaired(&live, &manifest),
            json!({ "metadata": { "name": "s", "labels": { "x": "y" } }, "spec": { "ports": [{ "port": 80 }], "ip": "1" } })
        );
    }
}
