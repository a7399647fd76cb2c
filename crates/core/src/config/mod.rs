//! Typed configuration: the data of a ConfigMap as a struct, with defaults, ranges, and an error for each invalid key.
//!
//! `#[derive(FromConfigMap)]` implements [`FromConfigMap`] for structs. Configurations that it cannot express are read by hand with a [`Reader`].

pub mod derive;
mod error;
mod example;
mod field;
mod logging;
mod map;
mod observability;
mod reader;
#[cfg(test)]
mod tests;
mod value;

pub use error::{ConfigErrors, ValueError};
pub use example::{EXAMPLE_CHECKSUM, EXAMPLE_KEY, ExampleChecksum, ExampleMismatch, check_example};
pub use field::{Field, Parser};
pub use jiff::SignedDuration;
pub use logging::{InvalidLogLevel, LOGGING_CONFIG_MAP, LogLevel, LogLevels};
pub use map::{FromConfigMap, Parsed, data_of};
pub use observability::{
    MetricsExport, MetricsProtocol, OBSERVABILITY_CONFIG_MAP, Observability, TracingExport, TracingProtocol,
};
pub use reader::{Reader, Unreadable};
pub use value::{ConfigValue, NamespacedName};
