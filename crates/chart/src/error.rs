//! Errors of charts, in the words of Helm.

use std::io;
use std::path::PathBuf;

use kubewright_template::TemplateError;
use thiserror::Error;

/// The errors of loading, compiling and rendering a chart. All are errors of the input, except [`ChartError::Read`].
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ChartError {
    /// A file or directory cannot be read.
    #[error("read {}: {source}", path.display())]
    Read {
        /// The path.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The files of a chart are malformed as an archive, exceed a limit, or have a path or link that leaves the chart.
    #[error("{0}")]
    Archive(String),
    /// A file of the chart is malformed.
    #[error("cannot load {file}: {message}")]
    File {
        /// The file, such as `Chart.yaml`.
        file: String,
        /// The reason.
        message: String,
    },
    /// The chart has no `Chart.yaml`.
    #[error("Chart.yaml file is missing")]
    NoMetadata,
    /// The metadata of the chart is not valid.
    #[error("validation: {0}")]
    Metadata(String),
    /// A subchart cannot be loaded.
    #[error("error unpacking subchart {subchart} in {chart}: {source}")]
    Subchart {
        /// The name of the subchart's directory or archive.
        subchart: String,
        /// The name of the chart.
        chart: String,
        /// The reason.
        source: Box<Self>,
    },
    /// Charts are nested deeper than the limit.
    #[error("charts are nested more than {0} levels deep")]
    TooDeep(usize),
    /// The subcharts exceed the limits of the chart if each is counted once per alias.
    #[error(
        "chart {chart} is larger than {size} bytes or has more than {files} files, those of a subchart counted once per alias"
    )]
    TooManyAliases {
        /// The name of the chart.
        chart: String,
        /// The largest size, in bytes.
        size: u64,
        /// The largest number of files.
        files: usize,
    },
    /// The chart is a library.
    #[error("{0} charts are not installable")]
    NotInstallable(String),
    /// Dependencies are declared that are not in `charts/`.
    #[error("found in Chart.yaml, but missing in charts/ directory: {}", names.join(", "))]
    MissingDependencies {
        /// The names of the dependencies.
        names: Vec<String>,
    },
    /// The version of a dependency in `charts/` is not in the declared range.
    #[error("version {found} of the dependency {name} in charts/ is not in the declared range {declared:?}")]
    DependencyVersion {
        /// The name of the dependency.
        name: String,
        /// The declared range.
        declared: String,
        /// The version in `charts/`.
        found: String,
    },
    /// The values cannot be used for the chart and its subcharts.
    #[error("{0}")]
    Values(String),
    /// The values do not satisfy the schemas of the charts.
    #[error("values don't meet the specifications of the schema(s) in the following chart(s):\n{0}")]
    Schema(String),
    /// The chart does not support the version of Kubernetes.
    #[error("chart requires kubeVersion: {required} which is incompatible with Kubernetes {found}")]
    KubeVersion {
        /// The range that the chart requires.
        required: String,
        /// The version of the target.
        found: String,
    },
    /// A version of Kubernetes is malformed.
    #[error("invalid kube version '{version}': {message}")]
    MalformedKubeVersion {
        /// The version.
        version: String,
        /// The reason.
        message: String,
    },
    /// A template cannot be parsed, or its execution failed.
    #[error("{text}")]
    Template {
        /// The text as Helm prints it.
        text: String,
        /// The error with its positions.
        source: Box<TemplateError>,
    },
    /// The output of a template is not a Kubernetes object.
    #[error("YAML parse error on {file}: {message}")]
    Document {
        /// The path of the template.
        file: String,
        /// The index of the document in the output of the template, from 0.
        index: usize,
        /// The reason.
        message: String,
    },
}
