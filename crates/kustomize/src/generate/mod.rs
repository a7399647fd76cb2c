//! Generation of ConfigMaps and Secrets.

mod hash;
mod sources;
#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

pub(crate) use hash::hash_suffix;

use crate::error::BuildProblem;
use crate::kustomization::{GeneratedObject, GeneratorOptions, check_keys};
use crate::resource::{BuildResource, GeneratorBehavior};

/// The longest line of base64 in the data of a generated object.
const LINE: usize = 70;

/// The kind of a generated object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GeneratedKind {
    ConfigMap,
    Secret,
}

impl GeneratedKind {
    /// Returns the kind of the generator, as kustomize names it.
    pub(crate) fn generator(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMapGenerator",
            Self::Secret => "SecretGenerator",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
        }
    }
}

/// Generates an object. `load` reads a file by its path relative to the kustomization.
pub(crate) fn generate<'a>(
    kind: GeneratedKind,
    entry: &GeneratedObject,
    all: Option<&GeneratorOptions>,
    load: &dyn Fn(&str) -> Result<&'a [u8], BuildProblem>,
) -> Result<BuildResource, BuildProblem> {
    let options = entry.options.clone().unwrap_or_default();
    let options = all.map_or_else(|| options.clone(), |all| options.clone().or(all));
    if entry.name.is_empty() {
        return Err(BuildProblem::new("an entry has no name; set name"));
    }
    let within = |problem: BuildProblem| problem.within(&entry.name);
    check_keys(options.labels.keys().chain(options.annotations.keys())).map_err(within)?;
    if kind == GeneratedKind::ConfigMap && !entry.secret_type.is_empty() {
        return Err(within(BuildProblem::new("unknown field \"type\"; only Secrets have a type")));
    }
    let mut metadata = Map::from_iter([("name".to_owned(), entry.name.as_str().into())]);
    if !entry.namespace.is_empty() {
        metadata.insert("namespace".to_owned(), entry.namespace.as_str().into());
    }
    for (field, texts) in [("labels", &options.labels), ("annotations", &options.annotations)] {
        if !texts.is_empty() {
            metadata.insert(field.to_owned(), json!(texts));
        }
    }
    let mut object = json!({"apiVersion": "v1", "kind": kind.name(), "metadata": metadata});
    if kind == GeneratedKind::Secret {
        object["type"] = if entry.secret_type.is_empty() { "Opaque" } else { entry.secret_type.as_str() }.into();
    }
    for (key, bytes) in sources::pairs(entry, load).map_err(within)? {
        match std::str::from_utf8(&bytes) {
            Ok(text) if kind == GeneratedKind::ConfigMap => object["data"][key] = text.into(),
            Err(_) if kind == GeneratedKind::ConfigMap => object["binaryData"][key] = in_lines(&bytes).into(),
            _ => object["data"][key] = in_lines(&bytes).into(),
        }
    }
    if options.immutable {
        object["immutable"] = Value::Bool(true);
    }
    let behavior = match entry.behavior.as_str() {
        "replace" => GeneratorBehavior::Replace,
        "merge" => GeneratorBehavior::Merge,
        "" | "create" => GeneratorBehavior::Create,
        other => return Err(within(BuildProblem(format!("behavior {other:?} is none of create, replace, merge")))),
    };
    let mut resource = BuildResource::new(object);
    resource.behavior = behavior;
    resource.needs_hash = !options.disable_name_suffix_hash;
    Ok(resource)
}

/// Returns the base64 of bytes, in lines of 70 characters if it is longer than one.
fn in_lines(bytes: &[u8]) -> String {
    let encoded = STANDARD.encode(bytes);
    if encoded.len() <= LINE {
        return encoded;
    }
    let mut lines = String::with_capacity(encoded.len() + encoded.len() / LINE + 1);
    for (index, character) in encoded.chars().enumerate() {
        if index > 0 && index % LINE == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    lines.push('\n');
    lines
}
