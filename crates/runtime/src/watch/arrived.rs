use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;
use std::ops::Range;

use serde::Deserialize;
use serde_json::Value;

use super::Unprojectable;
use super::key_ref::KeyRef;
use super::object_fields::{FieldValue, ObjectFields};
use super::objects::SeenObject;
use super::version::{ResourceVersion, Uid};
use crate::api::ApiResource;

/// The metadata texts that identify an object and its state. Absent ones are empty.
#[derive(Debug)]
pub(super) struct ObjectIdentity<'a> {
    pub(super) namespace: Cow<'a, str>,
    pub(super) name: Cow<'a, str>,
    uid: Cow<'a, str>,
    pub(super) version: Cow<'a, str>,
}

/// An object as text, without `managedFields`, and the ranges of its metadata and status; the range of an absent part is empty.
pub(crate) struct LeanText {
    pub(crate) text: Box<str>,
    pub(crate) metadata: Range<usize>,
    pub(crate) status: Range<usize>,
}

/// A piece of a [`LeanText`].
enum LeanTextPiece<'a> {
    Metadata(&'a str),
    Status(&'a str),
    Other(&'a str),
}

impl LeanTextPiece<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Metadata(text) | Self::Status(text) | Self::Other(text) => text,
        }
    }
}

/// An object as the server sent it: the texts of its fields and of those of its metadata. A store that does not keep the object, or already has its state,
/// need not parse it into a tree.
pub struct Arrived<'a> {
    resource: &'a ApiResource,
    fields: ObjectFields<'a>,
    identity: ObjectIdentity<'a>,
    /// True if type and version come from the resource: items of lists do not contain them, and metadata come as `PartialObjectMetadata`.
    is_typed_here: bool,
    tree: OnceCell<Option<Value>>,
}

impl<'a> Arrived<'a> {
    pub(super) fn new(fields: ObjectFields<'a>, resource: &'a ApiResource) -> Self {
        let kind = fields.text("kind");
        let is_typed_here = kind.is_none_or(|kind| kind == r#""PartialObjectMetadata""#) || fields.text("apiVersion").is_none();
        let text_in = |field| fields.metadata(field).and_then(unquoted).unwrap_or_default();
        let identity = ObjectIdentity {
            namespace: text_in("namespace"),
            name: text_in("name"),
            uid: text_in("uid"),
            version: text_in("resourceVersion"),
        };
        Self { resource, fields, identity, is_typed_here, tree: OnceCell::new() }
    }

    /// Returns the object as a tree, with `apiVersion` and `kind`. The tree is made once.
    pub fn tree(&self) -> Result<&Value, Unprojectable> {
        self.tree.get_or_init(|| self.decoded()).as_ref().ok_or_else(|| Unprojectable::new("it cannot be decoded"))
    }

    fn decoded(&self) -> Option<Value> {
        let mut tree = self.fields.tree().ok()?;
        if self.is_typed_here {
            tree.insert("apiVersion".to_owned(), self.resource.api_version().into());
            tree.insert("kind".to_owned(), self.resource.kind.clone().into());
        }
        Some(Value::Object(tree))
    }

    /// Returns the object as text, with `apiVersion` and `kind`, without `managedFields`.
    pub(crate) fn lean(&self) -> LeanText {
        let types = if self.is_typed_here { self.types() } else { String::new() };
        let mut length = 0;
        self.pieces(&types, &mut |piece| length += piece.text().len());
        let (mut text, mut metadata, mut status) = (String::with_capacity(length), 0..0, 0..0);
        self.pieces(&types, &mut |piece| {
            let start = text.len();
            text.push_str(piece.text());
            match piece {
                LeanTextPiece::Other(_) => {}
                LeanTextPiece::Metadata(_) if metadata.is_empty() => metadata = start..text.len(),
                LeanTextPiece::Metadata(_) => metadata.end = text.len(),
                LeanTextPiece::Status(_) => status = start..text.len(),
            }
        });
        LeanText { text: text.into_boxed_str(), metadata, status }
    }

    fn types(&self) -> String {
        let text = |text: &str| Value::from(text).to_string();
        format!(r#""apiVersion":{},"kind":{}"#, text(&self.resource.api_version()), text(&self.resource.kind))
    }

    fn pieces(&self, types: &str, push: &mut dyn FnMut(LeanTextPiece<'_>)) {
        push(LeanTextPiece::Other("{"));
        push(LeanTextPiece::Other(types));
        let mut is_first = types.is_empty();
        for (name, part) in &self.fields.0 {
            if self.is_typed_here && matches!(&**name, "apiVersion" | "kind") {
                continue;
            }
            push_name(name, std::mem::take(&mut is_first), &mut |text| push(LeanTextPiece::Other(text)));
            match part {
                FieldValue::Metadata(fields) => {
                    let mut push = |text: &str| push(LeanTextPiece::Metadata(text));
                    push("{");
                    let kept = fields.0.iter().filter(|(name, _)| name != "managedFields");
                    for (at, (name, value)) in kept.enumerate() {
                        push_name(name, at == 0, &mut push);
                        push(value.get());
                    }
                    push("}");
                }
                FieldValue::Text(value) if name == "status" => push(LeanTextPiece::Status(value.get())),
                FieldValue::Text(value) => push(LeanTextPiece::Other(value.get())),
            }
        }
        push(LeanTextPiece::Other("}"));
    }

    /// Returns the manager of the entry of `managedFields` with the latest time; the last one if there are several.
    pub(crate) fn latest_manager(&self) -> Option<Cow<'a, str>> {
        #[derive(Deserialize)]
        struct ManagerEntry<'a> {
            #[serde(borrow, default)]
            manager: Cow<'a, str>,
            #[serde(borrow, default)]
            time: Cow<'a, str>,
        }
        let entries: Vec<ManagerEntry<'a>> = serde_json::from_str(self.fields.metadata("managedFields")?).ok()?;
        entries.into_iter().max_by(|a, b| a.time.cmp(&b.time)).map(|entry| entry.manager)
    }

    pub(super) const fn identity(&self) -> &ObjectIdentity<'a> {
        &self.identity
    }

