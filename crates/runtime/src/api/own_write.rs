//! The effect of a write of this process, derived from the request and its answer.

use http::{Method, Uri};
use kubewright_machinery::object::{GroupKind, Key, ObjectExt as _};
use serde_json::Value;

use super::Verb;

/// The subresources that connect to something that is not the object, such as a process: the answer is arbitrary and may take any time.
const CONNECTIONS: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// A request that changes one object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WriteRequest {
    pub(crate) verb: Verb,
    pub(crate) path: ObjectPath,
}

/// The parts of the path of a request.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ObjectPath {
    pub(crate) group: String,
    pub(crate) version: String,
    /// The namespace; empty for cluster-scoped objects and for requests over all namespaces.
    pub(crate) namespace: String,
    pub(crate) plural: String,
    /// The name; empty for a collection.
    pub(crate) name: String,
    /// The subresource; empty for the object itself.
    pub(crate) subresource: String,
}

/// The effect of a write on an object.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct WriteEffect<'a> {
    pub(crate) kind: GroupKind,
    pub(crate) key: Key,
    pub(crate) fate: Fate<'a>,
}

/// The existence of an object after a write.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fate<'a> {
    /// The object exists in the state of the answer.
    Stays,
    /// The object is deleted.
    Gone {
        /// The UID of the deleted object.
        uid: &'a str,
    },
}

impl WriteRequest {
    /// Parses a request. Returns None for reads, dry runs, deletions of collections, and connections.
    pub(crate) fn of(method: &Method, uri: &Uri, body: &[u8]) -> Option<Self> {
        let verb = match *method {
            Method::POST => Verb::Create,
            Method::PUT => Verb::Update,
            Method::PATCH => Verb::Patch,
            Method::DELETE => Verb::Delete,
            _ => return None,
        };
        let path = ObjectPath::parse(uri.path())?;
        let is_dry_run = asks_for_dry_run(uri) || verb == Verb::Delete && may_be_dry_run(body);
        let is_of_one = verb == Verb::Create || !path.name.is_empty();
        let is_connection = CONNECTIONS.contains(&path.subresource.as_str());
        (is_of_one && !is_dry_run && !is_connection).then_some(Self { verb, path })
    }

    /// Returns the effect of the request according to its successful answer; `known` is the kind that the path addresses. None if the answer does not show
    /// it: it is neither an object with name and version nor the `Status` of a deletion.
    pub(crate) fn effect<'a>(&self, answer: &'a Value, known: Option<GroupKind>) -> Option<WriteEffect<'a>> {
        let text = |pointer| answer.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
        let gvk = answer.gvk()?;
        if gvk.kind == "Status" && text("/metadata/name").is_none() {
            let is_deletion = self.verb == Verb::Delete && self.path.subresource.is_empty() && text("/status") == Some("Success");
            let uid = text("/details/uid").filter(|_| is_deletion)?;
            let name = text("/details/name").unwrap_or(&self.path.name);
            return Some(WriteEffect { kind: known?, key: Key::new(&self.path.namespace, name), fate: Fate::Gone { uid } });
        }
        let (name, _) = (text("/metadata/name")?, text("/metadata/resourceVersion")?);
        let key = Key::new(text("/metadata/namespace").unwrap_or_default(), name);
        let is_gone = match self.verb {
            Verb::Delete => !is_held(answer),
            Verb::Create => false,
            _ => is_removed(answer),
        };
        // The kind of the answer differs if only metadata was requested, and for subresources such as `scale`.
        let kind = known.unwrap_or_else(|| gvk.group_kind());
        let fate = match text("/metadata/uid").filter(|_| is_gone) {
            Some(uid) => Fate::Gone { uid },
            None => Fate::Stays,
        };
        Some(WriteEffect { kind, key, fate })
    }
}

/// Returns true if the query of a write requests a dry run.
pub(crate) fn asks_for_dry_run(uri: &Uri) -> bool {
    uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("dryRun=")))
}

