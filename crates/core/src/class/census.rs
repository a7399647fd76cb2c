//! Counts of the objects that a class filter excludes, and the warning when it excludes all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use kubewright_machinery::object::{HasMetadata, MetadataView};

use super::ClassFilter;
use crate::time::Moment;

/// The time from the first complete list of the objects to the check.
const PATIENCE: Duration = Duration::from_secs(60);
/// The most values that a warning shows.
const SHOWN: usize = 5;
/// The most characters of a value that a warning shows.
const SHOWN_CHARACTERS: usize = 63;

/// Counts the objects of a kind by class (CLS-4). The owner of the census reports every change of the store to it; the census warns once if no object
/// is of the class, because then the class is most likely misspelt in the objects or in the configuration.
#[derive(Clone, Debug)]
pub struct ClassCensus {
    filter: ClassFilter,
    ours: usize,
    /// The numbers of objects of other classes, by class; `None` stands for objects without a class.
    others: BTreeMap<Option<String>, usize>,
    check: Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    NotSynced,
    At(Moment),
    Over,
}

impl ClassCensus {
    /// Creates a census without objects.
    pub fn new(filter: ClassFilter) -> Self {
        Self { filter, ours: 0, others: BTreeMap::new(), check: Check::NotSynced }
    }

    /// Counts a change: the previous state, `None` for a new object, and the current state, `None` for a deleted object.
    pub fn changed<P: HasMetadata + ?Sized>(&mut self, old: Option<&P>, new: Option<&P>) {
        if let Some(class) = old.map(|object| self.class(object)) {
            self.remove(class);
        }
        if let Some(class) = new.map(|object| self.class(object)) {
            self.add(class);
        }
    }

    /// Starts the wait for the check, which is due one minute after the caches have synced. Later calls have no effect.
    pub fn synced(&mut self, now: Moment) {
        if self.check == Check::NotSynced {
            self.check = Check::At(now + PATIENCE);
        }
    }

    /// Returns the time of the check, if it is still due.
    pub const fn due(&self) -> Option<Moment> {
        match self.check {
            Check::At(due) => Some(due),
            Check::NotSynced | Check::Over => None,
        }
    }

    /// Runs the check once it is due. Returns the warning if there are objects and none is of the class. The check runs once, so there is at most one
    /// warning.
    pub fn check(&mut self, now: Moment) -> Option<ClassMismatch> {
        if self.due().is_none_or(|due| now < due) {
            return None;
        }
        self.check = Check::Over;
        (self.ours == 0 && self.filtered() > 0).then(|| self.mismatch())
    }

    /// Returns the number of objects that are not of the class.
    pub fn filtered(&self) -> usize {
        self.others.values().sum()
    }

    fn class(&self, object: &(impl HasMetadata + ?Sized)) -> CountedClass {
        let map = object.metadata_map();
        match self.filter.class_of(MetadataView::of(&map)) {
            Some(class) if class == self.filter.value() => CountedClass::Ours,
            other => CountedClass::Other(other.map(str::to_owned)),
        }
    }

    fn add(&mut self, class: CountedClass) {
        match class {
            CountedClass::Ours => self.ours += 1,
            CountedClass::Other(class) => *self.others.entry(class).or_default() += 1,
        }
    }

    fn remove(&mut self, class: CountedClass) {
        match class {
            CountedClass::Ours => self.ours = self.ours.saturating_sub(1),
            CountedClass::Other(class) => {
                if let Some(count) = self.others.get_mut(&class) {
                    *count -= 1;
                    if *count == 0 {
                        self.others.remove(&class);
                    }
                }
            }
        }
    }

    fn mismatch(&self) -> ClassMismatch {
        let mut seen: Vec<(&str, usize)> =
            self.others.iter().filter_map(|(class, count)| Some((class.as_deref()?, *count))).collect();
        // The most frequent classes come first; the sort is stable, so classes with equal counts stay in alphabetical order.
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        ClassMismatch {
            keys: self.filter.keys().to_vec(),
            value: self.filter.value().to_owned(),
            objects: self.filtered(),
            unset: self.others.get(&None).copied().unwrap_or_default(),
            seen: seen.iter().take(SHOWN).map(|(class, _)| class.chars().take(SHOWN_CHARACTERS).collect()).collect(),
            more: seen.len().saturating_sub(SHOWN),
        }
    }
}

/// The class of an object for the count.
enum CountedClass {
    Ours,
    Other(Option<String>),
}

/// The warning that no object is of the class, as `Display` text for the log.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ClassMismatch {
    /// The keys of the annotations that contain the class.
    pub keys: Vec<String>,
    /// The class of the controller.
    pub value: String,
    /// The number of objects.
    pub objects: usize,
    /// The number of objects that have none of the annotations.
    pub unset: usize,
    /// Up to five classes that objects have, the most frequent first, each cut to 63 characters.
    pub seen: Vec<String>,
    /// The number of further classes.
    pub more: usize,
}

impl fmt::Display for ClassMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { keys, value, objects, unset, seen, more } = self;
        write!(f, "none of {objects} objects is of class {value:?} (annotation {}); classes found: ", keys.join(", else "))?;
        match seen.as_slice() {
            [] => f.write_str("none")?,
            seen => {
                let quoted: Vec<String> = seen.iter().map(|class| format!("{class:?}")).collect();
                f.write_str(&quoted.join(", "))?;
            }
        }
        if *more > 0 {
            write!(f, " and {more} more")?;
        }
        write!(f, "; objects without a class: {unset}; correct the annotation of the objects, or the class of the controller")
    }
}