    /// Returns the object's key, UID and version, or None if it has no name or version.
    pub(super) fn seen(&self) -> Option<SeenObject<'_>> {
        let ObjectIdentity { namespace, name, uid, version } = &self.identity;
        if name.is_empty() || version.is_empty() {
            return None;
        }
        Some(SeenObject { key: KeyRef { namespace, name }, uid: Uid::parse(uid), version: ResourceVersion::parse(version) })
    }

    pub(super) fn kind(&self) -> &str {
        &self.resource.kind
    }
}

/// Returns the text that a JSON string represents; it is borrowed unless the string has escapes. Returns None for other JSON values.
fn unquoted(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') { serde_json::from_str(json).ok().map(Cow::Owned) } else { Some(Cow::Borrowed(inner)) }
}

fn push_name(name: &str, is_first: bool, push: &mut dyn FnMut(&str)) {
    if !is_first {
        push(",");
    }
    if name.bytes().any(|byte| byte < b' ' || matches!(byte, b'"' | b'\\')) {
        push(&Value::from(name).to_string());
    } else {
        push("\"");
        push(name);
        push("\"");
    }
    push(":");
}

impl fmt::Debug for Arrived<'_> {
    /// Writes only the identity, because objects may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arrived").field("kind", &self.resource.kind).field("identity", &self.identity).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use kubewright_machinery::object::GroupVersionKind;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn resource() -> ApiResource {
        ApiResource::known(&GroupVersionKind::new("apps", "v1", "Deployment"), "deployments", true)
    }

    fn arrived<'a>(text: &'a str, resource: &'a ApiResource) -> Arrived<'a> {
        Arrived::new(serde_json::from_str(text).unwrap(), resource)
    }

    /// Returns the tree of the lean text, after checking the ranges of its parts.
    fn lean(text: &str) -> Value {
        let lean = arrived(text, &resource()).lean();
        let tree: Value = serde_json::from_str(&lean.text).unwrap();
        let part = |range: Range<usize>| serde_json::from_str(&lean.text[range]).unwrap_or(Value::Null);
        assert_eq!(part(lean.metadata), tree["metadata"]);
        assert_eq!(part(lean.status), tree["status"]);
        tree
    }

    // STORE-2
    #[test]
    fn the_lean_text_has_a_type_and_no_managed_fields() {
        let expected = json!({
            "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "a"}, "data": {"managedFields": 1, "metadata": {}},
        });
        let rest = r#""metadata":{"managedFields":[{"x":1}],"name":"a"},"data":{"managedFields":1,"metadata":{}}"#;
        for types in ["", r#""kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","#, r#""kind":"Deployment","#] {
            let text = format!("{{{types}{rest}}}");
            assert_eq!(lean(&text), expected, "{text}");
            assert_eq!(arrived(&text, &resource()).tree().unwrap()["apiVersion"], "apps/v1");
        }
        let other = format!(r#"{{"apiVersion":"apps/v2","kind":"Deployment",{rest}}}"#);
        assert_eq!(lean(&other)["apiVersion"], "apps/v2");
    }

    #[test]
    fn odd_objects_are_read_as_far_as_they_go() {
        let resource = resource();
        for text in ["7", "[]", "null", "{}", r#"{"metadata":null}"#, r#"{"metadata":{"name":7,"resourceVersion":"1"}}"#] {
            assert!(arrived(text, &resource).seen().is_none(), "{text}");
        }
        let object = arrived(r#"{"metadata":{"name":"a\u003cb","resourceVersion":"1","managedFields":null}}"#, &resource);
        assert_eq!((object.identity().name.as_ref(), object.latest_manager()), ("a<b", None));
        let deep = format!(r#"{{"metadata":{{"name":"a","resourceVersion":"1"}},"x":{}{}}}"#, "[".repeat(500), "]".repeat(500));
        let deep = arrived(&deep, &resource);
        assert!(deep.tree().is_err() && deep.seen().is_some());
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            ".*".prop_map(Value::from)
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-z\"\\\\\n]{0,3}|kind|managedFields", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_lean_text_is_that_of_the_tree(mut object in prop::collection::btree_map("[a-z\"\\\\]{0,3}|metadata|status", tree(), 0..5)) {
            object.insert("kind".to_owned(), "Deployment".into());
            object.insert("apiVersion".to_owned(), "apps/v1".into());
            let mut tree = Value::Object(object.into_iter().collect());
            for text in [tree.to_string(), serde_json::to_string_pretty(&tree).unwrap()] {
                let lean = lean(&text);
                match tree.get_mut("metadata") {
                    Some(Value::Object(metadata)) => drop(metadata.remove("managedFields")),
                    // A value that is not an object is not metadata.
                    Some(_) => drop(tree.as_object_mut().unwrap().remove("metadata")),
                    None => {}
                }
                prop_assert_eq!(&lean, &tree);
            }
        }
    }
}
