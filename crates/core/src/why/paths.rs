//! The fields in which two states of an object differ.

use std::borrow::Cow;
use std::fmt::{self, Write as _};

use kubewright_machinery::object::Fields;
use serde_json::value::RawValue;

use crate::flow::redact;

/// The fields of `metadata` that change with every write, or by themselves.
const UNTOLD: [&str; 3] = ["generation", "managedFields", "resourceVersion"];
/// The depth below which differences are reported as one.
const DEEPEST: usize = 32;
/// The longest path, in bytes; a longer one is cut.
const LONGEST: usize = 120;

/// The paths of changed fields: a bounded number of them, and the number of further ones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedPaths {
    shown: Vec<Box<str>>,
    more: usize,
}

impl ChangedPaths {
    /// Returns the paths that are kept, in the order of the object.
    pub fn shown(&self) -> impl ExactSizeIterator<Item = &str> {
        self.shown.iter().map(AsRef::as_ref)
    }

    /// Returns the number of further paths.
    pub const fn more(&self) -> usize {
        self.more
    }

    /// Returns true if no change is known.
    pub const fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.more == 0
    }

    /// Adds the paths of a later change; at most `limit` are kept.
    pub(super) fn join(&mut self, later: &Self, limit: usize) {
        for path in &later.shown {
            if self.shown.contains(path) {
                continue;
            }
            if self.shown.len() < limit {
                self.shown.push(path.clone());
            } else {
                self.more += 1;
            }
        }
        self.more += later.more;
    }

    pub(super) fn weight(&self) -> usize {
        self.shown.iter().map(|path| path.len() + size_of::<Box<str>>()).sum()
    }
}

/// Writes `data.a, data.b and 3 more`.
impl fmt::Display for ChangedPaths {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown.join(", "))?;
        match (self.more, self.shown.is_empty()) {
            (0, _) => Ok(()),
            (more, true) => write!(f, "{more} fields"),
            (more, false) => write!(f, " and {more} more"),
        }
    }
}

/// Returns the paths of the fields in which two states of an object differ, at most `limit` of them.
///
/// The states are JSON texts. Only parts that differ as text are compared: objects by field, lists of equal length by index, other values as a whole.
/// An added or removed field is reported without the fields below it. `metadata.resourceVersion`, `metadata.generation` and `metadata.managedFields`
/// are never reported. Names other than words are quoted: `metadata.labels["example.com/a"]`.
pub fn changed_paths(old: &str, new: &str, limit: usize) -> ChangedPaths {
    let mut search = ChangeSearch { found: ChangedPaths::default(), limit, path: String::new() };
    search.compare(old.trim(), new.trim(), 0);
    search.found
}

struct ChangeSearch {
    found: ChangedPaths,
    limit: usize,
    /// The current path of the search.
    path: String,
}

impl ChangeSearch {
    fn compare(&mut self, old: &str, new: &str, depth: usize) {
        if old == new {
            return;
        }
        if depth < DEEPEST {
            match (old.as_bytes().first(), new.as_bytes().first()) {
                (Some(b'{'), Some(b'{')) => {
                    if let (Some(old), Some(new)) = (Fields::read(old), Fields::read(new)) {
                        return self.objects(old, new, depth);
                    }
                }
                (Some(b'['), Some(b'[')) => {
                    if let (Some(old), Some(new)) = (items(old), items(new))
                        && old.len() == new.len()
                    {
                        return self.lists(&old, &new, depth);
                    }
                }
                // Writers of JSON differ in the characters that they escape.
                (Some(b'"'), Some(b'"')) if old.contains('\\') || new.contains('\\') => {
                    if let (Ok(old), Ok(new)) = (serde_json::from_str::<String>(old), serde_json::from_str::<String>(new))
                        && old == new
                    {
                        return;
                    }
                }
                _ => {}
            }
        }
        self.tell();
    }

    fn objects(&mut self, old: Fields<'_>, new: Fields<'_>, depth: usize) {
        let is_metadata = depth == 1 && self.path == "metadata";
        let (mut old, mut new) = (in_order(old).into_iter().peekable(), in_order(new).into_iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return,
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((old, _)), Some((new, _))) => old.cmp(new),
            };
            let before = if order.is_le() { old.next() } else { None };
            let after = if order.is_ge() { new.next() } else { None };
            let Some(name) = before.as_ref().or(after.as_ref()).map(|(name, _)| name.as_ref()) else { return };
            if is_metadata && UNTOLD.contains(&name) {
                continue;
            }
            let outer = self.path.len();
            self.enter(name);
            match (&before, &after) {
                (Some((_, old)), Some((_, new))) => self.compare(old.get(), new.get(), depth + 1),
                _ => self.tell(),
            }
            self.path.truncate(outer);
        }
    }

    fn lists(&mut self, old: &[&RawValue], new: &[&RawValue], depth: usize) {
        for (index, (old, new)) in old.iter().zip(new).enumerate() {
            let outer = self.path.len();
            // Writing to a string cannot fail.
            let _ = write!(self.path, "[{index}]");
            self.compare(old.get(), new.get(), depth + 1);
            self.path.truncate(outer);
        }
    }

    fn enter(&mut self, name: &str) {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
        if name.is_empty() || !name.bytes().all(is_word) {
            let _ = write!(self.path, "[{name:?}]");
            return;
        }
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(name);
    }

    fn tell(&mut self) {
        if self.found.shown.len() >= self.limit {
            self.found.more += 1;
            return;
        }
        let path = match self.path.as_str() {
            "" => Cow::Borrowed("."),
            path if path.len() > LONGEST => Cow::Owned(format!("{}…", &path[..path.floor_char_boundary(LONGEST)])),
            path => Cow::Borrowed(path),
        };
        // Names in maps may contain any text, even a credential.
        self.found.shown.push(redact(&path).into());
    }
}

/// Returns the fields sorted by name; most objects are already written in this order.
fn in_order(fields: Fields<'_>) -> Vec<(Cow<'_, str>, &RawValue)> {
    let mut fields = fields.0;
    if !fields.is_sorted_by(|one, other| one.0 <= other.0) {
        fields.sort_by(|one, other| one.0.cmp(&other.0));
    }
    fields
}

fn items(text: &str) -> Option<Vec<&RawValue>> {
    serde_json::from_str(text).ok()
}
