//! The model of a script file.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::normal_answer::NormalAnswer;

/// A sequence of requests in a namespace of its own.
#[derive(Clone, Debug)]
pub struct Script {
    /// The id `area/name`, from the path of the file.
    pub id: String,
    /// The settings of the whole script.
    pub header: Header,
    /// The requests, in order.
    pub steps: Vec<ScriptStep>,
}

/// The first line of a script.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Header {
    /// A sentence about the behaviour that the script shows.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The rules that steps without rows of their own prove.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// True if the embedded server plays workloads (pods run). The real server always has the controllers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub workloads: bool,
    /// True if the embedded server checks permissions. The real server always does.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rbac: bool,
    /// True if neither garbage collection nor the namespace controller runs. The real server is then a separate one without kube-controller-manager.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_controllers: bool,
    /// The reason why the script must not run beside others on one server, such as a change that others observe. Such scripts run alone.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub alone: String,
    /// The version of the server from which the expectations were recorded.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub recorded: String,
}

/// One request and its expected answer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ScriptStep {
    /// The id, unique in the script.
    pub id: String,
    /// A note for readers.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The rules that the step proves; those of the script when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<String>,
    /// The method; `GET` when empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub method: String,
    /// The path with the query. Empty for a step that only waits for a watch.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// The request headers. `content-type: application/json` and the user agent `probe/1` are added unless given.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, String>,
    /// The body as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Value>,
    /// The body as text, sent unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw: Option<String>,
    /// The body as base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The size in bytes of a filler in the body `{"data":{"k":"xxx…"}}` of a ConfigMap: for bodies too large for a file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filler: Option<usize>,
    /// The number of tests of `/data/a` in a body that is a JSON patch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<usize>,
    /// The protocols (`h2`, `http/1.1`) that the TLS client offers on a connection for this step alone. The protocol that was spoken is compared.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offers: Vec<String>,
    /// The number of times that the request is sent, with the number of the turn (from 1) as `$turn`. The last answer is compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<usize>,
    /// The user that sends the request; an administrator when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    /// The variables for later steps, each with its path in the answer: a JSON pointer into the body, or `header:NAME`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub capture: BTreeMap<String, String>,
    /// The stop condition of a watch that the step opens in the background. The watch is read at its `join` or at the end of the script.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch: Option<WatchStop>,
    /// The id of the step whose watch is read up to its stop condition before the script continues.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub join: String,
    /// The values that end the repetition of the request once the body has them (JSON pointer to value; `null`: absent; key `code`: the status code).
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub until: BTreeMap<String, Value>,
    /// True if the texts of messages must agree too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub message: bool,
    /// True if the number of lines of the body is compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub layout: bool,
    /// The only parts of the body that are compared. `*` in a pointer stands for every element; `[name=x]` selects a list element by its name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub only: Vec<String>,
    /// The parts of the body that are not compared. `**` in a pointer stands for any depth.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub without: Vec<String>,
    /// The normalised answer of a real server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expect: Option<NormalAnswer>,
}

/// The sender of a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum User {
    /// A user with this name. `none` sends only the credentials in the headers, through the port.
    Name(String),
    /// A user with groups.
    WithGroups {
        /// The name.
        name: String,
        /// The groups besides `system:authenticated`.
        groups: Vec<String>,
    },
}

/// The condition at which a watch has been read far enough.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WatchStop {
    /// Stops after this many events (bookmarks count only if they are compared).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<usize>,
    /// Stops after the bookmark that ends the initial events.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub marker: bool,
    /// Stops after this many milliseconds without an event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<u64>,
    /// Stops when the server ends the stream.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub end: bool,
    /// True if bookmarks are compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub bookmarks: bool,
    /// True if the order of events of different objects is compared.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ordered: bool,
}

impl Script {
    /// Reads a script from the text of its file.
    pub fn parse(id: &str, text: &str) -> Result<Self, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines.next().ok_or("the file is empty; its first line is the header")?;
        let header = serde_json::from_str(first).map_err(|error| format!("line 1 is no header: {error}"))?;
        let mut steps: Vec<ScriptStep> = Vec::new();
        for (number, line) in lines {
            let step: ScriptStep =
                serde_json::from_str(line).map_err(|error| format!("line {} is no step: {error}", number + 1))?;
            step.check().map_err(|problem| format!("line {}: {problem}", number + 1))?;
            if steps.iter().any(|other| other.id == step.id) {
                return Err(format!("line {}: the id {:?} is taken", number + 1, step.id));
            }
            steps.push(step);
        }
        Ok(Self { id: id.to_owned(), header, steps })
    }

    /// Returns the text of the script's file: a header, then one step per line.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string(&self.header)?;
        text.push('\n');
        for step in &self.steps {
            text.push_str(&serde_json::to_string(step)?);
            text.push('\n');
        }
        Ok(text)
    }

    /// Returns the part of the id before the slash.
    pub fn area(&self) -> &str {
        self.id.split('/').next().unwrap_or_default()
    }

    /// Returns true if a step is sent without credentials or chooses its protocol, so that the embedded server must be reached on a port.
    pub fn needs_port(&self) -> bool {
        self.steps.iter().any(|step| step.user.as_ref().is_some_and(User::is_none) || !step.offers.is_empty())
    }

    /// Returns the rules that a step proves.
    pub fn rows_of<'a>(&'a self, step: &'a ScriptStep) -> &'a [String] {
        if step.rows.is_empty() { &self.header.rows } else { &step.rows }
    }
}

impl ScriptStep {
    /// Returns the method, `GET` by default.
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
    /// Returns true if the request is sent without a user.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::Name(name) if name == "none")
    }

    /// Returns the name of the user.
    pub fn name(&self) -> &str {
        match self {
            Self::Name(name) | Self::WithGroups { name, .. } => name,
        }
    }

    /// Returns the groups besides `system:authenticated`.
    pub fn groups(&self) -> &[String] {
        match self {
            Self::Name(_) => &[],
            Self::WithGroups { groups, .. } => groups,
        }
    }
}
