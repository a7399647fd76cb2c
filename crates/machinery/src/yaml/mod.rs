//! YAML as Kubernetes reads it: parsing and printing of documents.
//!
//! | Reader | Texts |
//! |---|---|
//! | [`documents`] | manifests, and everything else that kubectl reads; [`document`] if there must be exactly one |
//! | [`documents_with_repeats`] | bodies of requests, in which keys may be repeated |
//! | [`first_document`] | files of values, kustomizations, and other files that programs of Go read as one value |
//! | [`fields_of_first_document`] | manifests of which only some fields are needed, by the rules of [`first_document`] |
//! | [`documents_of_yaml_1_2`] | resources and patches of kustomizations |
//! | [`texts`] | mappings whose values are texts as they are written |
//!
//! All have the same limits of depth, nodes and aliases. The first two rows and the last one are read with serde-saphyr, the others by the rules of
//! go-yaml for keys, merges and the end of a text; both on the same parser. Of the others, texts as most files and programs write them do not need the
//! parser.

mod block;
mod compose;
mod depth;
mod fields;
mod key;
mod lines;
mod read;
mod scalar;
#[cfg(test)]
mod tests;
mod write;

pub use compose::{documents_of_yaml_1_2, first_document};
pub use fields::fields_of_first_document;
pub use lines::document_lines;
pub use read::{RepeatedKey, YamlError, document, documents, documents_with_repeats, texts};
pub use scalar::PlainScalar;
pub use write::to_string;
