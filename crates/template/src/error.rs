//! Errors of templates: the text, the place, and the chain of templates that led there.

use std::fmt;

/// A place in the text of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// The name of the file or of the template whose text contains the place.
    pub template: String,
    /// The line, from 1.
    pub line: usize,
    /// The number of bytes of the line that stand before it, as Go counts them.
    pub column: usize,
}

/// An error of a template. It displays as Go's text/template and Helm 3 print it; the parts are there for other forms.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TemplateError {
    /// The text is no template.
    Parse {
        /// The name of the file.
        template: String,
        /// The line, from 1.
        line: usize,
        /// The reason, as Go words it. The error displays as Helm prints it, which keeps only the words after the last colon.
        message: String,
    },
    /// The execution of a template failed.
    Execution {
        /// The failing action.
        position: SourcePosition,
        /// The name of the template that was executed; another one than that of the position after a `define`.
        executing: String,
        /// The failing part of the action, as it is printed in `at <…>`; cut as Go does.
        node: Option<String>,
        /// The reason, without the cause.
        message: String,
        /// The error of the template that the action included.
        cause: Option<Box<Self>>,
    },
    /// The template called `fail` or `required`, or another function that speaks to the user of the chart.
    Failed {
        /// The call.
        position: SourcePosition,
        /// The text that the template gave.
        message: String,
    },
    /// The set has no template of the name that was to be executed.
    NotFound {
        /// The name.
        template: String,
    },
    /// A limit was exceeded.
    Limit {
        /// The place where the limit was exceeded, if it is known.
        position: Option<SourcePosition>,
        /// The limit with its value.
        message: String,
    },
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parse { template, line, message } => {
                let reason = message.rsplit(": ").next().unwrap_or(message);
                write!(f, "parse error at ({template}:{line}): {reason}")
            }
            Self::Execution { position, executing, node, message, cause } => {
                write!(f, "template: {position}: executing \"{executing}\"")?;
                if let Some(node) = node {
                    write!(f, " at <{node}>")?;
                }
                write!(f, ": {message}")?;
                cause.as_ref().map_or(Ok(()), |cause| write!(f, ": {cause}"))
            }
            Self::Failed { position, message } => write!(f, "execution error at ({position}): {message}"),
            Self::NotFound { template } => write!(f, "template: no template \"{template}\" associated with template \"gotpl\""),
            Self::Limit { position: Some(position), message } => write!(f, "template: {position}: {message}"),
            Self::Limit { position: None, message } => f.write_str(message),
        }
    }
}

impl std::error::Error for TemplateError {}

impl fmt::Display for SourcePosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.template, self.line, self.column)
    }
}

/// The error of a function, without its place, which the engine adds.
#[derive(Debug)]
#[non_exhaustive]
pub enum FunctionError {
    /// The function could not do its work. The engine puts `error calling <function>` before the text.
    Failed(String),
    /// The text is for the user of the chart, as it is: `fail` and `required`.
    Told(String),
    /// A template that the function executed failed: `include` and `tpl`.
    Template(Box<TemplateError>),
    /// The same, with a text that stands before that of the template: `tpl` names the text that it executed.
    Nested(String, Box<TemplateError>),
    /// An argument is of a wrong type; the engine names it. The number is its index.
    Argument(usize, String),
}

impl FunctionError {
    /// Returns the error of a function that could not do its work.
    pub fn new(message: impl Into<String>) -> Self {
        Self::Failed(message.into())
    }
}

impl From<TemplateError> for FunctionError {
    fn from(error: TemplateError) -> Self {
        Self::Template(Box::new(error))
    }
}
