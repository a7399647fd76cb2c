//! The command line of the container.

use clap::{Args as _, Command, FromArgMatches as _};

use super::super::args::RunArgs;
use super::error::DeployError;
use crate::operator::{Operator, OperatorOptions};

/// The flags that affect more than the container, with their ids.
const MISPLACED: [(&str, &str); 2] = [("watch_namespaces", "--watch-namespaces"), ("system_namespace", "--system-namespace")];

/// The flags of `run` that are passed to the container.
pub(super) struct ContainerFlags {
    flags: Vec<String>,
    parsed: RunArgs,
}

impl ContainerFlags {
    /// Parses the flags as the container will, which does not have the environment variables of this process.
    pub(super) fn parse(flags: Vec<String>) -> Result<Self, DeployError> {
        let command = RunArgs::augment_args(Command::new("run")).no_binary_name(true).disable_help_flag(true);
        let command = command.mut_args(|arg| arg.env(None::<&'static str>));
        let unreadable = |error: clap::Error| DeployError::Flags(first_line(&error));
        let matches = command.try_get_matches_from(&flags).map_err(unreadable)?;
        if let Some((_, flag)) = MISPLACED.iter().find(|(id, _)| matches.contains_id(id)) {
            return Err(DeployError::Misplaced { flag });
        }
        Ok(Self { parsed: RunArgs::from_arg_matches(&matches).map_err(unreadable)?, flags })
    }

    /// Returns the operator with these flags, and the options that it then has.
    pub(super) fn apply(&self, operator: Operator) -> (Operator, OperatorOptions) {
        let mut applied = OperatorOptions::default();
        let operator = operator.options(|options| {
            self.parsed.clone().apply(options);
            applied = options.clone();
        });
        (operator, applied)
    }

    /// Returns the arguments of the container.
    pub(super) fn args(self, watched: &[String]) -> Vec<String> {
        let mut args = vec!["run".to_owned()];
        if !watched.is_empty() {
            args.push(format!("--watch-namespaces={}", watched.join(",")));
        }
        args.extend(self.flags);
        args
    }
}

/// Returns the message of an error, without the usage that follows.
fn first_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let line = text.lines().next().unwrap_or_default();
    line.strip_prefix("error: ").unwrap_or(line).to_owned()
}
