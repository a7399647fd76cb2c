//! One function for each decoder of texts that strangers send. None may panic, whatever the bytes are.
//!
//! The fuzz targets call them, and so does the seeded test `nonsense` of `kubewright-apiserver`, which CI runs.

use std::cell::RefCell;

use http_body_util::{BodyExt as _, Full};
use kubewright_apiserver::patch::strategic_merge;
use kubewright_apiserver::tables::JsonPath;
use kubewright_apiserver::{ApiServer, Identity, definition, proto};
use kubewright_machinery::fieldset::FieldSet;
use kubewright_machinery::object::GroupVersionKind;
use kubewright_machinery::patch::{json_patch, merge_patch};
use kubewright_machinery::pattern::GoPattern;
use kubewright_machinery::quantity::Quantity;
use kubewright_machinery::selector::{FieldSelector, LabelSelector};
use kubewright_machinery::yaml;
use kubewright_schema::{Schema, field_path};
use serde_json::{Value, json};
use tower::ServiceExt as _;

/// A decoder and its name.
pub type Target = (&'static str, fn(&[u8]));

/// All of them but [`requests`], whose bytes have a form of their own.
pub const TARGETS: &[Target] = &[
    ("documents", documents),
    ("first_documents", first_documents),
    ("patterns", patterns),
    ("selectors", selectors),
    ("quantities", quantities),
    ("patches", patches),
    ("field_sets", field_sets),
    ("definitions", definitions),
    ("rules", rules),
    ("objects", objects),
    ("paths", paths),
    ("protobuf", protobuf),
];

/// YAML documents.
pub fn documents(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = yaml::documents_with_repeats(text);
    }
}

/// The first YAML document, as charts read it, and all documents, as kustomizations read them.
pub fn first_documents(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = (yaml::first_document(text), yaml::documents_of_yaml_1_2(text));
    }
}

/// Regular expressions of Go, matched with a short text and with their own.
pub fn patterns(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(pattern) = GoPattern::compile(&text) {
        for subject in ["", "aA1_- é\n", &text] {
            let _ = pattern.regex.captures(subject);
        }
    }
}

/// Label and field selectors. One that is read is read again from its text.
pub fn selectors(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(selector) = LabelSelector::parse(&text) {
        assert!(LabelSelector::parse(&selector.to_string()).is_ok(), "{text:?}");
    }
    let _ = FieldSelector::parse(&text);
}

/// Amounts such as `1Gi`.
pub fn quantities(data: &[u8]) {
    if let Ok(quantity) = Quantity::from_value(&Value::from(String::from_utf8_lossy(data))) {
        let _ = quantity.canonical();
    }
}

