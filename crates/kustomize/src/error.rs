//! The error of a kustomization that cannot be built.

use std::fmt;

use thiserror::Error;

/// The error of a kustomization that cannot be built. It can only be resolved by a change of the files.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{}{message}", ErrorPlace { file, field: field.as_deref() })]
pub struct KustomizeError {
    file: String,
    field: Option<String>,
    message: String,
}

impl KustomizeError {
    /// Returns the path of the file in which the problem is, or of the directory if it has no kustomization.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Returns the field of the kustomization in which the problem is, if it is in one.
    pub fn field(&self) -> Option<&str> {
        self.field.as_deref()
    }

    /// Returns the problem, without its place.
    pub fn message(&self) -> &str {
        &self.message
    }
}

/// Prints the file and the field before a message.
struct ErrorPlace<'a> {
    file: &'a str,
    field: Option<&'a str>,
}

impl fmt::Display for ErrorPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        self.field.map_or(Ok(()), |field| write!(f, "{field}: "))
    }
}

/// A problem whose place the caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BuildProblem(pub(crate) String);

impl BuildProblem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    /// Puts a text before the message.
    pub(crate) fn within(self, context: impl fmt::Display) -> Self {
        Self(format!("{context}: {}", self.0))
    }

    /// Adds the file in which the problem is.
    pub(crate) fn in_file(self, file: impl Into<String>) -> KustomizeError {
        KustomizeError { file: file.into(), field: None, message: self.0 }
    }

    /// Adds the file and the field in which the problem is.
    pub(crate) fn in_field(self, file: impl Into<String>, field: impl Into<String>) -> KustomizeError {
        KustomizeError { file: file.into(), field: Some(field.into()), message: self.0 }
    }
}

impl From<String> for BuildProblem {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl fmt::Display for BuildProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
