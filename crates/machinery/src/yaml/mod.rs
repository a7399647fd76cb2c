//! YAML as Kubernetes reads it: parsing and printing of documents.

mod depth;
mod first;
mod key;
mod lines;
mod read;
mod scalar;
#[cfg(test)]
mod tests;
mod write;

pub use first::first_document;
pub use lines::document_lines;
pub use read::{RepeatedKey, YamlError, document, documents, documents_of_yaml_1_2, documents_with_repeats, texts};
pub use scalar::PlainScalar;
pub use write::to_string;
