use std::any::TypeId;
use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use kubewright_core::why::{Causes, ChangedPaths, changed_paths};
use kubewright_machinery::object::HasMetadata;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::lately::Lately;
use super::object_text::ObjectText;
use crate::trigger::Describe;
use crate::watch::{Arrived, Project, Unprojectable};

/// An object in a store of whole objects: its JSON text without `managedFields`, which is decoded on demand. The text takes a fraction of the memory of the
/// decoded object. The object that was decoded on arrival is kept for a while, for the first reader.
pub struct Kept<T> {
    text: ObjectText,
    /// The field manager of the latest write, as far as `managedFields` shows it.
    manager: Option<Arc<str>>,
    entries: Box<[IndexedText]>,
    lately: Arc<Lately<T>>,
    /// The number under which `lately` may still have the decoded object.
    number: u64,
}

/// The name of an index with the text under which the index lists an object.
type IndexedText = (&'static str, Box<str>);

/// The indexes of a store of whole objects, which find objects by texts.
pub trait Indexes<T>: Send + Sync + 'static {
    /// Calls `entry` with the name of an index and a text for each index entry of the object; there may be any number of both.
    fn index(object: &T, entry: &mut dyn FnMut(&'static str, String));
}

/// The absence of indexes.
#[derive(Clone, Copy, Debug)]
pub struct NoIndexes;

impl<T> Indexes<T> for NoIndexes {
    fn index(_: &T, _: &mut dyn FnMut(&'static str, String)) {}
}

impl<T: DeserializeOwned + Send + Sync + 'static> Kept<T> {
    /// Returns an object as stores without indexes keep it: for tests of filters.
    pub fn of(object: &Value) -> Result<Self, Unprojectable> {
        Whole::<T, NoIndexes>::new().project(object)
    }
}

impl<T: DeserializeOwned> Kept<T> {
    /// Returns the object. It is None only if decoding the same text gives different results at different times.
    pub fn decode(&self) -> Option<Arc<T>> {
        if let Some(object) = self.lately.take(self.number) {
            return Some(object);
        }
        let decoded = serde_json::from_str(self.text());
        if let Err(error) = &decoded {
            // The text was decoded successfully when it arrived.
            tracing::error!(
                kind = std::any::type_name::<T>(),
                line = error.line(),
                column = error.column(),
                "an object cannot be decoded again"
            );
        }
        decoded.ok().map(Arc::new)
    }
}

impl<T> Kept<T> {
    /// Returns the object as JSON, with `apiVersion` and `kind`, without `managedFields`.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text()).unwrap_or_default()
    }

    /// Returns the JSON text.
    pub fn text(&self) -> &str {
        self.text.whole()
    }

    /// Returns the field manager of the latest write.
    pub fn manager(&self) -> Option<&str> {
        self.manager.as_deref()
    }

    /// Returns the text with the ranges of its parts.
    pub(crate) const fn object_text(&self) -> &ObjectText {
        &self.text
    }
}

/// The description contains paths and managers, but no values.
impl<T> Describe for Kept<T> {
    fn differences(old: &Self, new: &Self) -> ChangedPaths {
        changed_paths(old.text(), new.text(), Causes::PATHS)
    }

    fn manager(&self) -> Option<Arc<str>> {
        self.manager.clone()
    }
}

/// Filters read the metadata and the status without decoding the rest.
impl<T> HasMetadata for Kept<T> {
    fn metadata_map(&self) -> Cow<'_, Map<String, Value>> {
        Cow::Owned(serde_json::from_str(self.text.metadata()).unwrap_or_default())
    }

    fn status_value(&self) -> Option<Cow<'_, Value>> {
        serde_json::from_str(self.text.status()?).ok().map(Cow::Owned)
    }
}

impl<T> fmt::Debug for Kept<T> {
    /// Writes only the size, because objects may contain secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Kept({} bytes)", self.text().len())
    }
}

/// The projector that keeps whole objects of a type.
pub(super) struct Whole<T, I> {
    lately: Arc<Lately<T>>,
    indexes: PhantomData<fn() -> I>,
}

impl<T, I> Whole<T, I> {
    pub(super) fn new() -> Self {
        Self { lately: Arc::default(), indexes: PhantomData }
    }
}

impl<T: DeserializeOwned, I: Indexes<T>> Whole<T, I> {
    /// Keeps a text that can be decoded into the type.
    fn keep(&self, text: ObjectText, manager: Option<Arc<str>>) -> Result<Kept<T>, Unprojectable> {
        let decoded: T = serde_json::from_str(text.whole())
            .map_err(|error| Unprojectable::new(format_args!("it cannot be decoded: {error}")))?;
        let mut entries: Vec<IndexedText> = Vec::new();
        I::index(&decoded, &mut |index, text| entries.push((index, text.into_boxed_str())));
        let number = self.lately.add(decoded);
        Ok(Kept { text, manager, entries: entries.into(), lately: Arc::clone(&self.lately), number })
    }
}

