//! The reader of the keys of one ConfigMap.

use std::collections::{BTreeMap, BTreeSet};

use super::{ConfigErrors, EXAMPLE_KEY, Field, Parsed, ValueError};

/// A reader of the keys of one ConfigMap, which collects their errors.
///
/// Implementations of [`FromConfigMap`](super::FromConfigMap) read all their fields before they look at any result, so that all
/// invalid keys are reported together:
///
/// ```
/// # use std::collections::BTreeMap;
/// # use kubewright_core::config::{ConfigErrors, Field, Parsed, Reader};
/// # fn read(data: &BTreeMap<String, String>) -> Result<Parsed<(u32, String)>, ConfigErrors> {
/// let mut reader = Reader::new(data);
/// let replicas = reader.read(&Field::<u32>::new("replicas").default("1").range("1..=10"));
/// let host = reader.read(&Field::<String>::new("host"));
/// reader.finish(|| Ok((replicas?, host?)))
/// # }
/// ```
#[derive(Debug)]
pub struct Reader<'a> {
    data: &'a BTreeMap<String, String>,
    strict: bool,
    /// The names of keys and prefixes in the order in which they are read, for errors about unknown keys.
    allowed: Vec<String>,
    /// The keys of the data that were read.
    taken: BTreeSet<&'a str>,
    errors: BTreeMap<String, ValueError>,
}

/// The error of a field that could not be read. Its reader holds the causes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreadable(());

impl<'a> Reader<'a> {
    /// Creates a reader of the data of a ConfigMap. The key `_example` is skipped.
    pub fn new(data: &'a BTreeMap<String, String>) -> Self {
        let (allowed, taken, errors) = (Vec::new(), BTreeSet::from([EXAMPLE_KEY]), BTreeMap::new());
        Self { data, strict: false, allowed, taken, errors }
    }

    /// Turns keys that are not read into errors.
    #[must_use]
    pub fn strict(mut self) -> Self {
        self.strict = true;
        self
    }

    /// Reads a key, or else its former names, or else its default.
    pub fn read<T>(&mut self, field: &Field<'_, T>) -> Result<T, Unreadable> {
        self.allowed.push(field.name.to_owned());
        // A default or range that cannot be used is found at the first use, not only when the key is removed.
        let declared = field.bounds().and_then(|bounds| Ok((field.default_value(bounds.as_ref())?, bounds)));
        let (default, bounds) = match declared {
            Ok(declared) => declared,
            Err(cause) => {
                // The key counts as known although it cannot be read.
                for name in field.aliases.iter().chain([&field.name]) {
                    self.take(name);
                }
                return Err(self.fail(field.name, cause));
            }
        };
        let mut found = None;
        for name in [&field.name].into_iter().chain(&field.aliases) {
            // A former name that does not count is a known key, whatever its text.
            let text = self.take(name);
            found = found.or_else(|| text.map(|text| (*name, text)));
        }
        match (found, default) {
            (Some((name, text)), _) => field.parse(text, bounds.as_ref()).map_err(|cause| self.fail(name, cause)),
            (None, Some(value)) => Ok(value),
            (None, None) => field.absent().map_err(|cause| self.fail(field.name, cause)),
        }
    }

    /// Reads the keys `<prefix>.<rest>` under their `<rest>`, which is not empty. Keys that were read before are left out. Aliases and
    /// the default of the field are not used.
    pub fn collect<T>(&mut self, field: &Field<'_, T>) -> Result<BTreeMap<String, T>, Unreadable> {
        self.allowed.push(format!("{}.<name>", field.name));
        let bounds = match field.bounds() {
            Ok(bounds) => bounds,
            Err(cause) => return Err(self.fail(field.name, cause)),
        };
        let data = self.data;
        let mut values = Ok(BTreeMap::new());
        for (key, text) in data {
            let rest = key.strip_prefix(field.name).and_then(|rest| rest.strip_prefix('.')).filter(|rest| !rest.is_empty());
            let Some(rest) = rest else { continue };
            if !self.taken.insert(key) {
                continue;
            }
            match (field.parse(text, bounds.as_ref()), &mut values) {
                (Ok(value), Ok(values)) => drop(values.insert(rest.to_owned(), value)),
                (Ok(_), Err(_)) => {}
                (Err(cause), _) => values = Err(self.fail(key, cause)),
            }
        }
        values
    }

    /// Returns the value that `build` makes, unless a key is invalid.
    pub fn finish<T>(mut self, build: impl FnOnce() -> Result<T, Unreadable>) -> Result<Parsed<T>, ConfigErrors> {
        let unknown: BTreeSet<&String> = self.data.keys().filter(|key| !self.taken.contains(key.as_str())).collect();
        if self.strict {
            let allowed = self.allowed.join(", ");
            for key in &unknown {
                let cause = ValueError::new(format_args!("the key is unknown; allowed: {allowed}"));
                self.errors.insert((*key).clone(), cause);
            }
        }
        match (build(), ConfigErrors::of(self.errors)) {
            (Ok(value), None) => Ok(Parsed { value, unknown_keys: unknown.into_iter().cloned().collect() }),
            (_, Some(errors)) => Err(errors),
            (Err(Unreadable(())), None) => Err(ConfigErrors::new("", ValueError::new("a field was read by another reader"))),
        }
    }

    /// Returns the text of a key, and marks the key as read.
    fn take(&mut self, name: &str) -> Option<&'a str> {
        let (key, text) = self.data.get_key_value(name)?;
        self.taken.insert(key);
        Some(text)
    }

    /// Records the error of a key.
    pub(crate) fn fail(&mut self, key: &str, cause: ValueError) -> Unreadable {
        self.errors.insert(key.to_owned(), cause);
        Unreadable(())
    }
}
