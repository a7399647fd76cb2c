//! Failures of evaluations.

use std::fmt;

use kube_cel::cel::ExecutionError;

/// The failure of an evaluation, with the text of the real server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EvaluationFailure {
    /// An operator or function is not defined for values of these types. Only dynamically typed expressions fail in this way.
    NoSuchOverload,
    /// The evaluation exceeds its cost limit.
    TooDear,
    Other(String),
}

impl EvaluationFailure {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Other(text.into())
    }
}

impl fmt::Display for EvaluationFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchOverload => f.write_str("no such overload"),
            Self::TooDear => f.write_str("operation cancelled: actual cost limit exceeded"),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl From<ExecutionError> for EvaluationFailure {
    fn from(error: ExecutionError) -> Self {
        match error {
            ExecutionError::NoSuchOverload | ExecutionError::UnexpectedType { .. } => Self::NoSuchOverload,
            ExecutionError::FunctionError { message, .. } => Self::Other(message),
            other => Self::Other(other.to_string()),
        }
    }
}
