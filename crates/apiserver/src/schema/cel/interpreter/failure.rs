//! Why an expression has no value.

use std::fmt;

use kube_cel::cel::ExecutionError;

/// An error of an evaluation, in the words of the real server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::schema::cel) enum Failure {
    /// An operator or function does not know values of these types; only what is typed when it is evaluated gets here.
    NoSuchOverload,
    /// It takes more than an evaluation may take.
    TooDear,
    Other(String),
}

impl Failure {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchOverload => f.write_str("no such overload"),
            Self::TooDear => f.write_str("operation cancelled: actual cost limit exceeded"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<ExecutionError> for Failure {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::NoSuchOverload | ExecutionError::UnexpectedType { .. } => Self::NoSuchOverload,
            ExecutionError::FunctionError { message, .. } => Self::Other(message),
            other => Self::Other(other.to_string()),
        }
    }
}
