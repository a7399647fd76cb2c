//! Charts: metadata, values, templates, files, and the charts in them.

mod chart;
mod decode;
mod loader;
mod metadata;
mod validate;

pub use chart::Chart;
pub(crate) use decode::FieldDecoder;
pub use loader::ChartLoader;
pub use metadata::{ChartDependency, ChartMaintainer, ChartMetadata, ChartType, ImportedValues};
