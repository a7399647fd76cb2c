use std::error::Error as StdError;
use std::fmt;

use crate::ManifestError;

type BoxError = Box<dyn StdError + Send + Sync>;

/// Why a rendering gave no manifests, grouped by who must act.
///
/// Messages never contain values of secrets.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// The spec, a manifest, or a template must be corrected. Not retried.
    #[error("{0}")]
    Input(InputError),

    /// Something is missing that is expected to appear. Retried.
    #[error("{0}")]
    Transient(#[source] BoxError),

    /// The API server refused a request of the generator. Retried as any other refused request.
    #[error("{0}")]
    Api(#[source] BoxError),
}

impl RenderError {
    /// Says what is wrong with the input.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(InputError::new(message))
    }

    /// Says what is not there yet.
    pub fn transient(source: impl Into<BoxError>) -> Self {
        Self::Transient(source.into())
    }

    /// Names the file (or other origin) that the message is about, where none is named yet.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        match self {
            Self::Input(mut input) => {
                input.file.get_or_insert_with(|| file.into());
                Self::Input(input)
            }
            other => other,
        }
    }
}

impl From<kube::Error> for RenderError {
    fn from(error: kube::Error) -> Self {
        Self::Api(Box::new(error))
    }
}

impl From<ManifestError> for RenderError {
    fn from(error: ManifestError) -> Self {
        Self::Input(InputError::new(error.to_string()).caused_by(error))
    }
}

impl From<serde_json::Error> for RenderError {
    fn from(error: serde_json::Error) -> Self {
        Self::Input(InputError::new(error.to_string()).caused_by(error))
    }
}

/// An input that cannot be rendered: what is wrong, and where.
#[derive(Debug)]
pub struct InputError {
    message: String,
    file: Option<String>,
    line: Option<u64>,
    object: Option<String>,
    source: Option<BoxError>,
}

impl InputError {
    /// An error with a message alone.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), file: None, line: None, object: None, source: None }
    }

    /// The file or template that holds the fault.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// The line in that file, from 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// The object that the message is about.
    #[must_use]
    pub fn object(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// The error behind it.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<BoxError>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}:{line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            _ => {}
        }
        if let Some(object) = &self.object {
            write!(f, "object {object}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl StdError for InputError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<InputError> for RenderError {
    fn from(error: InputError) -> Self {
        Self::Input(error)
    }
}
