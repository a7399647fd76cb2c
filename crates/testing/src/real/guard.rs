//! The guard shell: the parent of all processes of a control plane, which ends them when this process ends.

use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::RealError;
use crate::signal;

/// The script of the guard. It reads script names from its input, and runs each in the background with a log of its own. At the end of its input it
/// ends them in reverse order (TERM, KILL after 5 s) and removes the folder unless it must be kept.
const SCRIPT: &str = r#"
trap '' INT TERM HUP
cd "$1" || exit 1
pids=
while read -r name; do
  /bin/sh "./$name.sh" >"logs/$name.log" 2>&1 </dev/null &
  echo $! >"$name.pid"
  pids="$! $pids"
done
for pid in $pids; do kill -TERM "$pid" 2>/dev/null; done
tries=0
for pid in $pids; do
  while kill -0 "$pid" 2>/dev/null; do
    tries=$((tries + 1))
    [ "$tries" -gt 100 ] && kill -KILL "$pid" 2>/dev/null
    sleep 0.05
  done
done
cd /
[ "$2" = keep ] || rm -rf "$1"
"#;

/// A running guard. Dropping it ends all processes that it started, and waits for their end.
#[derive(Debug)]
pub(super) struct ProcessGuard {
    child: Child,
    folder: PathBuf,
}

impl ProcessGuard {
    /// Starts the guard for a folder that exists.
    pub(super) fn start(folder: &Path, keep: bool) -> Result<Self, RealError> {
        let file = |path: PathBuf| move |source| RealError::File { path, source };
        let logs = folder.join("logs");
        std::fs::create_dir_all(&logs).map_err(file(logs))?;
        let child = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "guard"])
            .arg(folder)
            .arg(if keep { "keep" } else { "remove" })
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(file(PathBuf::from("/bin/sh")))?;
        Ok(Self { child, folder: folder.to_owned() })
    }

    /// Runs a program in the background; its output goes to `logs/<name>.log`.
    pub(super) fn run(&mut self, name: &str, program: &Path, args: &[String]) -> Result<(), RealError> {
        let path = self.folder.join(format!("{name}.sh"));
        let words = std::iter::once(program.display().to_string()).chain(args.iter().cloned());
        let line = words.map(|word| quote(&word)).collect::<Vec<_>>().join(" ");
        let file = |source| RealError::File { path: path.clone(), source };
        std::fs::write(&path, format!("exec {line}\n")).map_err(file)?;
        if let Some(input) = &mut self.child.stdin {
            writeln!(input, "{name}").and_then(|()| input.flush()).map_err(file)?;
        }
        Ok(())
    }

    /// Returns the last lines of a program's log.
    pub(super) fn log(&self, name: &str) -> String {
        let text = std::fs::read(self.folder.join("logs").join(format!("{name}.log"))).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(50)..].join("\n")
    }

    /// Returns true if a program that was started has ended.
    pub(super) fn has_ended(&self, name: &str) -> bool {
        let pid = std::fs::read_to_string(self.folder.join(format!("{name}.pid"))).unwrap_or_default();
        let pid = pid.trim();
        !pid.is_empty() && !is_alive(pid)
    }
}

/// Returns true if the process exists, or if that cannot be determined.
fn is_alive(pid: &str) -> bool {
    signal::send("0", pid).map_or(true, |status| status.success())
}

impl Drop for ProcessGuard {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // A guard that cannot be waited for still ends its children.
        let _ = self.child.wait();
    }
}

fn quote(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    // RT-13
    #[test]
    fn dropping_the_guard_ends_its_processes_and_removes_the_folder() {
        let folder = std::env::temp_dir().join(format!("kubewright-guard-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut guard = ProcessGuard::start(&folder, false).unwrap();
        guard.run("sleeper", Path::new("/bin/sleep"), &["1000".to_owned()]).unwrap();
        let pid_file = folder.join("sleeper.pid");
        // The limit corresponds to a minute or two.
        let mut looks = (0..20_000_000).map(|_| {
            std::thread::yield_now();
            std::fs::read_to_string(&pid_file).unwrap_or_default()
        });
        let pid = looks.find(|text| text.ends_with('\n')).expect("the guard writes the id of the process");
        let pid = pid.trim().to_owned();
        assert!(!guard.has_ended("sleeper"));
        drop(guard);
        assert!(!folder.exists());
        assert!(!is_alive(&pid), "process {pid} survived its guard");
    }

    #[test]
    fn words_with_quotes_reach_the_program_unchanged() {
        assert_eq!(quote("it's"), r"'it'\''s'");
    }
}
