use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::list::Part;
use super::{ListedReference, ReferencedData, References, Resolved};
use crate::backoff::Transient;

/// The most keys that a message names.
const KEYS: usize = 10;

/// The result of reading an object that a reference names.
#[derive(Clone, Debug)]
#[allow(clippy::exhaustive_enums)]
pub enum Found {
    /// The values of the object.
    Data(Arc<ReferencedData>),
    /// The object does not exist.
    Absent,
    /// The object does not exist and cannot be created again, because its namespace is being deleted. It does not block a deletion (REF-4).
    Gone,
    /// The object cannot be read at present.
    Unknown {
        /// The reason.
        message: String,
        /// The transient error that prevented the read; `None` when the cause does not pass by itself.
        transient: Option<Transient>,
    },
}

/// The result of resolving the references of a component (REF-5, REF-8).
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Resolution {
    /// The contents of the objects.
    pub resolved: Resolved,
    /// The digests by path. The digest is empty for a reference whose missing object is ignored.
    pub digests: BTreeMap<Vec<String>, String>,
    /// The references that do not resolve.
    pub problems: Vec<Problem>,
}

/// A reference that does not resolve.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The path of the reference and the object or key that is missing.
    pub message: String,
    /// True if waiting may help.
    pub waits: bool,
    /// The transient error that prevented reading the object.
    pub transient: Option<Transient>,
}

/// Resolves the references of a component in this namespace. A reference that fails does not keep the others from being resolved.
pub fn resolve(references: &References, namespace: &str, deleting: bool, find: impl Fn(&ListedReference) -> Found) -> Resolution {
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
    reference: &ListedReference,
    namespace: &str,
    deleting: bool,
    found: &Found,
    resolved: &mut Resolved,
) -> Result<String, Problem> {
    let kind = reference.target.kind;
    let object = format!("{} {namespace}/{}", kind.group_kind().kind, reference.target.name);
    let problem = |waits, text: fmt::Arguments<'_>| {
        let message = format!("{}: {text}", path_text(&reference.path));
        Problem { message, waits, transient: None }
    };
    let data = match found {
        Found::Data(data) => data,
        Found::Absent if deleting && reference.rules.ignore_on_deletion => return Ok(String::new()),
        Found::Gone if deleting => return Ok(String::new()),
        Found::Absent | Found::Gone => return Err(problem(true, format_args!("error loading {object}: not found"))),
        Found::Unknown { message, transient } => {
            let problem = problem(transient.is_some(), format_args!("error loading {object}: {message}"));
            return Err(Problem { transient: *transient, ..problem });
        }
    };
    resolved.add(&reference.target, data, reference.bytes);
    let Part::Key(given) = &reference.part else {
        return Ok(data.digest(reference.bytes));
    };
    let keys = data.keys(reference.bytes);
    let fallback = || reference.rules.fallback_keys.iter().find(|key| keys.contains(key)).copied();
    let key = match (given, fallback()) {
        (Some(key), _) if keys.contains(&key.as_str()) => key.as_str(),
        (Some(key), _) => return Err(problem(true, format_args!("key {key} not found in {object} ({})", keys_text(&keys)))),
        (None, Some(key)) => key,
        (None, None) => return Err(problem(true, format_args!("{}", no_key_text(reference, &object, &keys)))),
    };
    resolved.choose(&reference.target, given.as_deref(), key);
    Ok(data.key_digest(kind, key))
}

/// Returns the message about a reference without a key where no fallback key exists.
fn no_key_text(reference: &ListedReference, object: &str, keys: &[&str]) -> String {
    let keys = keys_text(keys);
    match reference.rules.fallback_keys {
        [] => format!("no key of {object} is named: set {}.key ({keys})", path_text(&reference.path)),
        tried => format!("no matching key found in {object} (tried {}; {keys})", tried.join(", ")),
    }
}

/// Returns the text with the keys of an object, without their values.
fn keys_text(keys: &[&str]) -> String {
    match keys {
        [] => "it has no keys".to_owned(),
        keys if keys.len() > KEYS => format!("its keys: {}, {} more", keys[..KEYS].join(", "), keys.len() - KEYS),
        keys => format!("its keys: {}", keys.join(", ")),
    }
}

/// Returns the path of a reference as messages show it, for instance `spec.sources[0].secret`.
pub fn path_text(path: &[String]) -> String {
    path.iter().fold("spec".to_owned(), |path, segment| {
        let index = !segment.is_empty() && segment.bytes().all(|byte| byte.is_ascii_digit());
        if index { format!("{path}[{segment}]") } else { format!("{path}.{segment}") }
    })
}
