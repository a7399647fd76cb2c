//! The operations on a kind.

use serde_json::{Map, Value, json};

use crate::kinds::{KindSpec, Subresource, Verb};

use super::schemas;

const WRITE: &[(&str, &str)] = &[("dryRun", "string"), ("fieldManager", "string"), ("fieldValidation", "string")];
const FORCE: &[(&str, &str)] = &[("force", "boolean")];
const DELETE: &[(&str, &str)] = &[
    ("dryRun", "string"),
    ("gracePeriodSeconds", "integer"),
    ("ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"),
    ("orphanDependents", "boolean"),
    ("propagationPolicy", "string"),
];
const SELECT: &[(&str, &str)] = &[
    ("continue", "string"),
    ("fieldSelector", "string"),
    ("labelSelector", "string"),
    ("limit", "integer"),
    ("resourceVersion", "string"),
    ("resourceVersionMatch", "string"),
    ("sendInitialEvents", "boolean"),
    ("timeoutSeconds", "integer"),
];
const WATCH: &[(&str, &str)] = &[("allowWatchBookmarks", "boolean"), ("watch", "boolean")];

/// Adds the paths of a kind below `root`, such as `apis/apps/v1`.
pub(super) fn add(paths: &mut Map<String, Value>, root: &str, kind: &KindSpec) {
    let everywhere = format!("/{root}/{}", kind.plural);
    let collection =
        if kind.is_namespaced() { format!("/{root}/namespaces/{{namespace}}/{}", kind.plural) } else { everywhere.clone() };
    if kind.is_namespaced() && kind.allows(Verb::List) {
        let mut item = Map::new();
        item.insert("get".to_owned(), list(kind));
        paths.insert(everywhere, finished(item, &[]));
    }
    let names: &[&str] = if kind.is_namespaced() { &["name", "namespace"] } else { &["name"] };

    let mut item = Map::new();
    if kind.allows(Verb::List) {
        item.insert("get".to_owned(), list(kind));
    }
    if kind.allows(Verb::Create) {
        item.insert("post".to_owned(), operation(kind, "post", &[WRITE], Body::Object));
    }
    if kind.allows(Verb::DeleteCollection) {
        item.insert("delete".to_owned(), operation(kind, "deletecollection", &[DELETE, SELECT], Body::DeleteOptions));
    }
    paths.insert(collection.clone(), finished(item, &names[1..]));

    let mut item = Map::new();
    for (verb, method, action, parameters, body) in [
        (Verb::Get, "get", "get", &[] as &[_], Body::None),
        (Verb::Update, "put", "put", &[WRITE], Body::Object),
        (Verb::Patch, "patch", "patch", &[WRITE, FORCE], Body::Patch),
        (Verb::Delete, "delete", "delete", &[DELETE], Body::DeleteOptions),
    ] {
        if kind.allows(verb) {
            item.insert(method.to_owned(), operation(kind, action, parameters, body));
        }
    }
    if !item.is_empty() {
        paths.insert(format!("{collection}/{{name}}"), finished(item, names));
    }
    for subresource in &kind.subresources {
        paths
            .insert(format!("{collection}/{{name}}/{}", subresource.name), finished(self::subresource(kind, subresource), names));
    }
}

fn subresource(parent: &KindSpec, subresource: &Subresource) -> Map<String, Value> {
    let kind = (subresource.group.as_str(), subresource.version.as_str(), subresource.kind.as_str());
    let schema = if kind == (&*parent.group, &*parent.version, &*parent.kind) {
        schemas::name_of(parent)
    } else {
        schemas::builtin_name(kind)
    };
    let mut item = Map::new();
    for verb in subresource.verbs.iter() {
        let (method, parameters, body): (_, &[_], _) = match verb {
            Verb::Get => ("get", &[], Body::None),
            Verb::Create => ("post", &[WRITE], Body::Object),
            Verb::Update => ("put", &[WRITE], Body::Object),
            Verb::Patch => ("patch", &[WRITE, FORCE], Body::Patch),
            Verb::Delete => ("delete", &[DELETE], Body::DeleteOptions),
            Verb::List | Verb::Watch | Verb::DeleteCollection => continue,
        };
        item.insert(method.to_owned(), described(kind, schema.as_deref(), method, parameters, body, !parent.is_custom()));
    }
    item
}

#[derive(Clone, Copy)]
enum Body {
    None,
    Object,
    Patch,
    DeleteOptions,
}

fn list(kind: &KindSpec) -> Value {
    let schema = schemas::list_name_of(kind);
    let identity = (kind.group.as_str(), kind.version.as_str(), kind.kind.as_str());
    described(identity, schema.as_deref(), "list", &[SELECT, WATCH], Body::None, !kind.is_custom())
}

fn operation(kind: &KindSpec, action: &str, parameters: &[&[(&str, &str)]], body: Body) -> Value {
    let schema = schemas::name_of(kind);
    let identity = (kind.group.as_str(), kind.version.as_str(), kind.kind.as_str());
    described(identity, schema.as_deref(), action, parameters, body, !kind.is_custom())
}

fn described(
    (group, version, kind): (&str, &str, &str),
    schema: Option<&str>,
    action: &str,
    parameters: &[&[(&str, &str)]],
    body: Body,
    builtin: bool,
) -> Value {
    let content = |schema: Option<&str>| schema.map_or_else(|| json!({}), |name| json!({"schema": schemas::reference(name)}));
    let responses = json!({"200": {"description": "OK", "content": {"application/json": content(schema), "application/yaml": content(schema)}}});
    let mut operation = json!({
        "responses": responses,
        "x-kubernetes-action": action,
        "x-kubernetes-group-version-kind": {"group": group, "version": version, "kind": kind},
    });
    let parameters: Vec<_> =
        parameters.iter().flat_map(|set| set.iter()).map(|(name, type_)| parameter(name, "query", type_)).collect();
    let body = match body {
        Body::None => None,
        Body::Object => Some(json!({"required": true, "content": {"*/*": content(schema)}})),
        Body::DeleteOptions => Some(json!({"content": {"*/*": content(Some(schemas::DELETE_OPTIONS))}})),
        Body::Patch => {
            let mut types = vec!["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];
            types.extend(builtin.then_some("application/strategic-merge-patch+json"));
            let types: Map<_, _> = types.into_iter().map(|name| (name.to_owned(), content(Some(schemas::PATCH)))).collect();
            Some(json!({"required": true, "content": types}))
        }
    };
    if !parameters.is_empty() {
        operation["parameters"] = parameters.into();
    }
    if let Some(body) = body {
        operation["requestBody"] = body;
    }
    operation
}

/// A path with the parameters that all its operations take.
fn finished(mut item: Map<String, Value>, names: &[&str]) -> Value {
    let mut parameters: Vec<_> = names.iter().map(|name| parameter(name, "path", "string")).collect();
    parameters.push(parameter("pretty", "query", "string"));
    item.insert("parameters".to_owned(), parameters.into());
    Value::Object(item)
}

fn parameter(name: &str, place: &str, type_: &str) -> Value {
    let mut parameter = json!({"name": name, "in": place, "schema": {"type": type_, "uniqueItems": true}});
    if place == "path" {
        parameter["required"] = true.into();
    }
    parameter
}
