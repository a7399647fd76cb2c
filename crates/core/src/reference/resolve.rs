use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::list::Part;
use super::resolved::decode;
use super::{Reference, ReferenceKind, References, Resolved};
use crate::manifest::{reference_digest_of_bytes, reference_digest_of_map};

/// What became of an object that a reference names.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums)]
pub enum Found {
    /// Its field `data`, as served.
    Data(Arc<Value>),
    /// It does not exist.
    Absent,
    /// It cannot be read now.
    Unknown {
        /// Why.
        message: String,
        /// Whether that may pass by itself.
        transient: bool,
    },
}

/// What the references of a component resolve to (REF-5, REF-8).
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Resolution {
    /// The contents.
    pub resolved: Resolved,
    /// The digests by path; empty for a reference that is not resolved.
    pub digests: BTreeMap<Vec<String>, String>,
    /// What is missing.
    pub problems: Vec<Problem>,
}

/// A reference that does not resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// What is missing, with the path of the reference.
    pub message: String,
    /// Whether waiting may help.
    pub waits: bool,
}

/// Resolves references of a component in this namespace. All are tried.
pub fn resolve(references: &References, namespace: &str, deleting: bool, find: impl Fn(&Reference) -> Found) -> Resolution {
    let mut resolution = Resolution::default();
    for reference in references.all() {
        let found = find(reference);
        let digest = match settle(reference, namespace, deleting, &found, &mut resolution.resolved) {
            Ok(digest) => digest,
            Err(problem) => {
                resolution.problems.push(problem);
                continue;
            }
        };
        resolution.digests.insert(reference.path.clone(), digest);
    }
    resolution
}

fn settle(
    reference: &Reference,
    namespace: &str,
    deleting: bool,
    found: &Found,
    resolved: &mut Resolved,
) -> Result<String, Problem> {
    let kind = reference.target.kind;
    let object = format!("{kind} {namespace}/{}", reference.target.name);
    let problem = |waits, text: fmt::Arguments<'_>| Problem { message: format!("{}: {text}", path_text(&reference.path)), waits };
    let data = match found {
        Found::Data(data) => data,
        Found::Absent if deleting && reference.rules.ignore_on_deletion => return Ok(String::new()),
        Found::Absent => return Err(problem(true, format_args!("error loading {object}: not found"))),
        Found::Unknown { message, transient } => {
            return Err(problem(*transient, format_args!("error loading {object}: {message}")));
        }
    };
    let nothing = Map::new();
    let fields = data.as_object().unwrap_or(&nothing);
    resolved.add(&reference.target, fields);
    let Part::Key(given) = &reference.part else {
        return Ok(reference_digest_of_map(&Value::Object(fields.clone())));
    };
    let key = match given {
        Some(key) if fields.contains_key(key) => key.as_str(),
        Some(key) => return Err(problem(true, format_args!("key {key} not found in {object}"))),
        None => match reference.rules.fallback_keys.iter().find(|key| fields.contains_key(**key)) {
            Some(key) => key,
            None => return Err(problem(true, format_args!("no matching key found in {object}"))),
        },
    };
    resolved.choose(&reference.target, given.as_deref(), key);
    let text = fields[key].as_str().unwrap_or_default();
    let digest = match kind {
        ReferenceKind::ConfigMap => reference_digest_of_bytes(text.as_bytes()),
        ReferenceKind::Secret => reference_digest_of_bytes(&decode(text)),
    };
    Ok(digest)
}

/// The path of a reference as messages show it: `spec.sources[0].secret`.
pub fn path_text(path: &[String]) -> String {
    path.iter().fold("spec".to_owned(), |path, segment| {
        let index = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        if index { format!("{path}[{segment}]") } else { format!("{path}.{segment}") }
    })
}
