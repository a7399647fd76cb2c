//! Programs that cargo builds while the benchmark runs.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

/// Runs a cargo command that builds one program, and returns the path of the program. The tests of a package come with the programs that they start.
pub(crate) fn program(command: &str, arguments: &[&str], folder: &Path) -> PathBuf {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut build = Command::new(cargo);
    build.arg(command).arg("--message-format=json").args(arguments).current_dir(folder);
    let output = build.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "cargo {command} {} fails", arguments.join(" "));
    let messages = output.stdout.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let mut wanted = messages.filter(|message| message["profile"]["test"] == (command == "test"));
    wanted.find_map(|message| message["executable"].as_str().map(PathBuf::from)).unwrap()
}
