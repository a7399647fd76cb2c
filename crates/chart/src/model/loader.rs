//! Loading of charts.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use kubewright_template::library::data::parse_yaml;
use serde_json::{Map, Value};

use super::chart::Chart;
use super::metadata::ChartMetadata;
use crate::compat::HelmCompat;
use crate::error::ChartError;
use crate::source::{
    ChartFile, ChartLimits, FileUsage, RemainingLimits, has_extension, read_archive, read_memory, read_path, without_ignored,
};
use crate::values::parse_values;

/// Loads charts.
#[derive(Clone, Copy, Debug, Default)]
pub struct ChartLoader {
    /// The release line of Helm that charts are loaded and rendered like.
    pub compat: HelmCompat,
    /// The limits of a chart.
    pub limits: ChartLimits,
}

impl ChartLoader {
    /// Creates a loader with the default limits.
    pub fn new(compat: HelmCompat) -> Self {
        Self { compat, ..Self::default() }
    }

    /// Loads a chart from a directory, without the files that its `.helmignore` names, or from an archive.
    pub fn path(&self, path: impl AsRef<Path>) -> Result<Chart, ChartError> {
        let mut limits = RemainingLimits::new(self.limits);
        let files = read_path(path.as_ref(), &mut limits)?;
        self.load(files, &mut limits, 0)
    }

    /// Loads a chart from an archive: a tar file in gzip.
    pub fn archive(&self, bytes: &[u8]) -> Result<Chart, ChartError> {
        let mut limits = RemainingLimits::new(self.limits);
        let files = read_archive(bytes, &mut limits)?;
        self.load(files, &mut limits, 0)
    }

    /// Loads a chart from files in memory: pairs of a path below the chart's directory and a content.
    pub fn files<P: AsRef<str>, D: AsRef<[u8]>>(&self, files: impl IntoIterator<Item = (P, D)>) -> Result<Chart, ChartError> {
        let mut limits = RemainingLimits::new(self.limits);
        let files = read_memory(files, &mut limits)?;
        self.load(files, &mut limits, 0)
    }

    /// Loads a chart from the files of a directory that a program embeds, without those that its `.helmignore` names.
    pub fn embedded<P: AsRef<str>, D: AsRef<[u8]>>(&self, files: impl IntoIterator<Item = (P, D)>) -> Result<Chart, ChartError> {
        let mut limits = RemainingLimits::new(self.limits);
        let files = without_ignored(read_memory(files, &mut limits)?)?;
        self.load(files, &mut limits, 0)
    }

    fn load(&self, files: Vec<ChartFile>, limits: &mut RemainingLimits, depth: usize) -> Result<Chart, ChartError> {
        if depth > self.limits.depth {
            return Err(ChartError::TooDeep(self.limits.depth));
        }
        let mut metadata = None;
        for file in files.iter().filter(|file| &*file.name == "Chart.yaml") {
            let mut decoded = ChartMetadata::decode(&read_yaml(file)?, self.compat).map_err(|message| of_file(file, message))?;
            if decoded.api_version.is_empty() {
                "v1".clone_into(&mut decoded.api_version);
            }
            metadata = Some(decoded);
        }
        let mut chart = Chart {
            metadata: metadata.ok_or(ChartError::NoMetadata)?,
            values: Map::new(),
            schema: None,
            lock: None,
            templates: Vec::new(),
            files: Vec::new(),
            dependencies: Vec::new(),
            compat: self.compat,
            limits: self.limits,
            usage: FileUsage::default(),
        };
        let is_first = chart.metadata.api_version == "v1";
        let mut subcharts: BTreeMap<String, Vec<ChartFile>> = BTreeMap::new();
        for file in files {
            if !file.name.starts_with("charts/") {
                chart.usage.add(FileUsage::of(&file), 1);
            }
            match &*file.name {
                "Chart.yaml" => {}
                "values.yaml" => {
                    chart.values = parse_values(&file.data, self.compat).map_err(|message| of_file(&file, message))?;
                }
                "values.schema.json" => chart.schema = Some(file.data),
                "Chart.lock" => chart.lock = Some(read_yaml(&file)?),
                "requirements.yaml" | "requirements.lock" => {
                    let document = read_yaml(&file)?;
                    if file.name.ends_with(".lock") {
                        chart.lock = Some(document);
                    } else {
                        chart.metadata.decode_requirements(&document, self.compat).map_err(|message| of_file(&file, message))?;
                    }
                    if is_first {
                        chart.files.push(file);
                    }
                }
                name if name.starts_with("templates/") => chart.templates.push(file),
                name => match name.strip_prefix("charts/") {
                    Some(below) if !has_extension(below, "prov") => {
                        let subchart = below.split('/').next().unwrap_or_default().to_owned();
                        let renamed = file.renamed(below);
                        subcharts.entry(subchart).or_default().push(renamed);
                    }
                    _ => chart.files.push(file),
                },
            }
        }
        chart.metadata.validate()?;
        for (name, files) in subcharts {
            if name.starts_with(['_', '.']) {
                continue;
            }
            let loaded = self.subchart(chart.name(), &name, files, limits, depth + 1).map_err(|source| ChartError::Subchart {
                subchart: name,
                chart: chart.name().to_owned(),
                source: Box::new(source),
            })?;
            chart.dependencies.push(Arc::new(loaded));
        }
        Ok(chart)
    }