impl<T: DeserializeOwned + Send + Sync + 'static, I: Indexes<T>> Project for Whole<T, I> {
    type Output = Kept<T>;

    fn project(&self, object: &Value) -> Result<Kept<T>, Unprojectable> {
        let text = text_of(object).map_err(Unprojectable::new)?;
        self.keep(ObjectText::read(text), latest_manager(object).map(Into::into))
    }

    fn project_arrived(&self, object: &Arrived<'_>) -> Result<Kept<T>, Unprojectable> {
        self.keep(object.lean().into(), object.latest_manager().map(Into::into))
    }

    fn index<'a>(&self, kept: &'a Kept<T>, entry: &mut dyn FnMut(&'static str, &'a str)) {
        for (index, text) in &kept.entries {
            entry(index, text);
        }
    }

    fn whole(&self) -> Option<fn(&Kept<T>) -> Value> {
        Some(Kept::json)
    }

    fn shared_as(&self) -> Option<TypeId> {
        Some(TypeId::of::<Self>())
    }
}

/// Returns the text of an object without `managedFields`.
fn text_of(object: &Value) -> Result<Box<str>, serde_json::Error> {
    struct Lean<'a>(&'a Map<String, Value>, bool);

    impl serde::Serialize for Lean<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            use serde::ser::SerializeMap as _;
            let mut map = serializer.serialize_map(None)?;
            for (key, value) in self.0 {
                match value {
                    Value::Object(metadata) if self.1 && key == "metadata" => map.serialize_entry(key, &Lean(metadata, false))?,
                    _ if !self.1 && key == "managedFields" => {}
                    value => map.serialize_entry(key, value)?,
                }
            }
            map.end()
        }
    }

    match object {
        Value::Object(map) => serde_json::to_string(&Lean(map, true)).map(String::into_boxed_str),
        other => serde_json::to_string(other).map(String::into_boxed_str),
    }
}

/// Returns the manager of the entry of `managedFields` with the latest time; the last one if there are several.
fn latest_manager(object: &Value) -> Option<&str> {
    let entries = object.pointer("/metadata/managedFields")?.as_array()?;
    let time = |entry: &&Value| entry.get("time").and_then(Value::as_str).unwrap_or_default().to_owned();
    entries.iter().max_by_key(time)?.get("manager")?.as_str()
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::ConfigMap;
    use serde_json::json;

    use super::*;

    fn whole() -> Whole<ConfigMap, NoIndexes> {
        Whole::new()
    }

    // STORE-1
    #[test]
    fn managed_fields_are_dropped_and_the_rest_is_kept() {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"managedFields": "stays"},
            "metadata": {"name": "a", "managedFields": [
                {"manager": "kubectl", "time": "2026-01-02T00:00:00Z"}, {"manager": "operator", "time": "2026-01-01T00:00:00Z"},
            ]},
        });
        let kept = whole().project(&object).unwrap();
        let expected = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"managedFields": "stays"}, "metadata": {"name": "a"},
        });
        assert_eq!(kept.json(), expected);
        assert_eq!(kept.manager(), Some("kubectl"));
        assert_eq!(kept.metadata_map().get("name"), Some(&json!("a")));
        assert_eq!(kept.status_value(), None);
        assert_eq!(kept.decode().unwrap().metadata.name.as_deref(), Some("a"));
    }

    // EF-5: a store of metadata keeps the fields that filters read, and a store of whole objects keeps the objects
    #[test]
    fn metadata_alone_takes_a_fraction_of_a_whole_object() {
        let variables: Vec<Value> =
            (0..24).map(|n| json!({"name": format!("V{n}"), "value": "some text of a variable"})).collect();
        let metadata = json!({
            "name": "a", "namespace": "demo", "uid": "00000000-0000-4000-8000-000000000001", "generation": 3, "resourceVersion": "7",
            "labels": {"app": "demo"}, "annotations": {"example.com/operation": "reconcile"}, "finalizers": ["example.com/own"],
            "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}, "time": "2026-01-02T00:00:00Z"}],
        });
        let whole = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "spec": {"env": variables}, "status": {"replicas": 1},
        });
        let meta = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata});
        let bytes = |object: &Value| {
            let kept = Whole::<ConfigMap, NoIndexes>::new().project(object).unwrap();
            assert!(kept.metadata_map().contains_key("finalizers") && !kept.text().contains("managedFields"));
            size_of_val(&kept) + kept.text().len()
        };
        let (whole, meta) = (bytes(&whole), bytes(&meta));
        println!("a whole object: {whole} bytes; its metadata: {meta} bytes; a filter keeps nothing beside them");
        assert!(meta * 3 < whole, "{meta} of {whole} bytes");
    }

    // STORE-9
    #[test]
    fn an_object_that_cannot_be_decoded_is_refused() {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": ["no map"]});
        assert!(whole().project(&object).is_err());
    }
}
