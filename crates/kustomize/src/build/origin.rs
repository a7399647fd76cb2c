//! Annotations that say where an object comes from and what has changed it.

use std::fmt::Write as _;

use crate::resource::{BuildOrigin, BuildResource, Configuration};

const ORIGIN: &str = "config.kubernetes.io/origin";
const TRANSFORMATIONS: &str = "alpha.config.kubernetes.io/transformations";

/// Annotations that kustomize uses during a build and removes at its end.
const INTERNAL: [&str; 17] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
];

/// Sets the annotations of an object at the end of a build, and removes those that are for builds only. All annotations become texts.
pub(super) fn settle_annotations(resource: &mut BuildResource, with_origin: bool, with_transformations: bool) {
    let mut annotations = resource.metadata_texts("annotations");
    for name in
        INTERNAL.iter().chain(&["config.k8s.io/id", "internal.config.kubernetes.io/helm-generated", ORIGIN, TRANSFORMATIONS])
    {
        annotations.remove(*name);
    }
    if let (true, Some(origin)) = (with_origin, &resource.origin) {
        annotations.insert(ORIGIN.to_owned(), lines(origin, "", "").into());
    }
    if with_transformations && !resource.transformations.is_empty() {
        let items: String = resource.transformations.iter().map(|origin| lines(origin, "- ", "  ")).collect();
        annotations.insert(TRANSFORMATIONS.to_owned(), items.into());
    }
    resource.set_metadata_texts("annotations", annotations);
}

/// Returns an origin as YAML. `first` stands before the first line and `others` before each other one.
fn lines(origin: &BuildOrigin, first: &str, others: &str) -> String {
    let mut rows: Vec<String> = Vec::new();
    let mut row = |indent: &str, name: &str, value: &str| {
        if !value.is_empty() {
            rows.push(format!("{indent}{name}: {}", scalar(value)));
        }
    };
    row("", "path", &origin.path);
    row("", "configuredIn", &origin.configured_in);
    if let Some(Configuration { api_version, kind, name, namespace }) = &origin.configured_by {
        rows.push("configuredBy:".to_owned());
        let mut row = |name: &str, value: &str| {
            if !value.is_empty() {
                rows.push(format!("  {name}: {}", scalar(value)));
            }
        };
        row("apiVersion", api_version);
        row("kind", kind);
        row("name", name);
        row("namespace", namespace);
    }
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{}{row}", if index == 0 { first } else { others });
    }
    text
}

/// Returns a path or name as a scalar of YAML, quoted where it would be read as something else.
fn scalar(text: &str) -> String {
    kubewright_machinery::yaml::to_string(&text.into()).trim_end().to_owned()
}
