//! Replacements: values of one field that are written to others.

mod embedded;
mod path;
mod scalar;
mod source;
mod target;

pub(crate) use source::FieldReplacement;