    fn subchart(
        &self,
        chart: &str,
        name: &str,
        files: Vec<ChartFile>,
        limits: &mut RemainingLimits,
        depth: usize,
    ) -> Result<Chart, ChartError> {
        if has_extension(name, "tgz") {
            return match files.first() {
                Some(file) if &*file.name == name => {
                    let files = read_archive(&file.data, limits)?;
                    self.load(files, limits, depth)
                }
                other => {
                    let found = other.map_or("", |file| &file.name);
                    Err(ChartError::Archive(format!("error unpacking subchart tar in {chart}: expected {name}, got {found}")))
                }
            };
        }
        let below = files.iter().filter_map(|file| Some(file.renamed(file.name.split_once('/')?.1)));
        self.load(below.collect(), limits, depth)
    }
}

fn read_yaml(file: &ChartFile) -> Result<Value, ChartError> {
    parse_yaml(&file.data).map_err(|message| of_file(file, message))
}

fn of_file(file: &ChartFile, message: String) -> ChartError {
    ChartError::File { file: file.name.to_string(), message }
}

#[cfg(test)]
mod tests {
    use super::*;

    const METADATA: (&str, &str) = ("Chart.yaml", "apiVersion: v2\nname: web\nversion: 1.0.0\n");

    fn load(files: &[(&str, &str)]) -> Result<Chart, String> {
        ChartLoader::default().files(files.iter().copied()).map_err(|error| error.to_string())
    }

    fn names(files: &[ChartFile]) -> Vec<&str> {
        files.iter().map(|file| &*file.name).collect()
    }

    #[test]
    fn files_go_where_helm_puts_them() {
        let chart = load(&[
            METADATA,
            ("README.md", "text"),
            ("charts/_hidden/Chart.yaml", "x: ["),
            ("charts/db-1.0.0.tgz.prov", "x"),
            ("crds/a.yaml", "a: 1"),
            ("templates/a.yaml", "a"),
            ("values.yaml", "a: 1"),
        ])
        .unwrap();
        assert_eq!(names(&chart.templates), ["templates/a.yaml"]);
        assert_eq!(names(&chart.files), ["README.md", "charts/db-1.0.0.tgz.prov", "crds/a.yaml"]);
        assert_eq!(chart.crds().count(), 1);
    }

    #[test]
    fn a_chart_of_the_first_format_has_requirements() {
        let chart = load(&[
            ("Chart.yaml", "name: web\nversion: 1.0.0\n"),
            ("requirements.yaml", "dependencies: [{name: db, version: 1.x, alias: store}]"),
        ])
        .unwrap();
        assert_eq!(chart.metadata.api_version, "v1");
        assert_eq!(chart.metadata.dependencies[0].used_name(), "store");
        assert_eq!(names(&chart.files), ["requirements.yaml"]);
    }

