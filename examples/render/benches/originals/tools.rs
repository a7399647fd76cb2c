//! The original programs, built by `hack/tools/build.sh`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::case::Tool;

/// The exit status of `build.sh` on machines where the programs cannot be built.
const SKIPPED: i32 = 77;

/// The folder with both programs.
pub(crate) struct Originals(PathBuf);

impl Originals {
    /// Builds the programs, unless they are built already. The error is the reason why they cannot be built here.
    pub(crate) fn build() -> Result<Self, String> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../hack/tools/build.sh");
        let built = Command::new(&script).stdin(Stdio::null()).output().unwrap();
        let errors = String::from_utf8_lossy(&built.stderr);
        if built.status.code() == Some(SKIPPED) {
            return Err(errors.trim().to_owned());
        }
        assert!(built.status.success(), "{}:\n{errors}", script.display());
        Ok(Self(PathBuf::from(String::from_utf8(built.stdout).unwrap().trim())))
    }

    pub(crate) fn program(&self, tool: Tool) -> PathBuf {
        self.0.join(tool.name())
    }

    /// Returns the name and the version of a program, as it tells them.
    pub(crate) fn version(&self, tool: Tool) -> String {
        let arguments: &[&str] = match tool {
            Tool::Helm => &["version", "--template", "{{ .Version }}"],
            Tool::Kustomize => &["version"],
        };
        let output = Command::new(self.program(tool)).args(arguments).output().unwrap();
        format!("{} {}", tool.name(), String::from_utf8_lossy(&output.stdout).trim())
    }
}
