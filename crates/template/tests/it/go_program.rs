//! The program of `hack/templates`, which renders with Go's text/template.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;

/// The exit status of `build.sh` on machines where the program cannot be built.
const SKIPPED: i32 = 77;

/// A running program, which answers one case after the other.
pub(crate) struct GoProgram {
    process: Child,
    cases: ChildStdin,
    results: BufReader<ChildStdout>,
}

impl GoProgram {
    /// Builds and starts the program. The error is the reason why it cannot be built here.
    pub(crate) fn start() -> Result<Self, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/templates/build.sh");
        let built = Command::new(&script).stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8_lossy(&built.stderr);
        if built.status.code() == Some(SKIPPED) {
            return Err(errors.trim().to_owned());
        }
        assert!(built.status.success(), "{}:\n{errors}", script.display());
        let folder = String::from_utf8(built.stdout).unwrap();
        let mut command = Command::new(Path::new(folder.trim()).join("templates"));
        let mut process = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (cases, results) = (process.stdin.take().unwrap(), BufReader::new(process.stdout.take().unwrap()));
        Ok(Self { process, cases, results })
    }

    /// Renders a case: an output, or the text of an error.
    pub(crate) fn render(&mut self, case: &Value) -> Result<Vec<u8>, String> {
        writeln!(self.cases, "{case}").unwrap();
        let mut line = String::new();
        self.results.read_line(&mut line).unwrap();
        assert!(!line.is_empty(), "the program of hack/templates has ended with the case {case}");
        let result: Value = serde_json::from_str(&line).unwrap();
        match result["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(BASE64_STANDARD.decode(result["output"].as_str().unwrap_or_default()).unwrap()),
        }
    }
}

impl Drop for GoProgram {
    fn drop(&mut self) {
        // A process that has ended already needs no end.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
