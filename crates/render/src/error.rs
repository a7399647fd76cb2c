use std::error::Error as StdError;
use std::fmt;

use kubewright_core::flow::{Blocked, Failure, Halt, Origin, Wait};

use crate::ManifestError;

type BoxError = Box<dyn StdError + Send + Sync>;

/// The errors of a rendering, grouped by the party that must act.
///
/// Messages never contain values of secrets. A generator may also return a [`Halt`], with the same meaning as in a hook, a reconciler or a step, so
/// that `?` works on every `Flow`:
///
/// ```
/// use kubewright_core::flow::{Blocked, Delay, Wait};
/// use kubewright_render::{Manifest, RenderContext, RenderError};
/// # struct Web { zone: Option<String>, replicas: i64 }
///
/// async fn render(cx: &RenderContext<Web>) -> Result<Vec<Manifest>, RenderError> {
///     if cx.component().replicas < 0 {
///         return Err(Blocked::new("InvalidReplicas", "spec.replicas is negative; allowed: 0 and more").into());
///     }
///     let Some(zone) = &cx.component().zone else {
///         return Err(Wait::after(Delay::secs::<30>(), "ZonePending").message("no zone is assigned yet").into());
///     };
///     # drop(zone);
///     Ok(Vec::new())
/// }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum RenderError {
    /// The spec, a manifest, or a template must be corrected. Not retried.
    Input(InputError),

    /// A resource is missing that is expected to appear. Retried.
    Transient(BoxError),

    /// The API server refused a request of the generator. Retried like any other refused request.
    Api(BoxError),

    /// The generator waits, is blocked, has failed, or ends the pass, like any other code of the operator's author.
    Halted(Halt),
}

impl RenderError {
    /// Creates an input error with this message.
    pub fn input(message: impl Into<String>) -> Self {
        Self::Input(InputError::new(message))
    }

    /// Creates an error about a missing resource that is expected to appear.
    pub fn transient(source: impl Into<BoxError>) -> Self {
        Self::Transient(source.into())
    }

    /// Adds the file (or other origin) that the message is about, unless there already is one.
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

    /// Converts the error to the outcome of the pass: an input error is a terminal failure with reason `RenderFailed`, a missing resource is a wait
    /// with reason `Retrying`, and a refused request is a failure that is classified like any other.
    pub fn into_halt(self) -> Halt {
        match self {
            Self::Input(error) => Failure::terminal("RenderFailed", error).origin(Origin::Input).into(),
            Self::Transient(error) => Wait::for_event("Retrying").message(error.to_string()).into(),
            Self::Api(error) => Failure::unclassified(error).context("render").into(),
            Self::Halted(halt) => halt,
        }
    }
}

impl fmt::Display for RenderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(error) => error.fmt(f),
            Self::Transient(error) | Self::Api(error) => error.fmt(f),
            Self::Halted(halt) => f.write_str(&halt.text()),
        }
    }
}

impl StdError for RenderError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Transient(error) | Self::Api(error) => Some(&**error),
            Self::Halted(Halt::Failed(failure)) => Some(failure.source()),
            _ => None,
        }
    }
}

impl From<Halt> for RenderError {
    fn from(halt: Halt) -> Self {
        Self::Halted(halt)
    }
}

impl From<Wait> for RenderError {
    fn from(wait: Wait) -> Self {
        Self::Halted(wait.into())
    }
}

impl From<Blocked> for RenderError {
    fn from(blocked: Blocked) -> Self {
        Self::Halted(blocked.into())
    }
}

impl From<Failure> for RenderError {
    fn from(failure: Failure) -> Self {
        Self::Halted(failure.into())
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

/// Converts a JSON error without the values in its text, because parameters may contain secrets.
impl From<serde_json::Error> for RenderError {
    fn from(error: serde_json::Error) -> Self {
        Self::Input(InputError::new(without_values(&error)))
    }
}

/// Returns the text of a JSON error without the values in it.
fn without_values(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = if error.line() > 0 { format!(" at line {} column {}", error.line(), error.column()) } else { String::new() };
    let told = text.strip_suffix(&place).unwrap_or(&text);
    let expected = told.rfind(", expected ").map_or("", |at| &told[at..]);
    // The kind of the value precedes the value, which is in quotes.
    let kind = |problem: &str, rest: &str| {
        let kind = rest.split(['"', '`', ',']).next().unwrap_or_default().trim_end();
        format!("{problem}: {kind}{expected}{place}")
    };
    if !error.is_data() || told.starts_with("missing field `") || told.starts_with("unknown field `") {
        return text;
    }
    for problem in ["invalid type", "invalid value"] {
        if let Some(rest) = told.strip_prefix(problem).and_then(|rest| rest.strip_prefix(": ")) {
            return kind(problem, rest);
        }
    }
    if told.starts_with("unknown variant `") {
        return format!("unknown variant{expected}{place}");
    }
    format!("a value does not fit its type{place}")
}

/// An input that cannot be rendered: the problem, and its location.
#[derive(Debug)]
pub struct InputError {
    message: String,
    file: Option<String>,
    line: Option<u64>,
    object: Option<String>,
    source: Option<BoxError>,
}

impl InputError {
    /// Creates an error with only a message.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), file: None, line: None, object: None, source: None }
    }

    /// Sets the file or template with the fault.
    #[must_use]
    pub fn file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Sets the line in that file, from 1.
    #[must_use]
    pub fn line(mut self, line: u64) -> Self {
        self.line = Some(line);
        self
    }

    /// Sets the object that the message is about.
    #[must_use]
    pub fn object(mut self, object: impl Into<String>) -> Self {
        self.object = Some(object.into());
        self
    }

    /// Sets the underlying error.
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "only its errors matter")]
    struct Parameters {
        port: u16,
        mode: Mode,
    }

    #[derive(Debug, Deserialize)]
    enum Mode {
        Fast,
    }

    // GEN-4
    #[test]
    fn an_error_about_json_shows_no_value() {
        let cases = [
            (json!({ "port": "hunter2, expected x", "mode": "Fast" }), "invalid type: string, expected u16"),
            (json!({ "port": 70123, "mode": "Fast" }), "invalid value: integer, expected u16"),
            (json!({ "port": 1, "mode": "hunter2" }), "unknown variant, expected `Fast`"),
            (json!({ "mode": "Fast" }), "missing field `port`"),
        ];
        for (parameters, expected) in cases {
            let error = RenderError::from(serde_json::from_value::<Parameters>(parameters).unwrap_err());
            assert_eq!(error.to_string(), expected);
            let RenderError::Input(input) = error else { panic!("no input error") };
            assert!(input.source().is_none(), "the source would show it");
        }
        let error = serde_json::from_str::<Parameters>(r#"{"port": "hunter2"}"#).unwrap_err();
        assert_eq!(RenderError::from(error).to_string(), "invalid type: string, expected u16 at line 1 column 18");
    }
}
