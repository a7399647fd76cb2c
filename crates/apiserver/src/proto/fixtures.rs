//! The round-trip fixtures of the Go module `k8s.io/api`, read where the Go toolchain keeps them (PB-8).

use std::path::{Path, PathBuf};

use kubewright_machinery::object::{GroupVersionKind, ObjectExt as _};
use serde_json::Value;

use super::{decode, encode};
use crate::forms::Definitions;

/// Returns the folders of the fixtures that are in the module cache.
fn folders() -> Vec<PathBuf> {
    let cache = std::env::var_os("GOMODCACHE")
        .map(PathBuf::from)
        .or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join("go/pkg/mod")));
    let modules = cache.map(|cache| cache.join("k8s.io")).unwrap_or_default();
    ["api@v0.36.2/testdata/HEAD", "apiextensions-apiserver@v0.36.2/pkg/apis/testdata/HEAD"]
        .iter()
        .map(|folder| modules.join(folder))
        .filter(|folder| folder.is_dir())
        .collect()
}

fn fixture(json: &Path) -> Option<(Value, Vec<u8>)> {
    let object: Value = serde_json::from_slice(&std::fs::read(json).ok()?).ok()?;
    Definitions::embedded().name_of(&object.gvk()?)?;
    Some((object, std::fs::read(json.with_extension("pb")).ok()?))
}

// PB-8
#[test]
fn messages_of_all_kinds_read_as_their_json() {
    let folders = folders();
    if folders.is_empty() {
        eprintln!("skipped: the Go module k8s.io/api v0.36.2 is not in the module cache");
        return;
    }
    let (mut seen, mut wrong) = (0, Vec::new());
    for path in folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path()) {
        let Some((object, body)) = fixture(&path).filter(|_| path.extension().is_some_and(|suffix| suffix == "json")) else {
            continue;
        };
        seen += 1;
        let read = decode(&body, &GroupVersionKind::default()).unwrap();
        if read != object {
            wrong.push(format!("{}: {}", path.display(), difference(&read, &object, "")));
        }
        let again = decode(&encode(&object).unwrap(), &GroupVersionKind::default()).unwrap();
        if again != object {
            wrong.push(format!("{} printed: {}", path.display(), difference(&again, &object, "")));
        }
    }
    assert!(wrong.is_empty(), "{} of {seen}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(seen > 70, "only {seen} fixtures");
}

/// Returns the path and values of the first difference between two values.
fn difference(found: &Value, wanted: &Value, path: &str) -> String {
    match (found, wanted) {
        (Value::Object(one), Value::Object(other)) => {
            let fields: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
            for field in fields {
                let (found, wanted) = (one.get(field), other.get(field));
                if found != wanted {
                    let path = format!("{path}.{field}");
                    return difference(found.unwrap_or(&Value::Null), wanted.unwrap_or(&Value::Null), &path);
                }
            }
            String::new()
        }
        (Value::Array(one), Value::Array(other)) if one.len() == other.len() => {
            let differs = one.iter().zip(other).position(|(one, other)| one != other).unwrap_or_default();
            difference(&one[differs], &other[differs], &format!("{path}[{differs}]"))
        }
        _ => format!("{path}: found {found}, wanted {wanted}"),
    }
}
