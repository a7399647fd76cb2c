//! Rendering: templates compiled once, executed for a request, and split into documents.

mod compiled;
mod crds;
mod document_cache;
mod documents;
mod execution_error;
mod functions;
mod hook;
mod order;
mod prepared;
mod rendered;
mod request;
mod scopes;
mod split;
mod templates;

pub use compiled::{CompiledChart, CompiledChartBuilder};
pub use hook::ChartHook;
pub use rendered::{ChartDocument, ChartText, RenderedChart, RenderedTexts};
pub use request::{ChartRelease, ChartRequest};
