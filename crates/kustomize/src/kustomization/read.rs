//! Reading of a kustomization file.

use kubewright_machinery::yaml::{self, PlainScalar};
use serde::Deserialize as _;
use serde_json::{Map, Value};

use super::Kustomization;
use crate::error::{BuildProblem, KustomizeError};

/// The names that a kustomization file may have.
pub(crate) const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

const KUSTOMIZATION: &str = "Kustomization";
pub(super) const COMPONENT: &str = "Component";
const GROUP: &str = "kustomize.config.k8s.io";

/// Fields that kustomize knows and this crate does not support, each with the remedy.
const UNSUPPORTED: [(&str, &str); 7] = [
    ("vars", "use replacements instead"),
    ("crds", "list the references in a file of configurations instead"),
    ("generators", "plugins are not supported; use configMapGenerator or secretGenerator, or list the objects in resources"),
    ("validators", "plugins are not supported; remove the field"),
    ("helmCharts", "charts are not rendered here; render them on their own"),
    ("helmGlobals", "charts are not rendered here; remove the field"),
    ("helmChartInflationGenerator", "charts are not rendered here; render them on their own"),
];

/// The fields that are supported.
pub(super) const FIELDS: [&str; 27] = [
    "apiVersion",
    "kind",
    "metadata",
    "openapi",
    "namePrefix",
    "nameSuffix",
    "namespace",
    "commonLabels",
    "labels",
    "commonAnnotations",
    "patchesStrategicMerge",
    "patchesJson6902",
    "patches",
    "images",
    "imageTags",
    "replacements",
    "replicas",
    "sortOptions",
    "resources",
    "components",
    "bases",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
    "configurations",
    "transformers",
    "buildMetadata",
];

const BUILD_METADATA: [&str; 3] = ["originAnnotations", "transformerAnnotations", "managedByLabel"];

/// Reads a kustomization file. `file` is its path, for errors.
pub(crate) fn read_kustomization(bytes: &[u8], file: &str) -> Result<Kustomization, KustomizeError> {
    let at = |problem: BuildProblem| problem.in_file(file);
    let text = std::str::from_utf8(bytes).map_err(|_| at(BuildProblem::new("the file is not UTF-8")))?;
    let mut document = yaml::first_document(text).map_err(|error| at(BuildProblem(error.to_string())))?;
    remove_nulls(&mut document);
    settle_case(&mut document);
    let Value::Object(members) = &document else {
        let found = if document.is_null() { "kustomization.yaml is empty" } else { "invalid Kustomization: expected an object" };
        return Err(at(BuildProblem::new(found)));
    };
    if members.keys().all(|name| name == "apiVersion" || name == "kind") {
        return Err(at(BuildProblem::new("kustomization.yaml is empty")));
    }
    if let Some((name, remedy)) = UNSUPPORTED.iter().find(|(name, _)| members.contains_key(*name)) {
        return Err(BuildProblem(format!("the field is not supported; {remedy}")).in_field(file, *name));
    }
    let mut kustomization = Kustomization::deserialize(&document).map_err(|error| invalid(members, &error, file))?;
    check(&mut kustomization, file)?;
    let Kustomization { resources, bases, images, image_tags, .. } = &mut kustomization;
    resources.append(bases);
    images.append(image_tags);
    for generated in kustomization.config_map_generator.iter_mut().chain(&mut kustomization.secret_generator) {
        if !generated.env.is_empty() {
            generated.envs.push(std::mem::take(&mut generated.env));
        }
    }
    Ok(kustomization)
}

/// Gives the fields of a kustomization their own letters: kustomize does not tell small and capital letters apart.
fn settle_case(document: &mut Value) {
    let Value::Object(members) = document else { return };
    let known = || FIELDS.iter().copied().chain(UNSUPPORTED.iter().map(|(name, _)| *name));
    let others: Vec<String> = members.keys().filter(|name| !known().any(|known| known == **name)).cloned().collect();
    for name in others {
        let Some(field) = known().find(|known| known.eq_ignore_ascii_case(&name)) else { continue };
        if let Some(value) = members.remove(&name) {
            members.entry(field).or_insert(value);
        }
    }
}

/// Removes members that are null, which are absent for kustomize.
fn remove_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(remove_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_nulls),
        _ => {}
    }
}

/// Returns the error of a kustomization that does not have the expected form, with the first field in which it is; an unknown field is named as
/// kustomize does.
fn invalid(members: &Map<String, Value>, error: &serde_json::Error, file: &str) -> KustomizeError {
    let error_of = |(name, value): (&String, &Value)| {
        let alone = Value::Object(Map::from_iter([(name.clone(), value.clone())]));
        Some((name.clone(), Kustomization::deserialize(&alone).err()?.to_string()))
    };
    let (field, message) =
        members.iter().find_map(error_of).map_or_else(|| (None, error.to_string()), |(name, error)| (Some(name), error));
    let unknown = message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'));
    let problem = BuildProblem(match unknown {
        Some((name, rest)) => format!("invalid Kustomization: unknown field {name:?}{rest}"),
        None => format!("invalid Kustomization: {message}"),
    });
    match field {
        Some(field) => problem.in_field(file, field),
        None => problem.in_file(file),
    }
}

fn check(kustomization: &mut Kustomization, file: &str) -> Result<(), KustomizeError> {
    if kustomization.kind.is_empty() {
        KUSTOMIZATION.clone_into(&mut kustomization.kind);
    }
    let version = match kustomization.kind.as_str() {
        KUSTOMIZATION => format!("{GROUP}/v1beta1"),
        COMPONENT => format!("{GROUP}/v1alpha1"),
        other => {
            let message = format!("kind should be {KUSTOMIZATION} or {COMPONENT}, not {other:?}");
            return Err(BuildProblem(message).in_field(file, "kind"));
        }
    };
    if !kustomization.api_version.is_empty() && kustomization.api_version != version {
        let message = format!("apiVersion for {} should be {version}, not {:?}", kustomization.kind, kustomization.api_version);
        return Err(BuildProblem(message).in_field(file, "apiVersion"));
    }
    if let Some(unknown) = kustomization.openapi.keys().find(|key| *key != "path") {
        let message = format!("{unknown:?} is not supported; only path is, a file with the schema of all kinds that are merged");
        return Err(BuildProblem(message).in_field(file, "openapi"));
    }
    if let Some(unknown) = kustomization.build_metadata.iter().find(|option| !BUILD_METADATA.contains(&option.as_str())) {
        let message = format!("{unknown:?} is none of {}", BUILD_METADATA.join(", "));
        return Err(BuildProblem(message).in_field(file, "buildMetadata"));
    }
    let maps = [("commonLabels", &kustomization.common_labels), ("commonAnnotations", &kustomization.common_annotations)];
    let pairs = kustomization.labels.iter().map(|entry| ("labels", &entry.pairs));
    for (field, map) in maps.into_iter().chain(pairs) {
        check_keys(map.keys()).map_err(|problem| problem.in_field(file, field))?;
    }
    Ok(())
}

/// Refuses keys that kustomize writes into its documents without quotes, and then reads as something else than texts.
pub(crate) fn check_keys<'a>(keys: impl Iterator<Item = &'a String>) -> Result<(), BuildProblem> {
    for key in keys {
        if PlainScalar::resolve_as_yaml_1_2(key) != PlainScalar::Text {
            return Err(BuildProblem(format!(
                "json: unsupported type: map[interface {{}}]interface {{}}: the key {key:?} is no text for kustomize (a key such as y, n, yes or no \
                 must be quoted, and no key may be true, false, null or a number)"
            )));
        }
    }
    Ok(())
}
