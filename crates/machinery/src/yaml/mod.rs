//! YAML as Kubernetes reads it: documents in, documents out.

mod lines;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use lines::document_lines;
pub use read::{YamlError, document, documents};
pub use write::to_string;
