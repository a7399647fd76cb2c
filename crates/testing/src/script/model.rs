//! What a script says.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::outcome::Outcome;

/// A sequence of requests in a namespace of its own.
#[derive(Clone, Debug)]
pub struct Script {
    /// `area/name`, from the path of its file.
    pub id: String,
    /// What holds for the whole script.
    pub header: Header,
    /// The requests, in order.
    pub steps: Vec<Step>,
}

/// The first line of a script.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Header {
    /// What the script shows, in a sentence.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The rules that steps without rows of their own prove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// Whether the embedded server plays workloads (pods run). The real one always has the controllers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub workloads: bool,
    /// Whether the embedded server checks permissions. The real one always does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rbac: bool,
    /// Whether nobody collects garbage nor cares for namespaces: the real server is one of its own without kube-controller-manager.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_controllers: bool,
    /// Why the script must not run beside others on one server (it changes what they see). Such scripts run alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub alone: String,
    /// Version of the server that the expectations were recorded from.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded: String,
}

/// One request and what comes back.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Step {
    /// Unique in the script.
    pub id: String,
    /// Anything that a reader should know.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The rules that it proves; those of the script when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// The method; `GET` when empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// Path and query. Empty for a step that only waits for a watch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Request headers. A `content-type` of JSON and a user agent `probe/1` are there unless given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body as text, sent as it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The body as base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The body is `{"data":{"k":"xxx…"}}` around this many bytes, in a ConfigMap: for bodies too large for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filler: Option<usize>,
    /// The body is a JSON patch of this many tests of `/data/a`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<usize>,
    /// Sends the request over a connection of its own whose TLS client offers these protocols (`h2`, `http/1.1`), and compares which
    /// one was spoken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<String>,
    /// Sends the request so many times, with the number of the turn (from 1) as `$turn`; the last answer counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<usize>,
    /// Who asks; an administrator when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    /// Variables for later steps, with the place in the answer: a JSON pointer into the body, or `header:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capture: BTreeMap<String, String>,
    /// Opens a watch in the background, which is read at its `join` or at the end of the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchStop>,
    /// Reads the watch of this step to its stop condition before going on.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub join: String,
    /// Repeats the request until the body has these values (JSON pointer to value; `null`: absent; key `code`: the status code).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub until: BTreeMap<String, Value>,
    /// Whether the texts of messages must agree too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub message: bool,
    /// Whether the number of lines of the body is compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub layout: bool,
    /// Compare only these parts of the body. `*` in a pointer stands for every element, a list element can be named by `[name=x]`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// Do not compare these parts of the body. `**` in a pointer stands for any depth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// The normalised answer of a real server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<Outcome>,
}

/// Who sends a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum User {
    /// A user of this name; `none`: without any credentials but those in the headers, through the port.
    Name(String),
    /// A user with groups.
    WithGroups {
        /// The name.
        name: String,
        /// The groups, beside `system:authenticated`.
        groups: Vec<String>,
    },
}

/// When a watch has been read far enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WatchStop {
    /// After this many events (bookmarks count only if they are compared).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// After the bookmark that ends the initial events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marker: bool,
    /// When nothing came for so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<u64>,
    /// When the server ends the stream.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end: bool,
    /// Whether bookmarks are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bookmarks: bool,
    /// Whether the order of events of different objects is compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
}

impl Script {
    /// Reads the lines of a file.
    pub fn parse(id: &str, text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines.next().ok_or("the file is empty; its first line is the header")?;
        let header = serde_json::from_str(first).map_err(|error| format!("line 1 is no header: {error}"))?;
        let mut steps: Vec<Step> = Vec::new();
        for (number, line) in lines {
            let step: Step = serde_json::from_str(line).map_err(|error| format!("line {} is no step: {error}", number + 1))?;
            step.check().map_err(|problem| format!("line {}: {problem}", number + 1))?;
            if steps.iter().any(|other| other.id == step.id) {
                return Err(format!("line {}: the id {:?} is taken", number + 1, step.id));
            }
            steps.push(step);
        }
        Ok(Self { id: id.to_owned(), header, steps })
    }

    /// The lines of its file: a header, then a step on each line.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string(&self.header)?;
        text.push('\n');
        for step in &self.steps {
            text.push_str(&serde_json::to_string(step)?);
            text.push('\n');
        }
        Ok(text)
    }

    /// The part of the id before the slash.
    pub fn area(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Whether a step comes without credentials or is about the connection, so that the embedded server must be reached on a port.
    pub fn needs_port(&self) -> bool {
        self.steps.iter().any(|step| step.user.as_ref().is_some_and(User::is_none) || !step.offers.is_empty())
    }

    /// The rules that a step proves.
    pub fn rows_of<'a>(&'a self, step: &'a Step) -> &'a [String] {
        if step.rows.is_empty() { &self.header.rows } else { &step.rows }
    }
}

impl Step {
    /// The method, `GET` by default.
    pub fn method(&self) -> &str {
        if self.method.is_empty() { "GET" } else { &self.method }
    }

    fn check(&self) -> Result<(), String> {
        if self.id.is_empty() {
            return Err("the step has no id".to_owned());
        }
        if self.path.is_empty() == self.join.is_empty() {
            return Err(format!("step {:?} needs either a path or a join", self.id));
        }
        let bodies =
            [self.body.is_some(), self.raw.is_some(), self.base64.is_some(), self.filler.is_some(), self.operations.is_some()];
        if bodies.iter().filter(|is_there| **is_there).count() > 1 {
            return Err(format!("step {:?} has more than one of body, raw, base64, filler and operations", self.id));
        }
        if let Some(name) = self.capture.keys().find(|name| !name.starts_with('$')) {
            return Err(format!("the variable {name:?} of step {:?} must begin with $", self.id));
        }
        Ok(())
    }
}

impl User {
    /// Whether this stands for nobody.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Name(name) if name == "none")
    }

    /// The name.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) | Self::WithGroups { name, .. } => name,
        }
    }

    /// The groups beside `system:authenticated`.
    pub fn groups(&self) -> &[String] {
        match self {
            Self::Name(_) => &[],
            Self::WithGroups { groups, .. } => groups,
        }
    }
}