/// Patches of all forms, applied to a Deployment.
pub fn patches(data: &[u8]) {
    let Ok(patch) = serde_json::from_slice::<Value>(data) else { return };
    let mut deployment = json!({"metadata": {"name": "a", "labels": {"a": "b"}, "finalizers": ["x", "y"]}, "spec": {"template": {"spec": {
        "containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}]}], "volumes": [{"name": "v"}]}}}});
    let _ = json_patch(&mut deployment.clone(), &patch);
    merge_patch(&mut deployment.clone(), &patch);
    let _ = strategic_merge(&mut deployment, &patch, "io.k8s.api.apps.v1.Deployment");
}

/// Sets of fields as managers own them. One that is read says the same when it is written.
pub fn field_sets(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    if let Ok(set) = FieldSet::parse(&value) {
        let written = set.to_value();
        assert_eq!(FieldSet::parse(&written).map(|set| set.to_value()).ok(), Some(written));
    }
}

/// CustomResourceDefinitions.
pub fn definitions(data: &[u8]) {
    let Ok(value) = serde_json::from_slice::<Value>(data) else { return };
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": value}});
    let names = json!({"plural": "as", "kind": "A"});
    let spec = json!({"group": "ex.io", "scope": "Cluster", "names": names, "versions": [version]});
    let whole = json!({"metadata": {"name": "as.ex.io"}, "spec": spec});
    let _ = definition::validate(&whole, None);
    let _ = definition::validate(&value, Some(&whole));
}

/// A rule: its text is compiled, and evaluated if it is one.
pub fn rules(data: &[u8]) {
    let rule = String::from_utf8_lossy(data);
    let property = json!({"type": "object", "properties": {"s": {"type": "string"}, "i": {"type": "integer"},
        "l": {"type": "array", "items": {"type": "string"}}}, "x-kubernetes-validations": [{"rule": rule}]});
    let schema = json!({"type": "object", "properties": {"spec": property}});
    definitions(schema.to_string().as_bytes());
    let object = json!({"spec": {"s": "a", "i": 1, "l": ["x", "y"]}});
    let _ = Schema::compile(&schema).validate(&object, Some(&object), &mut Vec::new());
}

/// Half of the bytes are a schema, the rest an object.
pub fn objects(data: &[u8]) {
    let (schema, object) = data.split_at(data.iter().position(|byte| *byte == 0).unwrap_or(data.len() / 2));
    let object = object.strip_prefix(b"\0").unwrap_or(object);
    let (Ok(schema), Ok(mut object)) = (serde_json::from_slice::<Value>(schema), serde_json::from_slice::<Value>(object)) else {
        return;
    };
    let schema = Schema::compile(&schema);
    let before = object.clone();
    let _ = schema.prune(&mut object);
    schema.default(&mut object);
    let _ = schema.validate(&object, Some(&before), &mut Vec::new());
    // What was brought into form once stays as it is.
    let settled = object.clone();
    schema.default(&mut object);
    assert_eq!(object, settled);
}

/// Paths of printer columns, of selectable fields and of rules.
pub fn paths(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let object = json!({"spec": {"a": [{"b": "c", "n": 1}, {"b": "d"}], "m": {"x.y": true}}, "status": {"conditions": [{"type": "Ready"}]}});
    for text in [text.clone(), format!(".{text}").into(), format!(".spec.a[?(@{text})].b").into(), format!("{{..{text}}}").into()]
    {
        if let Ok(path) = JsonPath::parse(&text) {
            let found = path.find(&object);
            assert_eq!(path.first(&object), found.first().copied());
        }
    }
    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {"a": {"type": "string"},
        "m": {"type": "object", "additionalProperties": {"type": "integer"}}}}}});
    if let Some(schema) = schema.as_object() {
        for text in [text.clone(), format!(".spec.{text}").into(), format!(".spec['{text}']").into()] {
            let _ = field_path::resolve(&text, schema, true);
        }
    }
}

/// Protobuf: the bytes as they are, as a message, and in the middle of a message that is in order.
pub fn protobuf(data: &[u8]) {
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"a": "b"}, "creationTimestamp": "2026-01-01T00:00:00Z"},
        "spec": {"containers": [{"name": "c", "image": "i", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "1"}},
            "livenessProbe": {"httpGet": {"port": "http"}}}], "volumes": [{"name": "v", "emptyDir": {}}]}});
    let sound = proto::encode(&pod).unwrap_or_default();
    let at = data.first().map_or(0, |first| usize::from(*first) * 2) % sound.len().max(1);
    let mut changed = sound.clone();
    changed.splice(at..(at + 1).min(sound.len()), data.iter().copied());
    let mut enclosed = b"k8s\0\x12".to_vec();
    let mut length = data.len();
    while length >= 0x80 {
        enclosed.push((length & 0x7f) as u8 | 0x80);
        length >>= 7;
    }
    enclosed.push(length as u8);
    enclosed.extend_from_slice(data);
    for (group, version, kind) in
        [("", "v1", "Pod"), ("", "v1", "Secret"), ("apps", "v1", "Deployment"), ("events.k8s.io", "v1", "Event")]
    {
        let expected = GroupVersionKind::new(group, version, kind);
        for bytes in [data, &changed, &enclosed] {
            if let Ok(object) = proto::decode(bytes, &expected) {
                let _ = proto::encode(&object);
            }
        }
    }
}

/// The requests of [`requests`]: method, path, and type of the body or of the answer.
const REQUESTS: &[(&str, &str, &str)] = &[
    ("POST", "/api/v1/namespaces/default/configmaps", "application/json"),
    ("POST", "/api/v1/namespaces/default/pods", "application/yaml"),
    ("POST", "/api/v1/namespaces/default/services", "application/vnd.kubernetes.protobuf"),
    ("POST", "/apis/ex.io/v1/namespaces/default/widgets", "application/json"),
    ("POST", "/apis/ex.io/v1/namespaces/default/widgets", "application/yaml"),
    ("PUT", "/apis/ex.io/v1/namespaces/default/widgets/w", "application/json"),
    ("PATCH", "/apis/ex.io/v1/namespaces/default/widgets/w", "application/json-patch+json"),
    ("PATCH", "/apis/ex.io/v1/namespaces/default/widgets/w", "application/merge-patch+json"),
    ("PATCH", "/apis/ex.io/v1/namespaces/default/widgets/w", "application/apply-patch+yaml"),
    ("PATCH", "/api/v1/namespaces/default/configmaps/m", "application/json-patch+json"),
    ("PATCH", "/api/v1/namespaces/default/configmaps/m", "application/strategic-merge-patch+json"),
    ("PATCH", "/api/v1/namespaces/default/configmaps/m", "application/apply-patch+yaml"),
    ("PUT", "/apis/apps/v1/namespaces/default/deployments/d/scale", "application/json"),
    ("POST", "/apis/authorization.k8s.io/v1/subjectaccessreviews", "application/json"),
    ("POST", "/api/v1/namespaces/default/serviceaccounts/s/token", "application/json"),
    ("DELETE", "/api/v1/namespaces/default/configmaps/m", "application/json"),
    ("DELETE", "/api/v1/namespaces/default/configmaps", "application/vnd.kubernetes.protobuf"),
    ("GET", "/api/v1/namespaces/default/configmaps", "application/json;as=Table;v=v1;g=meta.k8s.io"),
    ("GET", "/apis/ex.io/v1/widgets", ""),
    ("GET", "/apis", ""),
];