    #[test]
    fn subcharts_are_loaded_from_directories() {
        let chart = load(&[METADATA, ("charts/db/Chart.yaml", "name: db\nversion: 2.0.0"), ("charts/db/values.yaml", "a: 1")]);
        let chart = chart.unwrap();
        assert_eq!(chart.dependencies[0].name(), "db");
        assert_eq!(chart.dependencies[0].values["a"], 1);
    }

    #[test]
    fn invalid_metadata_is_refused() {
        for (text, expected) in [
            ("version: 1.0.0", "validation: chart.metadata.name is required"),
            ("name: web", "validation: chart.metadata.version is required"),
            ("name: web\nversion: x", "validation: chart.metadata.version \"x\" is invalid"),
            ("name: a/b\nversion: 1.0.0", "validation: chart.metadata.name \"a/b\" is invalid"),
            ("name: web\nversion: 1.0.0\ntype: x", "validation: chart.metadata.type must be application or library"),
            (
                "name: web\nversion: 1.0.0\ndependencies: [{name: a}, {name: b, alias: a}]",
                "validation: more than one dependency with name or alias \"a\"",
            ),
        ] {
            assert_eq!(load(&[("Chart.yaml", text)]).unwrap_err(), expected, "{text}");
        }
        assert_eq!(load(&[("values.yaml", "")]).unwrap_err(), "Chart.yaml file is missing");
    }

    #[test]
    fn errors_name_the_file_and_the_field() {
        let type_error = "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal";
        for (name, text, expected) in [
            (
                "Chart.yaml",
                "name: {}",
                format!("cannot load Chart.yaml: {type_error} object into Go struct field Metadata.name of type string"),
            ),
            (
                "Chart.yaml",
                "maintainers: [{name: [a]}]",
                format!(
                    "cannot load Chart.yaml: {type_error} array into Go struct field Maintainer.maintainers.name of type string"
                ),
            ),
            (
                "Chart.yaml",
                "maintainers: [null]",
                "cannot load Chart.yaml: validation: maintainers must not contain empty or null nodes".to_owned(),
            ),
            (
                "requirements.yaml",
                "dependencies: [{name: a}, null]",
                "cannot load requirements.yaml: validation: dependencies must not contain empty or null nodes".to_owned(),
            ),
            (
                "values.yaml",
                "[a]",
                format!(
                    "cannot load values.yaml: cannot unmarshal yaml document: {type_error} array into Go value of type map[string]interface {{}}"
                ),
            ),
            (
                "charts/db/Chart.yaml",
                "version: {}",
                format!(
                    "error unpacking subchart db in web: cannot load Chart.yaml: {type_error} object into Go struct field Metadata.version of type string"
                ),
            ),
        ] {
            let error = if name == "Chart.yaml" { load(&[(name, text)]) } else { load(&[METADATA, (name, text)]) }.unwrap_err();
            assert_eq!(error, expected, "{name}: {text}");
        }
        let error = load(&[METADATA, ("Chart.lock", "a: [")]).unwrap_err();
        assert!(error.starts_with("cannot load Chart.lock: error converting YAML to JSON: yaml: "), "{error}");
    }

    #[test]
    fn locks_of_both_formats_are_kept() {
        for name in ["Chart.lock", "requirements.lock"] {
            let chart = load(&[METADATA, (name, "digest: x")]).unwrap();
            assert_eq!(chart.lock.unwrap()["digest"], "x", "{name}");
        }
    }

    #[test]
    fn values_of_several_documents_are_merged_by_helm_4_alone() {
        let files = [METADATA, ("values.yaml", "a: {b: 1}\n---\na: {c: 2}\n")];
        let values = |compat| Value::Object(ChartLoader::new(compat).files(files).unwrap().values).to_string();
        assert_eq!(values(HelmCompat::Helm4), r#"{"a":{"b":1,"c":2}}"#);
        assert_eq!(values(HelmCompat::Helm3), r#"{"a":{"b":1}}"#);
    }
}
