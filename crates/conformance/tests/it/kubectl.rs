//! kubectl prints the same for both servers (EVD-5): the commands of `kubectl/commands.txt` run on each, and the outputs are compared.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use kubewright_apiserver::workloads::{StageDelays, Workloads};
use kubewright_apiserver::{ApiServer, Identity};
use kubewright_testing::NodePlayer;
use kubewright_testing::real::{Binaries, ControlPlane, Options};
use regex::Regex;

/// The folder of the commands and the manifests.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/kubectl");
const NAMESPACE: &str = "parity";
/// The number of attempts of a read-only command while the servers differ: the controllers of the real server need time.
const TRIES: u32 = 150;
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(500);

/// A command, and the reason why its output is not compared, if there is one.
#[derive(Debug, PartialEq)]
struct Line {
    words: Vec<String>,
    differs: Option<String>,
    /// True if the command is repeated until it succeeds.
    until: bool,
}

impl Line {
    /// Returns true if the command changes nothing, so that it can be repeated.
    fn only_reads(&self) -> bool {
        const READS: [&str; 9] =
            ["get", "describe", "explain", "api-resources", "api-versions", "auth", "cluster-info", "diff", "wait"];
        match self.words[0].as_str() {
            "rollout" => ["status", "history"].contains(&self.words[1].as_str()),
            verb => READS.contains(&verb),
        }
    }
}

fn lines(text: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut differs = None;
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(reason) = line.strip_prefix("! ") {
            differs = Some(reason.to_owned());
        } else {
            let command = line.strip_prefix("until ");
            lines.push(Line { words: words(command.unwrap_or(line)), differs: differs.take(), until: command.is_some() });
        }
    }
    lines
}

/// Returns the words of a command; single quotes keep spaces.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().unwrap().push(other),
        }
    }
    words
}

/// A session of kubectl with one of the servers.
struct Session {
    kubectl: PathBuf,
    home: PathBuf,
    url: String,
}

impl Session {
    fn new(kubectl: &Path, name: &str, kubeconfig: &str) -> Self {
        let home = std::env::temp_dir().join(format!("kubewright-parity-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&home).unwrap();
        std::fs::write(home.join("kubeconfig"), kubeconfig).unwrap();
        let url = Regex::new(r"https://127\.0\.0\.1:\d+").unwrap();
        let url = url.find(kubeconfig).map(|found| found.as_str().to_owned()).unwrap();
        Self { kubectl: kubectl.to_owned(), home, url }
    }

    fn run(&self, words: &[String]) -> String {
        let mut command = Command::new(&self.kubectl);
        command.arg("--kubeconfig").arg(self.home.join("kubeconfig")).arg("--cache-dir").arg(self.home.join("cache"));
        command.args(["--namespace", NAMESPACE]).args(words).current_dir(FOLDER);
        command.env("KUBE_EDITOR", "sed -i s/v2/edited/");
        let Output { status, stdout, stderr } = command.output().unwrap();
        let code = status.code().unwrap_or_default();
        self.normal(&format!("exit {code}\n{}\n{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
    }

    /// Returns the output of kubectl with both servers. Repeats a read-only command until the outputs agree, and a command with `until` until it succeeds.
    fn both(sessions: [&Self; 2], line: &Line, pause: impl Fn()) -> [String; 2] {
        let mut tries = 0;
        loop {
            let printed = sessions.map(|session| session.run(&line.words));
            let [real, embedded] = &printed;
            let is_done = if line.until {
                printed.iter().all(|text| text.starts_with("exit 0\n"))
            } else {
                real == embedded || line.differs.is_some() || !line.only_reads()
            };
            tries += 1;
            if is_done || tries == TRIES {
                return printed;
            }
            pause();
        }
    }

    /// Replaces the parts of an output that differ from run to run.
    fn normal(&self, text: &str) -> String {
        const FORMS: &[(&str, &str)] = &[
            (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>"),
            (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>"),
            (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[.\d]* \+0000( UTC)?", "<time>"),
            (r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]+ \+0000", "<time>"),
            (r#"("?resource ?Version"?: +)"?\d+"?"#, "$1<version>"),
            (r"(?i)(resource version: +)\d+", "$1<version>"),
            (r"10\.0\.\d+\.\d+", "<address>"),
            (r"\b\d+(\.\d+)?(ms|s|m|h|d)(\d+s)?\b", "<age>"),
            (r"/tmp/[\w./-]+", "<file>"),
            (r"-[0-9a-f]{8,10}\b(-\w{5})?", "-<hash>"),
            // The number of these lines depends on how often kubectl checks the rollout.
            (r"(?m)^Waiting for deployment .*\n", ""),
            (r" +", " "),
        ];
        let text = text.replace(&self.url, "<url>");
        FORMS.iter().fold(text, |text, (form, name)| Regex::new(form).unwrap().replace_all(&text, *name).into_owned())
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Files that cannot be removed are left to the system's cleaning of temporary files.
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

#[test]
fn the_list_of_commands_can_be_read() {
    let text = "# x\n\nget cm 'a b'\n! why\nversion\nuntil rollout undo x\n";
    let expected = |words: &[&str], differs: Option<&str>, until| Line {
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        differs: differs.map(str::to_owned),
        until,
    };
    let found = lines(text);
    let wanted = [
        expected(&["get", "cm", "a b"], None, false),
        expected(&["version"], Some("why"), false),
        expected(&["rollout", "undo", "x"], None, true),
    ];
    assert_eq!(found, wanted);
    assert_eq!(found.iter().map(Line::only_reads).collect::<Vec<_>>(), [true, false, false]);
    let own = std::fs::read_to_string(Path::new(FOLDER).join("commands.txt")).unwrap();
    assert!(lines(&own).len() > 100);
}

// EVD-5, SCLI-1 to SCLI-15: only on the real tier.
#[test]
fn kubectl_prints_the_same_of_both_servers() {
    if !crate::is_real_tier() {
        return;
    }
    let Some(kubectl) = Binaries::find().unwrap().kubectl else {
        eprintln!("skipped: no kubectl beside the binaries of the control plane");
        return;
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let _entered = runtime.enter();
    let plane = runtime.block_on(ControlPlane::start(Options::default())).unwrap();
    let _nodes = NodePlayer::start(plane.kubeconfig().to_owned());
    let server = ApiServer::builder().workloads(Workloads::Pods).stage_delays(StageDelays::NONE).build().unwrap();
    let endpoint = runtime.block_on(server.listen("127.0.0.1:0")).unwrap();
    let real = Session::new(&kubectl, "real", plane.kubeconfig());
    let embedded = Session::new(&kubectl, "embedded", &endpoint.kubeconfig(&Identity::admin()).unwrap());
    let text = std::fs::read_to_string(Path::new(FOLDER).join("commands.txt")).unwrap();
    let (mut differences, mut done) = (String::new(), 0);
    for session in [&real, &embedded] {
        session.run(&words(&format!("create namespace {NAMESPACE}")));
    }
    for line in lines(&text) {
        let pause = || runtime.block_on(tokio::time::sleep(PAUSE));
        let [expected, found] = Session::both([&real, &embedded], &line, pause);
        done += usize::from(expected.starts_with("exit 0"));
        if expected != found && line.differs.is_none() {
            write!(differences, "kubectl {:?}\n--- real\n{expected}\n--- embedded\n{found}\n", line.words).unwrap();
        }
    }
    assert!(done > 100, "only {done} commands succeeded");
    assert!(differences.is_empty(), "kubectl prints different things:\n{differences}");
}