impl ObjectPath {
    /// Parses a path. Returns None if the path has no group and version.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let mut segments = path.strip_prefix('/')?.split('/');
        let group = match segments.next()? {
            "api" => "",
            "apis" => segments.next()?,
            _ => return None,
        };
        let version = segments.next()?;
        let mut rest: Vec<&str> = segments.collect();
        let mut namespace = "";
        // Namespaces are objects, too, and have two subresources of their own.
        let is_namespaced = match rest[..] {
            ["namespaces", _, "status" | "finalize"] => false,
            ["namespaces", _, _, ..] => true,
            _ => false,
        };
        if is_namespaced {
            namespace = rest[1];
            rest.drain(..2);
        }
        let segment = |at: usize| rest.get(at).copied().unwrap_or_default().to_owned();
        Some(Self {
            group: group.to_owned(),
            version: version.to_owned(),
            namespace: namespace.to_owned(),
            plural: rest.first().filter(|plural| !plural.is_empty()).map(|plural| (*plural).to_owned())?,
            name: segment(1),
            subresource: segment(2),
        })
    }
}

/// Returns true if the update or patch with this answer has removed an object that is being deleted, by removing the last finalizer or grace period that held
/// it. The answer's version is then the one from before the removal, so a watch would not take it for a change.
pub fn is_removed(answer: &Value) -> bool {
    answer.deletion_timestamp().is_some() && !is_held(answer)
}

/// Returns true if finalizers or a grace period keep a deleted object. A namespace is also kept by the finalizers of its spec.
fn is_held(object: &Value) -> bool {
    let is_namespace = object["kind"] == "Namespace" && object["apiVersion"] == "v1";
    let of_spec =
        || object.pointer("/spec/finalizers").and_then(Value::as_array).is_some_and(|finalizers| !finalizers.is_empty());
    let grace = object.pointer("/metadata/deletionGracePeriodSeconds").and_then(Value::as_i64).unwrap_or_default();
    object.finalizers().next().is_some() || is_namespace && of_spec() || grace > 0
}

