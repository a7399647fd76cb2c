//! YAML as Kubernetes reads it: parsing and printing of documents.

mod depth;
mod lines;
mod read;
#[cfg(test)]
mod tests;
mod write;

pub use lines::document_lines;
pub use read::{RepeatedKey, YamlError, document, documents, documents_with_repeats, texts};
pub use write::to_string;
