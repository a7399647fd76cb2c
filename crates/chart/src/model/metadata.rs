//! `Chart.yaml`.

use std::collections::BTreeMap;

use serde_json::Value;

use super::decode::FieldDecoder;
use crate::compat::HelmCompat;

/// The metadata of a chart: the fields of its `Chart.yaml`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartMetadata {
    /// The name.
    pub name: String,
    /// The URL of a page about the project.
    pub home: String,
    /// URLs of sources.
    pub sources: Vec<String>,
    /// The version, a semantic one.
    pub version: String,
    /// One sentence about the chart.
    pub description: String,
    /// Keywords.
    pub keywords: Vec<String>,
    /// The maintainers.
    pub maintainers: Vec<ChartMaintainer>,
    /// The URL of an icon.
    pub icon: String,
    /// The version of the format: `v1` or `v2`. A chart without one is `v1`.
    pub api_version: String,
    /// The condition of Helm 2; without effect.
    pub condition: String,
    /// The tags of Helm 2; without effect.
    pub tags: String,
    /// The version of the application in the chart.
    pub app_version: String,
    /// True if the chart should not be used any more.
    pub deprecated: bool,
    /// Annotations, for other programs.
    pub annotations: BTreeMap<String, String>,
    /// The versions of Kubernetes that the chart supports; empty for all.
    pub kube_version: String,
    /// The declared dependencies.
    pub dependencies: Vec<ChartDependency>,
    /// `application`, `library`, or empty.
    pub chart_type: String,
}

/// The type of a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartType {
    /// A chart with objects.
    Application,
    /// A chart whose templates are definitions for other charts.
    Library,
}

/// A maintainer of a chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartMaintainer {
    /// The name of a person or of an organisation.
    pub name: String,
    /// The mail address.
    pub email: String,
    /// The URL.
    pub url: String,
}

/// A declared dependency.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ChartDependency {
    /// The name of the chart.
    pub name: String,
    /// The range of versions.
    pub version: String,
    /// The URL of the repository.
    pub repository: String,
    /// Paths in the values, between commas; the first that is a boolean decides whether the dependency is enabled.
    pub condition: String,
    /// Keys of `tags` in the values that enable and disable the dependency.
    pub tags: Vec<String>,
    /// Values that the parent takes over.
    pub import_values: Vec<ImportedValues>,
    /// The name under which the chart is used; empty if it is that of the chart.
    pub alias: String,
}

/// One item of `import-values`.
#[derive(Clone, Debug, PartialEq)]
pub enum ImportedValues {
    /// The table below `exports` that goes into the root of the parent's values.
    Export(String),
    /// The table of the child that goes into a table of the parent.
    Table {
        /// The path in the child's values.
        child: String,
        /// The path in the parent's values; `.` is the root.
        parent: String,
    },
    /// A value of another type, which is ignored.
    Other,
}

impl ChartMetadata {
    /// Reads a `Chart.yaml`. The error is that of Go's decoder.
    pub(super) fn decode(document: &Value, compat: HelmCompat) -> Result<Self, String> {
        let types = MetadataTypes::of(compat);
        // Helm 4 reads the version of the API first, whose type an error of the whole document names.
        let type_name = if document.is_object() { types.metadata } else { types.base };
        let Some(fields) = FieldDecoder::document(document, type_name)? else { return Ok(Self::default()) };
        let maintainers = fields.objects("maintainers", types.maintainer)?;
        Ok(Self {
            name: fields.text("name")?,
            home: fields.text("home")?,
            sources: fields.texts("sources")?,
            version: fields.text("version")?,
            description: fields.text("description")?,
            keywords: fields.texts("keywords")?,
            maintainers: maintainers.iter().map(ChartMaintainer::decode).collect::<Result<_, _>>()?,
            icon: fields.text("icon")?,
            api_version: fields.text("apiVersion")?,
            condition: fields.text("condition")?,
            tags: fields.text("tags")?,
            app_version: fields.text("appVersion")?,
            deprecated: fields.bool("deprecated")?,
            annotations: fields.map("annotations")?,
            kube_version: fields.text("kubeVersion")?,
            dependencies: decode_dependencies(&fields, &types)?,
            chart_type: fields.text("type")?,
        })
    }

    /// Takes the dependencies of a `requirements.yaml`.
    pub(super) fn decode_requirements(&mut self, document: &Value, compat: HelmCompat) -> Result<(), String> {
        let types = MetadataTypes::of(compat);
        if let Some(fields) = FieldDecoder::document(document, types.metadata)?
            && fields.has("dependencies")
        {
            self.dependencies = decode_dependencies(&fields, &types)?;
        }
        Ok(())
    }

    /// Returns the type of the chart.
    pub fn chart_type(&self) -> ChartType {
        if self.chart_type.eq_ignore_ascii_case("library") { ChartType::Library } else { ChartType::Application }
    }
}

impl ChartMaintainer {
    fn decode(fields: &FieldDecoder<'_>) -> Result<Self, String> {
        Ok(Self { name: fields.text("name")?, email: fields.text("email")?, url: fields.text("url")? })
    }
}

impl ChartDependency {
    fn decode(fields: &FieldDecoder<'_>) -> Result<Self, String> {
        let imports = fields.list("import-values", "[]interface {}")?;
        Ok(Self {
            name: fields.text("name")?,
            version: fields.text("version")?,
            repository: fields.text("repository")?,
            condition: fields.text("condition")?,
            tags: fields.texts("tags")?,
            import_values: imports.iter().map(ImportedValues::decode).collect(),
            alias: fields.text("alias")?,
        })
    }

    /// Returns the name under which the chart is used.
    pub fn used_name(&self) -> &str {
        if self.alias.is_empty() { &self.name } else { &self.alias }
    }
}

fn decode_dependencies<'a>(fields: &FieldDecoder<'a>, types: &MetadataTypes<'a>) -> Result<Vec<ChartDependency>, String> {
    fields.objects("dependencies", types.dependency)?.iter().map(ChartDependency::decode).collect()
}

/// The names of the types of metadata in Go.
struct MetadataTypes<'a> {
    base: &'a str,
    metadata: &'a str,
    maintainer: &'a str,
    dependency: &'a str,
}

impl MetadataTypes<'_> {
    const fn of(compat: HelmCompat) -> Self {
        match compat {
            HelmCompat::Helm4 => Self {
                base: "loader.chartBase",
                metadata: "v2.Metadata",
                maintainer: "v2.Maintainer",
                dependency: "v2.Dependency",
            },
            HelmCompat::Helm3 => Self {
                base: "chart.Metadata",
                metadata: "chart.Metadata",
                maintainer: "chart.Maintainer",
                dependency: "chart.Dependency",
            },
        }
    }
}

impl ImportedValues {
    fn decode(value: &Value) -> Self {
        let text = |value: Option<&Value>| match value {
            Some(Value::String(text)) => text.clone(),
            None | Some(Value::Null) => "<nil>".to_owned(),
            Some(other) => other.to_string(),
        };
        match value {
            Value::String(name) => Self::Export(name.clone()),
            Value::Object(fields) => Self::Table { child: text(fields.get("child")), parent: text(fields.get("parent")) },
            _ => Self::Other,
        }
    }

    /// Returns the path of the table in the child's values and that in the parent's; None for a value that is ignored.
    pub(crate) fn paths(&self) -> Option<(String, &str)> {
        match self {
            Self::Export(name) => Some((format!("exports.{name}"), ".")),
            Self::Table { child, parent } => Some((child.clone(), parent)),
            Self::Other => None,
        }
    }
}
