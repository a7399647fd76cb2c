//! Errors of an execution: the failing node, and the chain of templates that led there.

use super::place::FailingNode;
use super::run::TreeExecution;
use crate::error::{FunctionError, SourcePosition, TemplateError};
use crate::syntax::Operand;

impl<'a> TreeExecution<'a> {
    /// Returns the error of the node that is being executed.
    pub(super) fn error(&self, message: impl Into<String>) -> TemplateError {
        self.error_of(message.into(), None)
    }

    /// Returns the error of a limit that was exceeded.
    pub(super) fn limit(&self, message: String) -> TemplateError {
        TemplateError::Limit { position: Some(self.position()), message }
    }

    /// Returns the error of a function or method that was called with these operands. The call becomes the failing node.
    pub(super) fn call_error(
        &mut self,
        error: FunctionError,
        name: &str,
        call: FailingNode<'a>,
        written: &'a [Operand],
    ) -> TemplateError {
        if let FunctionError::Argument(index, message) = error {
            // An argument that came through the pipe has no node of its own: the last one evaluated stays.
            self.node = written.get(index).map_or(self.node, FailingNode::last_of);
            return self.error(message);
        }
        self.node = call;
        match error {
            FunctionError::Failed(message) => self.error(format!("error calling {name}: {message}")),
            FunctionError::Told(message) => self.told(message),
            FunctionError::Template(cause) => self.caused(format!("error calling {name}"), cause),
            FunctionError::Nested(message, cause) => self.caused(format!("error calling {name}: {message}"), cause),
            FunctionError::Argument(_, message) => self.error(message),
        }
    }

    /// Returns the error of a template that failed because of another one. A text for the user of the chart is reported at the outermost call, as Helm
    /// does, and a limit at the place where it was exceeded.
    fn caused(&self, message: String, cause: Box<TemplateError>) -> TemplateError {
        match *cause {
            TemplateError::Failed { message, .. } => self.told(message),
            TemplateError::Limit { .. } => *cause,
            _ => self.error_of(message, Some(cause)),
        }
    }

    fn told(&self, message: String) -> TemplateError {
        TemplateError::Failed { position: self.position(), message }
    }

    fn error_of(&self, message: String, cause: Option<Box<TemplateError>>) -> TemplateError {
        TemplateError::Execution {
            position: self.position(),
            executing: self.tree.name.to_string(),
            node: Some(self.node.to_string()),
            message,
            cause,
        }
    }

    fn position(&self) -> SourcePosition {
        self.tree.file.position(self.node.offset())
    }
}
