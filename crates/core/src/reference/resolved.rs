use std::any::Any;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::Arc;

use base64::Engine as _;
use serde_json::{Map, Value};

use super::loads::{LoadedKey, LoadedReference};
use super::{
    ConfigMapBytesKeyRef, ConfigMapBytesRef, ConfigMapKeyRef, ConfigMapRef, ReferenceKind, ReferencedData, ReferencedObject,
    SecretKeyRef, SecretRef,
};

/// The contents of the objects that a component refers to (REF-6). Clones are cheap; the `Debug` output does not contain the contents.
#[derive(Clone, Default)]
pub struct Resolved {
    contents: Arc<Contents>,
}

#[derive(Clone, Default)]
struct Contents {
    config_maps: BTreeMap<String, BTreeMap<String, String>>,
    /// The decoded `binaryData` of the ConfigMaps that are referred to as bytes.
    binary: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    secrets: BTreeMap<String, BTreeMap<String, Vec<u8>>>,
    /// The key that applies to the references that name this target with this given key.
    keys: BTreeMap<(ReferencedObject, Option<String>), String>,
    loaded: HashMap<LoadedKey, Arc<dyn Any + Send + Sync>>,
}

impl Resolved {
    /// Returns the content of a reference to a ConfigMap. `None` when the reference is not resolved.
    pub fn config_map<'a, R: ConfigMapReference>(&'a self, reference: &R) -> Option<R::Content<'a>> {
        reference.content(self)
    }

    /// Returns the content of a reference to a Secret. `None` when the reference is not resolved.
    pub fn secret<'a, R: SecretReference>(&'a self, reference: &R) -> Option<R::Content<'a>> {
        reference.content(self)
    }

    /// Returns the content of a reference that code of the operator loaded. `None` when the reference is absent or not resolved.
    pub fn loaded<'a, R: LoadedReference>(&'a self, reference: &R) -> Option<R::Content<'a>> {
        reference.content(self)
    }

    /// Adds the content that a reference resolved to.
    pub fn add_loaded(&mut self, key: LoadedKey, content: Arc<dyn Any + Send + Sync>) {
        Arc::make_mut(&mut self.contents).loaded.insert(key, content);
    }

    pub(super) fn find_loaded(&self, key: &LoadedKey) -> Option<&(dyn Any + Send + Sync)> {
        self.contents.loaded.get(key).map(AsRef::as_ref)
    }

    pub(super) fn add(&mut self, target: &ReferencedObject, values: &ReferencedData, bytes: bool) {
        let contents = Arc::make_mut(&mut self.contents);
        match target.kind {
            ReferenceKind::ConfigMap => {
                let texts = texts(&values.data).map(|(key, text)| (key.clone(), text.to_owned())).collect();
                contents.config_maps.insert(target.name.clone(), texts);
                if bytes {
                    contents.binary.insert(target.name.clone(), decoded(&values.binary_data));
                }
            }
            ReferenceKind::Secret => {
                contents.secrets.insert(target.name.clone(), decoded(&values.data));
            }
        }
    }

    pub(super) fn choose(&mut self, target: &ReferencedObject, given: Option<&str>, key: &str) {
        let keys = &mut Arc::make_mut(&mut self.contents).keys;
        keys.insert((target.clone(), given.map(str::to_owned)), key.to_owned());
    }

    fn key(&self, kind: ReferenceKind, name: &str, given: Option<&str>) -> Option<&str> {
        let given = given.filter(|key| !key.is_empty()).map(str::to_owned);
        self.contents.keys.get(&(ReferencedObject { kind, name: name.to_owned() }, given)).map(String::as_str)
    }
}

fn texts(fields: &Map<String, Value>) -> impl Iterator<Item = (&String, &str)> {
    fields.iter().filter_map(|(key, value)| Some((key, value.as_str()?)))
}

fn decoded(fields: &Map<String, Value>) -> BTreeMap<String, Vec<u8>> {
    texts(fields).map(|(key, text)| (key.clone(), decode(text))).collect()
}

/// Decodes a value of a Secret or of `binaryData`. The API server rejects values that are not base64.
pub(super) fn decode(text: &str) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD.decode(text).unwrap_or_default()
}

/// A reference to a ConfigMap or one of its keys, or an option of one.
pub trait ConfigMapReference {
    /// The type of the content: all data, or one value.
    type Content<'a>;
    /// Returns the content of the reference. `None` when the reference is absent or not resolved.
    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>>;
}

/// A reference to a Secret or one of its keys, or an option of one.
pub trait SecretReference {
    /// The type of the content: all data, or one value.
    type Content<'a>;
    /// Returns the content of the reference. `None` when the reference is absent or not resolved.
    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>>;
}

impl ConfigMapReference for ConfigMapRef {
    type Content<'a> = &'a BTreeMap<String, String>;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        resolved.contents.config_maps.get(&self.name)
    }
}

impl ConfigMapReference for ConfigMapKeyRef {
    type Content<'a> = &'a str;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        let key = resolved.key(ReferenceKind::ConfigMap, &self.name, self.key.as_deref())?;
        resolved.contents.config_maps.get(&self.name)?.get(key).map(String::as_str)
    }
}

impl ConfigMapReference for ConfigMapBytesRef {
    type Content<'a> = BTreeMap<&'a str, &'a [u8]>;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        let texts = resolved.contents.config_maps.get(&self.name)?.iter().map(|(key, text)| (key.as_str(), text.as_bytes()));
        let binary = resolved.contents.binary.get(&self.name)?.iter().map(|(key, bytes)| (key.as_str(), bytes.as_slice()));
        Some(binary.chain(texts).collect())
    }
}

impl ConfigMapReference for ConfigMapBytesKeyRef {
    type Content<'a> = &'a [u8];

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        let key = resolved.key(ReferenceKind::ConfigMap, &self.name, self.key.as_deref())?;
        let text = resolved.contents.config_maps.get(&self.name)?.get(key).map(String::as_bytes);
        text.or_else(|| resolved.contents.binary.get(&self.name)?.get(key).map(Vec::as_slice))
    }
}

impl SecretReference for SecretRef {
    type Content<'a> = &'a BTreeMap<String, Vec<u8>>;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        resolved.contents.secrets.get(&self.name)
    }
}

impl SecretReference for SecretKeyRef {
    type Content<'a> = &'a [u8];

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        let key = resolved.key(ReferenceKind::Secret, &self.name, self.key.as_deref())?;
        resolved.contents.secrets.get(&self.name)?.get(key).map(Vec::as_slice)
    }
}

impl<R: ConfigMapReference> ConfigMapReference for Option<R> {
    type Content<'a> = R::Content<'a>;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        self.as_ref()?.content(resolved)
    }
}

impl<R: SecretReference> SecretReference for Option<R> {
    type Content<'a> = R::Content<'a>;

    fn content<'a>(&self, resolved: &'a Resolved) -> Option<Self::Content<'a>> {
        self.as_ref()?.content(resolved)
    }
}

impl fmt::Debug for Resolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resolved")
            .field("config_maps", &self.contents.config_maps.keys())
            .field("secrets", &self.contents.secrets.keys())
            .field("loaded", &self.contents.loaded.len())
            .finish_non_exhaustive()
    }
}
