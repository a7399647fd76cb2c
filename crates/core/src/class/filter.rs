//! The filter that selects the objects of a controller's class.

use kubewright_machinery::object::{HasMetadata, MetadataView};

/// Distinguishes the objects of a class from others by an annotation. Several keys are tried in order, for instance a former name after the present
/// one; the first annotation that exists decides, even if its value is empty. An object without any of them is not of the class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFilter {
    /// The keys of the annotations, never empty.
    keys: Vec<String>,
    value: String,
    hand_over: HandOver,
}

/// The treatment of an object that belongs to another class and still carries our finalizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandOver {
    /// The dependents and other resources of the object are cleaned up as if it were being deleted, then our finalizer is removed.
    #[default]
    Finalize,
    /// Only our finalizer is removed.
    Release,
}

/// The decision of a class filter about an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClassDecision {
    /// The object is of our class.
    Ours,
    /// The object is of another class or of none: it is left alone and nothing is written.
    NotOurs,
    /// The object is not of our class and carries our finalizer, which must go before the object is left alone.
    HandOver(HandOver),
}

impl ClassFilter {
    /// Selects the objects whose annotation `key` has this value.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { keys: vec![key.into()], value: value.into(), hand_over: HandOver::default() }
    }

    /// Adds a key, which is tried after the others.
    #[must_use]
    pub fn or_key(mut self, key: impl Into<String>) -> Self {
        self.keys.push(key.into());
        self
    }

    /// Sets the treatment of objects that are handed over. Default: [`HandOver::Finalize`].
    #[must_use]
    pub fn hand_over(mut self, hand_over: HandOver) -> Self {
        self.hand_over = hand_over;
        self
    }

    /// Returns the keys of the annotations, in the order in which they are tried.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Returns the value that our objects have.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Returns the class of an object: the value of the first annotation that exists.
    pub fn class_of<'a>(&self, metadata: MetadataView<'a>) -> Option<&'a str> {
        self.keys.iter().find_map(|key| metadata.annotation(key))
    }

    /// Returns true if the object is of our class.
    pub fn is_ours(&self, metadata: MetadataView<'_>) -> bool {
        self.class_of(metadata) == Some(&self.value)
    }

    /// Decides on an object; a deletion timestamp makes no difference. `our_finalizers` are all names of our finalizer, including former ones.
    pub fn decide(&self, metadata: MetadataView<'_>, our_finalizers: &[impl AsRef<str>]) -> ClassDecision {
        if self.is_ours(metadata) {
            return ClassDecision::Ours;
        }
        let is_held = metadata.finalizers().any(|finalizer| our_finalizers.iter().any(|ours| ours.as_ref() == finalizer));
        if is_held { ClassDecision::HandOver(self.hand_over) } else { ClassDecision::NotOurs }
    }

    /// Returns true if the controller has work for an object: its key is queued at an event, a promotion or a resync, and its deletion is reported
    /// (CLS-2). Objects that are handed over are queued like our own.
    pub fn concerns(&self, object: &(impl HasMetadata + ?Sized), our_finalizers: &[impl AsRef<str>]) -> bool {
        self.decide(MetadataView::of(&object.metadata_map()), our_finalizers) != ClassDecision::NotOurs
    }
}
