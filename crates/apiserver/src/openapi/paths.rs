//! The paths of a kind and the operations on them.

use kubewright_middleware::Verb;
use serde_json::{Map, Value, json};

use super::names;
use super::operation::{
    Body, DELETE, DELETE_COLLECTION, GET_CUSTOM, KindOperation, LIST, LOG, OperationProfile, PATCH, Parameter, WRITE, parameter,
};
use super::schemas::{self, STATUS, WATCH_EVENT};
use crate::kinds::{KindSpec, Subresource};

/// Adds the path that lists the resources of a group and version.
pub(super) fn add_resource_list(paths: &mut Map<String, Value>, root: &str, group: &str, version: &str) {
    let schema = schemas::reference(schemas::RESOURCE_LIST);
    let types = ["application/json", "application/vnd.kubernetes.protobuf", "application/yaml"];
    let content: Map<_, _> = types.iter().map(|name| ((*name).to_owned(), json!({"schema": schema}))).collect();
    let get = json!({
        "operationId": format!("get{}APIResources", names::group_version(group, version)),
        "tags": [names::tag(group, version)],
        "responses": {"200": {"description": "OK", "content": content}, "401": {"description": "Unauthorized"}},
    });
    paths.insert(format!("/{root}/"), json!({"get": get}));
}

/// Adds the paths of a kind below `root`, such as `apis/apps/v1`.
pub(super) fn add(paths: &mut Map<String, Value>, root: &str, kind: &KindSpec) {
    let writer = PathWriter { kind, root, object: schemas::name_of(kind), list: schemas::list_name_of(kind) };
    writer.add_main(paths);
    if !kind.is_custom() {
        writer.add_watches(paths);
    }
    for subresource in &kind.subresources {
        writer.add_subresource(paths, subresource);
    }
}

struct PathWriter<'a> {
    kind: &'a KindSpec,
    root: &'a str,
    /// The name of the schema of an object.
    object: Option<String>,
    list: Option<String>,
}