thread_local! {
    /// A clock that stands still, and a server with an object or two. Each request is sent to a fork of it.
    static PRESENT: RefCell<Option<(tokio::runtime::Runtime, ApiServer)>> = RefCell::new(present());
}

fn present() -> Option<(tokio::runtime::Runtime, ApiServer)> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().ok()?;
    let server =
        runtime.block_on(async { ApiServer::builder().epoch("2026-01-01T00:00:00Z".parse().ok()?).seed(7).build().ok() })?;
    let keep = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let spec = json!({"type": "object", "properties": {"a": {"type": "string"}, "keep": keep}});
    let schema = json!({"openAPIV3Schema": {"type": "object", "properties": {"spec": spec}}});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": schema});
    let names = json!({"plural": "widgets", "kind": "Widget"});
    let object = |api_version: &str, kind: &str, rest: Value| {
        let mut object = json!({"apiVersion": api_version, "kind": kind, "metadata": {"name": "w", "namespace": "default"}});
        merge_patch(&mut object, &rest);
        object
    };
    let definition = json!({"metadata": {"name": "widgets.ex.io", "namespace": null},
        "spec": {"group": "ex.io", "scope": "Namespaced", "names": names, "versions": [version]}});
    let map = json!({"metadata": {"name": "m", "labels": {"a": "b"}}, "data": {"a": "b"}});
    for (method, path, body) in [
        (
            "POST",
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            object("apiextensions.k8s.io/v1", "CustomResourceDefinition", definition),
        ),
        ("POST", REQUESTS[0].1, object("v1", "ConfigMap", map)),
        ("POST", REQUESTS[3].1, object("ex.io/v1", "Widget", json!({"spec": {"a": "b"}}))),
    ] {
        let code = runtime.block_on(send(&server, method, path, "application/json", body.to_string().as_bytes()));
        assert_eq!(code, Some(201), "{path}");
    }
    Some((runtime, server))
}

async fn send(server: &ApiServer, method: &str, path: &str, media_type: &str, body: &[u8]) -> Option<u16> {
    let header = if method == "GET" { "accept" } else { "content-type" };
    let request = http::Request::builder().method(method).uri(path).header(header, media_type);
    let request = request.body(Full::new(bytes::Bytes::copy_from_slice(body))).ok()?;
    let answer = server.service(Identity::admin()).oneshot(request).await.ok()?;
    let code = answer.status().as_u16();
    // A watch has no end, but it has a beginning.
    let mut body = answer.into_body();
    while let Some(Ok(_)) = tokio::time::timeout(std::time::Duration::from_secs(1), body.frame()).await.ok().flatten() {}
    Some(code)
}

/// Whole requests: the first byte says which, what follows is the query, and after a zero byte comes the body. Each is answered, and the
/// server is the same as before for the next one.
pub fn requests(data: &[u8]) {
    let Some((first, rest)) = data.split_first() else { return };
    let (method, path, media_type) = REQUESTS[usize::from(*first) % REQUESTS.len()];
    let end = rest.iter().position(|byte| *byte == 0);
    let (query, body) = end.map_or((&b""[..], rest), |end| (&rest[..end], &rest[end + 1..]));
    // Signs that no client can send in a query are escaped.
    let query: String = query
        .iter()
        .map(|byte| match byte {
            b'!' | b'$'..=b';' | b'=' | b'?'..=b'_' | b'a'..=b'z' | b'~' => char::from(*byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect();
    PRESENT.with_borrow(|present| {
        let Some((runtime, origin)) = present else { return };
        let code = runtime.block_on(async {
            let server = origin.fork();
            let code = send(&server, method, &format!("{path}?{query}"), media_type, body).await;
            assert_eq!(send(&server, "GET", "/api/v1/namespaces/default", "application/json", b"").await, Some(200));
            code
        });
        // Only what is no request at all has no answer.
        if let Some(code) = code {
            assert!((200..=504).contains(&code), "{method} {path}?{query}: {code}");
        }
    });
}
