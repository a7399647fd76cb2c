//! The page `/debug/why`: the last passes of an object.

use std::fmt::{self, Write as _};
use std::sync::Arc;

use kubewright_core::flow::Redactor;
use kubewright_core::why::PassRecord;
use kubewright_machinery::object::{GroupKind, Key};
use parking_lot::RwLock;
use serde_json::{Value, json};

use crate::controller::PassHistory;

/// The passes that the controllers of an operator remember, by primary kind. Cheap to clone.
#[derive(Clone, Default)]
pub struct PassHistories {
    controllers: Arc<RwLock<Vec<(GroupKind, PassHistory)>>>,
    redactor: Redactor,
}

/// The errors of asking for the passes of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WhyError {
    /// No controller works on objects of this kind.
    #[error("no controller has the kind {kind:?}; there are: {}", kinds.join(", "))]
    UnknownKind {
        /// The requested kind.
        kind: String,
        /// The kinds that have a controller.
        kinds: Vec<String>,
    },
    /// No pass of the object is remembered.
    #[error("no pass of {kind} {key} is remembered: there was none since the start, or those of other objects took its place")]
    NoPass {
        /// The kind of the object.
        kind: String,
        /// The namespace and name of the object.
        key: Key,
    },
}

impl PassHistories {
    /// Creates an empty set without controllers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the redactor that masks the pages, instead of the default one.
    #[must_use]
    pub(crate) fn redacted_by(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Adds a controller of objects of this kind.
    pub fn add(&self, kind: GroupKind, history: PassHistory) {
        self.controllers.write().push((kind, history));
    }

    /// Returns the last passes of an object in all controllers of its kind, the oldest first in each.
    pub fn of(&self, kind: &GroupKind, key: &Key) -> Vec<Arc<PassRecord>> {
        self.controllers.read().iter().filter(|(other, _)| other == kind).flat_map(|(_, history)| history.of(key)).collect()
    }

    /// Returns all remembered passes; those of one object follow each other.
    pub fn all(&self) -> Vec<Arc<PassRecord>> {
        self.controllers.read().iter().flat_map(|(_, history)| history.all()).collect()
    }

    /// Renders the page about an object as text, with one line per pass. The kind is `Kind.group` or the kind alone, and its case is ignored.
    pub fn text(&self, kind: &str, key: &Key) -> Result<String, WhyError> {
        let mut text = String::new();
        for (kind, history, passes) in self.find(kind, key)? {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{kind} {key}, controller {}", history.controller());
            for pass in passes {
                let _ = writeln!(text, "{pass} ({}, took {:?}, trace {})", pass.started, pass.took, pass.trace);
            }
        }
        Ok(self.redactor.redact(&text).into_owned())
    }

    /// Renders the page about an object as JSON. The kind is given as for [`text`](Self::text).
    pub fn json(&self, kind: &str, key: &Key) -> Result<String, WhyError> {
        let controllers = self.find(kind, key)?.into_iter().map(|(kind, history, passes)| {
            let passes: Vec<Value> = passes.iter().map(|pass| pass.to_json()).collect();
            json!({ "kind": kind.to_string(), "controller": history.controller(), "passes": passes })
        });
        let controllers: Vec<Value> = controllers.collect();
        let page = json!({ "namespace": key.namespace(), "name": key.name(), "controllers": controllers });
        Ok(format!("{page}\n"))
    }

    fn find(&self, kind: &str, key: &Key) -> Result<Vec<Found>, WhyError> {
        let all = self.controllers.read().clone();
        let is_meant = |other: &GroupKind| other.to_string().eq_ignore_ascii_case(kind) || other.kind.eq_ignore_ascii_case(kind);
        let meant: Vec<(GroupKind, PassHistory)> = all.iter().filter(|(other, _)| is_meant(other)).cloned().collect();
        if meant.is_empty() {
            let mut kinds: Vec<String> = all.iter().map(|(kind, _)| kind.to_string()).collect();
            kinds.sort_unstable();
            kinds.dedup();
            return Err(WhyError::UnknownKind { kind: kind.to_owned(), kinds });
        }
        let found = meant.into_iter().map(|(kind, history)| {
            let passes = history.of(key);
            (kind, history, passes)
        });
        let found: Vec<Found> = found.filter(|(.., passes)| !passes.is_empty()).collect();
        if found.is_empty() { Err(WhyError::NoPass { kind: kind.to_owned(), key: key.clone() }) } else { Ok(found) }
    }
}

/// A controller with its remembered passes of an object.
type Found = (GroupKind, PassHistory, Vec<Arc<PassRecord>>);

impl fmt::Debug for PassHistories {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.controllers.read().iter().map(|(kind, _)| kind.to_string())).finish()
    }
}

/// The parsed query of the page.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct WhyQuery {
    pub(super) kind: String,
    pub(super) key: Key,
    pub(super) json: bool,
}

impl WhyQuery {
    /// Parses `kind=…&name=…`, with `namespace=…` or a name `namespace/name`, and `format=json`.
    pub(super) fn parse(query: &str) -> Result<Self, String> {
        const USAGE: &str =
            "ask for /debug/why?kind=<kind>&name=<name>, with &namespace=<namespace> or a name <namespace>/<name>";
        let value = |wanted: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs.filter(|(key, _)| *key == wanted).map(|(_, value)| decoded(value)).find(|value| !value.is_empty())
        };
        let kind = value("kind").ok_or_else(|| format!("the kind is missing; {USAGE}"))?;
        let name = value("name").ok_or_else(|| format!("the name is missing; {USAGE}"))?;
        let key = match value("namespace") {
            Some(namespace) if !name.contains('/') => Key::new(namespace, name),
            Some(_) => return Err(format!("the namespace is there twice; {USAGE}")),
            None => name.parse().map_err(|error| format!("{error}; {USAGE}"))?,
        };
        let json = match value("format").as_deref() {
            None | Some("text") => false,
            Some("json") => true,
            Some(other) => return Err(format!("the format {other:?} is unknown; there are text and json")),
        };
        Ok(Self { kind, key, json })
    }
}

/// Decodes the percent signs and plus signs of a query value.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let byte = escaped.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(byte.unwrap_or(if *first == b'+' { b' ' } else { *first }));
        rest = if byte.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
