//! A reader of the YAML that most files and programs write, many times as fast as one of all of YAML. It returns `None` for every other text, which is
//! then read by the [`compose`](super::compose) module; errors are found there alone.
//!
//! It reads mappings and sequences of lines; keys on one line; plain and quoted texts, also of several lines; blocks of text with `|` and `>`; flow
//! collections of scalars on one line; comments. It does not read: tabs, carriage returns and unprintable characters; anchors, aliases, tags and merges;
//! directives and `...`; keys with `?`; indicators of indentation; scalars as documents; unusual escapes, and unusual characters in flow collections.

mod documents;
mod flow;
mod form;
mod lines;
mod literal;
mod nodes;
mod plain;
mod quoted;
#[cfg(test)]
mod tests;

pub(super) use documents::{document, documents, fields_of_document};