/// Returns true if the options in the body of a deletion request a dry run, or cannot be read and so may request one.
fn may_be_dry_run(options: &[u8]) -> bool {
    if options.is_empty() {
        return false;
    }
    match serde_json::from_slice::<Value>(options) {
        Ok(options) => options.get("dryRun").and_then(Value::as_array).is_some_and(|stages| !stages.is_empty()),
        Err(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn paths_are_those_of_the_api() {
        let parsed = |path| {
            let ObjectPath { group, version, namespace, plural, name, subresource } = ObjectPath::parse(path)?;
            Some([group, version, namespace, plural, name, subresource].join("|"))
        };
        for (path, expected) in [
            ("/api/v1/namespaces/demo/configmaps", "|v1|demo|configmaps||"),
            ("/api/v1/namespaces/demo/configmaps/a", "|v1|demo|configmaps|a|"),
            ("/apis/apps/v1/namespaces/demo/deployments/a/scale", "apps|v1|demo|deployments|a|scale"),
            ("/api/v1/namespaces", "|v1||namespaces||"),
            ("/api/v1/namespaces/demo", "|v1||namespaces|demo|"),
            ("/api/v1/namespaces/demo/finalize", "|v1||namespaces|demo|finalize"),
            ("/api/v1/namespaces/demo/status", "|v1||namespaces|demo|status"),
            ("/api/v1/namespaces/status/pods", "|v1|status|pods||"),
            ("/apis/example.dev/v1/widgets/a/status", "example.dev|v1||widgets|a|status"),
            ("/api/v1/nodes/system:node:a", "|v1||nodes|system:node:a|"),
        ] {
            assert_eq!(parsed(path).as_deref(), Some(expected), "{path}");
        }
        for path in ["/", "/version", "/api", "/apis/apps", "/apis/apps/v1", "/api/v1/", "api/v1/pods", "/k8s/api/v1/pods"] {
            assert_eq!(parsed(path), None, "{path}");
        }
    }

    #[test]
    fn only_requests_that_change_one_object_are_writes() {
        let one = "/api/v1/namespaces/demo/pods/a";
        let all = "/api/v1/namespaces/demo/pods";
        let write = |method: Method, uri: &str, body: &str| {
            WriteRequest::of(&method, &uri.parse().unwrap(), body.as_bytes()).map(|write| write.verb)
        };
        for (method, uri, body, expected) in [
            (Method::POST, all, "{}", Some(Verb::Create)),
            (Method::PUT, one, "{}", Some(Verb::Update)),
            (Method::PATCH, one, "{}", Some(Verb::Patch)),
            (Method::DELETE, one, "", Some(Verb::Delete)),
            (Method::DELETE, one, "{\"propagationPolicy\":\"Background\"}", Some(Verb::Delete)),
            (Method::GET, one, "", None),
            (Method::DELETE, all, "", None),
            (Method::DELETE, one, "{\"dryRun\":[\"All\"]}", None),
            (Method::DELETE, one, "k8s\0", None),
            (Method::POST, &format!("{one}/exec"), "", None),
            (Method::POST, &format!("{one}/proxy"), "", None),
            (Method::PATCH, &format!("{one}/status?force=true"), "{}", Some(Verb::Patch)),
            (Method::PATCH, &format!("{one}?force=true&dryRun=All"), "{}", None),
        ] {
            assert_eq!(write(method.clone(), uri, body), expected, "{method} {uri} {body}");
        }
    }

    /// Returns the fate of the object by the answer to a request of this verb, or None if the answer does not show it.
    fn fate(verb: Verb, answer: &Value) -> Option<&'static str> {
        let path = ObjectPath::parse("/api/v1/namespaces/demo/pods/a").unwrap();
        let effect = WriteRequest { verb, path }.effect(answer, Some(GroupKind::new("", "Pod")))?;
        assert_eq!((effect.kind, effect.key), (GroupKind::new("", "Pod"), Key::new("demo", "a")));
        Some(match effect.fate {
            Fate::Stays => "stays",
            Fate::Gone { uid: "u" } => "gone",
            Fate::Gone { uid } => panic!("{uid}"),
        })
    }

    #[test]
    fn an_answer_shows_whether_the_written_object_stays_or_is_gone() {
        let object = |metadata: Value| {
            let mut object = json!({"apiVersion": "v1", "kind": "Pod",
                "metadata": {"namespace": "demo", "name": "a", "uid": "u", "resourceVersion": "7"}});
            object["metadata"].as_object_mut().unwrap().extend(metadata.as_object().unwrap().clone());
            object
        };
        let plain = object(json!({}));
        let held = object(json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["a/b"]}));
        let graceful = object(json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 30}));
        let released = object(json!({"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}));
        let mut partial = released.clone();
        partial["apiVersion"] = "meta.k8s.io/v1".into();
        partial["kind"] = "PartialObjectMetadata".into();
        let mut terminating = released.clone();
        terminating["kind"] = "Namespace".into();
        terminating["spec"] = json!({"finalizers": ["kubernetes"]});
        let status = |details: Value| json!({"apiVersion": "v1", "kind": "Status", "status": "Success", "details": details});
        let done = status(json!({"name": "a", "kind": "pods", "uid": "u"}));
        for (answer, [create, update, delete]) in [
            (&plain, [Some("stays"), Some("stays"), Some("gone")]),
            (&held, [Some("stays"); 3]),
            (&graceful, [Some("stays"); 3]),
            (&released, [Some("stays"), Some("gone"), Some("gone")]),
            (&partial, [Some("stays"), Some("gone"), Some("gone")]),
            (&terminating, [Some("stays"); 3]),
            (&done, [None, None, Some("gone")]),
            (&status(json!({"name": "a"})), [None; 3]),
            (&object(json!({"resourceVersion": ""})), [None; 3]),
            (&json!({"apiVersion": "v1", "kind": "PodList", "metadata": {"resourceVersion": "7"}, "items": []}), [None; 3]),
            (&json!([1, 2]), [None; 3]),
        ] {
            let told = [Verb::Create, Verb::Update, Verb::Delete].map(|verb| fate(verb, answer));
            assert_eq!(told, [create, update, delete], "{answer}");
            assert_eq!(fate(Verb::Patch, answer), update, "{answer}");
        }
    }
}
