//! `.Files`: the files of a chart that are not templates.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use kubewright_template::library::data::format_yaml;
use kubewright_template::value::MapType;
use kubewright_template::{FunctionError, GoList, GoMap, GoObject, GoString, GoValue, Parameter, Signature};

use super::glob;
use crate::source::{ChartFile, base_name};

/// The files of a chart, or some of them.
#[derive(Debug)]
pub(crate) struct FilesObject {
    files: BTreeMap<Arc<str>, Arc<[u8]>>,
}

impl FilesObject {
    /// Creates the object.
    pub(crate) fn new(files: &[ChartFile]) -> Self {
        Self { files: files.iter().map(|file| (file.name.clone(), file.data.clone())).collect() }
    }

    fn get(&self, name: &str) -> GoString {
        self.files.get(name).map_or_else(|| "".into(), |data| data.clone().into())
    }

    fn lines(&self, name: &str) -> GoValue {
        let data = self.files.get(name).filter(|data| !data.is_empty());
        let Some(data) = data else { return GoValue::strings([] as [&str; 0]) };
        let data = data.strip_suffix(b"\n").unwrap_or(data);
        GoValue::strings(data.split(|byte| *byte == b'\n'))
    }

    fn glob(&self, pattern: &str) -> Self {
        let pattern = glob::compile(pattern);
        let is_match = |name: &str| pattern.as_ref().is_none_or(|pattern| pattern.is_match(name));
        let files = self.files.iter().filter(|(name, _)| is_match(name));
        Self { files: files.map(|(name, data)| (name.clone(), data.clone())).collect() }
    }

    /// Returns the files as the data of a ConfigMap or Secret, in YAML: contents by the last parts of the paths.
    fn as_data(&self, encode: impl Fn(&Arc<[u8]>) -> GoString) -> GoValue {
        let entries = self.files.iter().map(|(name, data)| (base_name(name).into(), GoValue::String(encode(data))));
        let mut text = format_yaml(&GoMap::new(entries.collect(), MapType::String).into()).unwrap_or_default();
        if text.ends_with('\n') {
            text.pop();
        }
        text.into()
    }
}

impl GoObject for FilesObject {
    fn as_any(&self) -> &dyn Any {
        self
    }

    fn type_name(&self) -> &'static str {
        "engine.files"
    }

    fn kind(&self) -> &'static str {
        "map"
    }

    fn method(&self, name: &str) -> Option<Signature> {
        match name {
            "Get" | "GetBytes" | "Lines" | "Glob" => Some(Signature::of(&[Parameter::String])),
            "AsConfig" | "AsSecrets" => Some(Signature::of(&[])),
            _ => None,
        }
    }

    fn call(&self, name: &str, arguments: &[GoValue]) -> Result<GoValue, FunctionError> {
        let path = match arguments.first() {
            Some(GoValue::String(text)) => text.to_text(),
            _ => "".into(),
        };
        Ok(match name {
            "Get" => self.get(&path).into(),
            "GetBytes" => GoList::of_bytes(self.files.get(&*path).cloned().unwrap_or_default()).into(),
            "Lines" => self.lines(&path),
            "Glob" => GoValue::object(self.glob(&path)),
            "AsConfig" => self.as_data(|data| data.clone().into()),
            _ => self.as_data(|data| STANDARD.encode(data).into()),
        })
    }

    fn elements(&self) -> Option<GoValue> {
        Some(GoMap::from_pairs(self.files.iter().map(|(name, data)| (&**name, GoList::of_bytes(data.clone()).into()))).into())
    }

    fn is_true(&self) -> bool {
        !self.files.is_empty()
    }
}
