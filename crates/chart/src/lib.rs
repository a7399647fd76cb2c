//! Helm charts, rendered in process: loaded once, compiled once, rendered many times, with the output of Helm 4 or Helm 3.
//!
//! A [`ChartLoader`] reads a [`Chart`] from a directory, an archive, or files in memory. [`CompiledChart::new`] parses its templates and those of its
//! subcharts. [`CompiledChart::render`] renders them for a [`ChartRequest`] (release, values, capabilities) and gives a [`RenderedChart`]: documents with
//! their objects and hooks, CRDs and notes. The [`ChartHost`] of the caller gives the time, random bytes and objects of a cluster; templates reach neither the
//! environment, nor other files, nor the network.
//!
//! [`compare_values`] compares a schema of typed values, such as those in a custom resource, with the values that a chart knows.
//!
//! [`HelmCompat`] chooses between Helm 4 and Helm 3; the README lists the differences between both, and those of the crate. The crate knows nothing of operators: annotations, orders and the application of hooks are the
//! caller's.
//!
//! ```
//! use std::rc::Rc;
//!
//! use kubewright_chart::{ChartLoader, ChartRequest, CompiledChart, OfflineHost};
//!
//! # fn main() -> Result<(), kubewright_chart::ChartError> {
//! let chart = ChartLoader::default().files([
//!     ("Chart.yaml", "apiVersion: v2\nname: hello\nversion: 1.0.0\n"),
//!     ("values.yaml", "greeting: hello\n"),
//!     ("templates/map.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {text: {{ .Values.greeting }}}\n"),
//! ])?;
//! let compiled = CompiledChart::new(chart)?;
//! let rendered = compiled.render(&ChartRequest::new("web", "default"), Rc::new(OfflineHost::default()))?;
//! assert_eq!(rendered.documents[0].object["data"]["text"], "hello");
//! # Ok(())
//! # }
//! ```
//!
//! Modules, from low to high: `compat`, `schema_type`, `error`, `source`, `values`, `model`, `dependencies`, `schema`, `host`, `scope`, `render`, `typed_values`.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod compat;
mod dependencies;
mod error;
mod host;
mod model;
mod render;
#[cfg(feature = "schema")]
mod schema;
mod schema_type;
mod scope;
mod source;
mod typed_values;
mod values;

pub use compat::HelmCompat;
pub use error::ChartError;
pub use host::{ChartHost, OfflineHost, chart_host};
pub use model::{Chart, ChartDependency, ChartLoader, ChartMaintainer, ChartMetadata, ChartType, ImportedValues};
pub use render::{
    ChartDocument, ChartHook, ChartRelease, ChartRequest, ChartText, CompiledChart, CompiledChartBuilder, RenderedChart,
    RenderedTexts,
};
pub use scope::{ChartCapabilities, KubernetesVersion};
pub use source::{ChartFile, ChartLimits};
pub use typed_values::{ValuesDifference, compare_values};
pub use values::{merge_values, parse_values};
