//! The log levels in the ConfigMap `config-logging`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::{ConfigErrors, ValueError};

/// The name of the ConfigMap with the log levels.
pub const LOGGING_CONFIG_MAP: &str = "config-logging";

/// The severity from which on lines are logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// All lines.
    Trace,
    /// Debugging output, and more severe lines.
    Debug,
    /// Lines about normal operation, and more severe ones.
    Info,
    /// Warnings and errors.
    Warn,
    /// Errors only.
    Error,
}

/// The error of a text that is not a log level.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of trace, debug, info, warn, error, dpanic, panic, fatal, but is {0:?}")]
pub struct InvalidLogLevel(String);

/// Parses a level. The case of letters does not matter. `dpanic`, `panic` and `fatal`, which Go programs know, mean error.
impl FromStr for LogLevel {
    type Err = InvalidLogLevel;

    fn from_str(text: &str) -> Result<Self, InvalidLogLevel> {
        Ok(match text.to_ascii_lowercase().as_str() {
            "trace" => Self::Trace,
            "debug" => Self::Debug,
            "info" => Self::Info,
            "warn" => Self::Warn,
            "error" | "dpanic" | "panic" | "fatal" => Self::Error,
            _ => return Err(InvalidLogLevel(text.to_owned())),
        })
    }
}

impl fmt::Display for LogLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Trace => "trace",
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        })
    }
}

/// The log levels of an operator and of its controllers, as far as the ConfigMap names them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogLevels {
    operator: Option<LogLevel>,
    controllers: BTreeMap<String, LogLevel>,
}

impl LogLevels {
    /// Reads the keys `loglevel.<operator>` and `loglevel.<operator>.<controller>`. Other keys belong to other operators; empty values count as
    /// absent. Levels are returned beside the errors: one invalid key leaves the others in effect.
    pub fn from_data(operator: &str, data: &BTreeMap<String, String>) -> (Self, Option<ConfigErrors>) {
        Self::default().updated(operator, data)
    }

    /// Returns the levels after a change of the ConfigMap. A key with an invalid value keeps its level; a removed key has none.
    pub fn updated(&self, operator: &str, data: &BTreeMap<String, String>) -> (Self, Option<ConfigErrors>) {
        let mut levels = Self::default();
        let mut errors = BTreeMap::new();
        for (key, text) in data {
            let Some(rest) = key.strip_prefix("loglevel.").and_then(|rest| rest.strip_prefix(operator)) else { continue };
            let controller = match (rest, rest.strip_prefix('.')) {
                ("", _) => None,
                (_, Some(controller)) if !controller.is_empty() => Some(controller),
                _ => continue,
            };
            let level = match text.trim() {
                "" => None,
                text => match text.parse::<LogLevel>() {
                    Ok(level) => Some(level),
                    Err(error) => {
                        errors.insert(key.clone(), ValueError::new(error));
                        self.named(controller)
                    }
                },
            };
            match (controller, level) {
                (None, level) => levels.operator = level,
                (Some(controller), Some(level)) => drop(levels.controllers.insert(controller.to_owned(), level)),
                (Some(_), None) => {}
            }
        }
        (levels, ConfigErrors::of(errors))
    }

    /// Returns the level of the operator; none means its base level, which is not in the ConfigMap.
    pub fn operator(&self) -> Option<LogLevel> {
        self.operator
    }

    /// Returns the level of a controller: its own one, or else that of the operator.
    pub fn controller(&self, name: &str) -> Option<LogLevel> {
        self.named(Some(name)).or(self.operator)
    }

    /// Returns the controllers with levels of their own.
    pub fn controllers(&self) -> impl Iterator<Item = (&str, LogLevel)> {
        self.controllers.iter().map(|(name, level)| (name.as_str(), *level))
    }

    fn named(&self, controller: Option<&str>) -> Option<LogLevel> {
        match controller {
            None => self.operator,
            Some(name) => self.controllers.get(name).copied(),
        }
    }
}