impl PathWriter<'_> {
    fn add_main(&self, paths: &mut Map<String, Value>) {
        let kind = self.kind;
        if kind.is_namespaced() && kind.allows(Verb::List) {
            let get = self.list_operation(&format!("{}ForAllNamespaces", kind.kind));
            paths.insert(format!("/{}/{}", self.root, kind.plural), finished([("get", get)], &[], true));
        }
        let mut item = Vec::new();
        if kind.allows(Verb::List) {
            item.push(("get", self.list_operation(&names::scoped(kind))));
        }
        if kind.allows(Verb::Create) {
            let body = Body::Object(self.object.as_deref());
            let answer = self.object.as_deref();
            let row = OperationProfile { action: "post", parameters: WRITE, body, codes: &[200, 201, 202], answer };
            item.push(("post", self.operation("create", "", row)));
        }
        if kind.allows(Verb::DeleteCollection) {
            // The real server publishes this operation of custom resources with the parameters of a list.
            let (parameters, body) =
                if kind.is_custom() { (LIST, Body::Nothing) } else { (DELETE_COLLECTION, Body::DeleteOptions) };
            let row = OperationProfile { action: "deletecollection", parameters, body, codes: &[200], answer: Some(STATUS) };
            item.push(("delete", self.operation("delete", "Collection", row)));
        }
        paths.insert(self.collection(""), finished(item, &self.path_parameters()[1..], true));

        let object = self.object.as_deref();
        // The real server publishes the deletion of a namespace as if it returned a status.
        let deleted = if kind.flags.returns_deleted && kind.kind != "Namespace" { object } else { Some(STATUS) };
        let patched: &[u16] = if kind.is_custom() { &[200] } else { &[200, 201] };
        let mut item = Vec::new();
        if kind.allows(Verb::Get) {
            let parameters = self.get_parameters();
            let row = OperationProfile { action: "get", parameters, body: Body::Nothing, codes: &[200], answer: object };
            item.push(("get", self.operation("read", "", row)));
        }
        if kind.allows(Verb::Update) {
            let row = OperationProfile {
                action: "put",
                parameters: WRITE,
                body: Body::Object(object),
                codes: &[200, 201],
                answer: object,
            };
            item.push(("put", self.operation("replace", "", row)));
        }
        if kind.allows(Verb::Patch) {
            let row = OperationProfile { action: "patch", parameters: PATCH, body: Body::Patch, codes: patched, answer: object };
            item.push(("patch", self.operation("patch", "", row)));
        }
        if kind.allows(Verb::Delete) {
            let body = Body::DeleteOptions;
            let row = OperationProfile { action: "delete", parameters: DELETE, body, codes: &[200, 202], answer: deleted };
            item.push(("delete", self.operation("delete", "", row)));
        }
        if !item.is_empty() {
            paths.insert(format!("{}/{{name}}", self.collection("")), finished(item, self.path_parameters(), true));
        }
    }

    /// Adds the deprecated paths of watches.
    fn add_watches(&self, paths: &mut Map<String, Value>) {
        let kind = self.kind;
        if !kind.allows(Verb::Watch) {
            return;
        }
        let watch = |action: &str, name: String| {
            let id = format!("watch{}{name}", names::group_version(&kind.group, &kind.version));
            let row =
                OperationProfile { action, parameters: LIST, body: Body::Nothing, codes: &[200], answer: Some(WATCH_EVENT) };
            self.described(id, self.gvk(), row)
        };
        if kind.is_namespaced() {
            let get = watch("watchlist", format!("{}ListForAllNamespaces", kind.kind));
            paths.insert(format!("/{}/watch/{}", self.root, kind.plural), finished([("get", get)], &[], true));
        }
        let get = watch("watchlist", format!("{}List", names::scoped(kind)));
        paths.insert(self.collection("watch/"), finished([("get", get)], &self.path_parameters()[1..], true));
        let get = watch("watch", names::scoped(kind));
        paths.insert(format!("{}/{{name}}", self.collection("watch/")), finished([("get", get)], self.path_parameters(), true));
    }

    fn add_subresource(&self, paths: &mut Map<String, Value>, subresource: &Subresource) {
        let parent = self.kind;
        let own = (subresource.group.as_str(), subresource.version.as_str(), subresource.kind.as_str());
        let schema = if own == self.gvk() { self.object.clone() } else { schemas::builtin_name(own) };
        let schema = schema.as_deref();
        // Subresources of custom resources are marked with the kind of their parent.
        let gvk = if parent.is_custom() { self.gvk() } else { own };
        let suffix = names::capital(&subresource.name);
        let path = format!("{}/{{name}}/{}", self.collection(""), subresource.name);
        let connects = matches!(subresource.name.as_str(), "attach" | "exec" | "portforward" | "proxy");
        let patched: &[u16] = if parent.is_custom() { &[200] } else { &[200, 201] };
        let mut item = Vec::new();
        for verb in subresource.verbs.iter() {
            let (method, action, word, parameters, body, codes, answer): (_, _, _, &[Parameter], _, &[u16], _) = match verb {
                Verb::Get if subresource.name == "log" => ("get", "get", "read", LOG, Body::Nothing, &[200], None),
                Verb::Get => ("get", "get", "read", self.get_parameters(), Body::Nothing, &[200], schema),
                Verb::Create => ("post", "post", "create", WRITE, Body::Object(schema), &[200, 201, 202], schema),
                Verb::Update => ("put", "put", "replace", WRITE, Body::Object(schema), &[200, 201], schema),
                Verb::Patch => ("patch", "patch", "patch", PATCH, Body::Patch, patched, schema),
                Verb::Delete => ("delete", "delete", "delete", DELETE, Body::DeleteOptions, &[200, 202], Some(STATUS)),
                Verb::List | Verb::Watch | Verb::DeleteCollection => continue,
            };
            let prefix = names::group_version(&parent.group, &parent.version);
            let scoped = names::scoped(parent);
            let operation = if connects {
                let id = format!("connect{prefix}{}{scoped}{suffix}", names::capital(method));
                let row =
                    OperationProfile { action: "connect", parameters: &[], body: Body::Nothing, codes: &[200], answer: None };
                self.described(id, gvk, row)
            } else {
                let row = OperationProfile { action, parameters, body, codes, answer };
                self.described(format!("{word}{prefix}{scoped}{suffix}"), gvk, row)
            };
            item.push((method, operation));
        }
        paths.insert(path, finished(item, self.path_parameters(), !connects && subresource.name != "log"));
    }

    fn collection(&self, prefix: &str) -> String {
        let namespace = if self.kind.is_namespaced() { "namespaces/{namespace}/" } else { "" };
        format!("/{}/{prefix}{namespace}{}", self.root, self.kind.plural)
    }

    /// Returns the names of the parameters in the path of an object.
    fn path_parameters(&self) -> &'static [&'static str] {
        if self.kind.is_namespaced() { &["name", "namespace"] } else { &["name"] }
    }

    fn get_parameters(&self) -> &'static [Parameter] {
        if self.kind.is_custom() { GET_CUSTOM } else { &[] }
    }

    fn gvk(&self) -> (&str, &str, &str) {
        (&self.kind.group, &self.kind.version, &self.kind.kind)
    }

    fn list_operation(&self, name: &str) -> Value {
        let id = format!("list{}{name}", names::group_version(&self.kind.group, &self.kind.version));
        let answer = self.list.as_deref();
        self.described(
            id,
            self.gvk(),
            OperationProfile { action: "list", parameters: LIST, body: Body::Nothing, codes: &[200], answer },
        )
    }

    /// Returns an operation on the kind itself; `part` stands in the operation's id between the version and the kind.
    fn operation(&self, word: &str, part: &str, row: OperationProfile<'_>) -> Value {
        let prefix = names::group_version(&self.kind.group, &self.kind.version);
        let id = format!("{word}{prefix}{part}{}", names::scoped(self.kind));
        self.described(id, self.gvk(), row)
    }

    fn described(&self, id: String, gvk: (&str, &str, &str), row: OperationProfile<'_>) -> Value {
        KindOperation { kind: self.kind, gvk, id, row }.to_value()
    }
}

