//! Names of types: one meaning in the whole workspace.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::texts;

/// The names of several types that mean the same thing, each with the reason why the types are not one.
const SHARED: &[(&str, &str)] = &[
    ("Clock", "a source of the time; the server knows nothing of the runtime, whose clock also sleeps and limits"),
    (
        "Verb",
        "a verb of the Kubernetes API; the client of the runtime knows only the seven of the eight verbs that it sends and counts",
    ),
];

/// Returns the name of the type that a line declares.
fn declared(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub(").and_then(|rest| rest.split_once(") ")) {
        Some((_, rest)) => rest,
        None => line.strip_prefix("pub ").unwrap_or(line),
    };
    let name = ["struct ", "enum ", "trait ", "union "].iter().find_map(|keyword| line.strip_prefix(keyword))?;
    let end = name.find(|letter: char| !letter.is_alphanumeric() && letter != '_').unwrap_or(name.len());
    // The name of a type that a macro declares is known where the macro is used.
    Some(&name[..end]).filter(|name| !name.is_empty())
}

#[test]
fn a_type_name_is_used_once_in_the_workspace() {
    let mut files: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in texts() {
        let is_source = text.path.starts_with("crates/") && text.path.contains("/src/") && text.is("rs");
        if !is_source || text.is_test() {
            continue;
        }
        for name in text.code().lines().filter_map(declared) {
            files.entry(name.to_owned()).or_default().insert(text.path.clone());
        }
    }
    assert!(files.len() > 1000, "the declarations are read");
    let shared: BTreeMap<&str, _> =
        files.iter().filter(|(_, files)| files.len() > 1).map(|(name, files)| (name.as_str(), files)).collect();
    println!("{} names of types, of which {} have several meanings", files.len(), shared.len());
    let new: Vec<_> = shared.iter().filter(|(name, _)| SHARED.iter().all(|(same, _)| same != *name)).collect();
    assert!(new.is_empty(), "these names belong to several types: {new:#?}");
    let stale: Vec<_> = SHARED.iter().filter(|(name, _)| !shared.contains_key(name)).collect();
    assert!(stale.is_empty(), "these names belong to one type by now: {stale:?}");
}

#[test]
fn a_shared_name_has_a_reason() {
    for (name, reason) in SHARED {
        assert!(reason.split_whitespace().count() >= 5, "{name}: {reason:?} tells no reason");
    }
}

#[test]
fn declarations_are_recognised_with_any_visibility() {
    let lines = [
        "pub struct A<T> {",
        "    pub(in crate::x) enum B {",
        "trait C: Send {",
        "pub(crate) struct D(u8);",
        "// struct E",
        "let struct_f = 1;",
    ];
    assert_eq!(lines.map(declared), [Some("A"), Some("B"), Some("C"), Some("D"), None, None]);
}