/// Returns a path item, with the parameters that all its operations share moved to the item itself.
fn finished(item: impl IntoIterator<Item = (&'static str, Value)>, path_parameters: &[&str], has_pretty: bool) -> Value {
    let mut item: Vec<(&str, Value)> = item.into_iter().collect();
    let mut shared: Vec<Value> = path_parameters.iter().map(|name| parameter(name, "path", "string")).collect();
    if has_pretty {
        shared.push(parameter("pretty", "query", "string"));
    }
    let of = |operation: &Value| operation["parameters"].as_array().cloned().unwrap_or_default();
    let mut common = item.first().map(|(_, operation)| of(operation)).unwrap_or_default();
    common.retain(|parameter| item.iter().all(|(_, operation)| of(operation).contains(parameter)));
    for (_, operation) in &mut item {
        let mut own = of(operation);
        own.retain(|parameter| !common.contains(parameter));
        if let Some(operation) = operation.as_object_mut() {
            if own.is_empty() {
                operation.remove("parameters");
            } else {
                operation.insert("parameters".to_owned(), own.into());
            }
        }
    }
    shared.extend(common);
    shared.sort_by_key(|parameter| parameter["name"].to_string());
    let mut finished: Map<String, Value> = item.into_iter().map(|(method, operation)| (method.to_owned(), operation)).collect();
    finished.insert("parameters".to_owned(), shared.into());
    finished.into()
}
