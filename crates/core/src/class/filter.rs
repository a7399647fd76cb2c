//! Whose an object is.

use kubewright_machinery::object::{HasMetadata, MetadataView};

/// Tells the objects of a class from those of others by an annotation. Several keys are tried in order, for instance a former name after the
/// present one; the first annotation that exists decides, even if its value is empty. An object without any of them is not ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassFilter {
    /// Never empty.
    keys: Vec<String>,
    value: String,
    hand_over: HandOver,
}

/// The treatment of an object that belongs to another class and still carries our finalizer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum HandOver {
    /// What belongs to the object is cleaned up as if it were being deleted, then our finalizer is removed.
    #[default]
    Finalize,
    /// Only our finalizer is removed.
    Release,
}

/// What a class means for an object.
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
    /// The objects whose annotation `key` has this value.
    pub fn new(key: impl Into<String>, value: impl Into<String>) -> Self {
        Self { keys: vec![key.into()], value: value.into(), hand_over: HandOver::default() }
    }

    /// With one more key, tried after the others.
    #[must_use]
    pub fn or_key(mut self, key: impl Into<String>) -> Self {
        self.keys.push(key.into());
        self
    }

    /// With another treatment of objects that are handed over. Default: [`HandOver::Finalize`].
    #[must_use]
    pub fn hand_over(mut self, hand_over: HandOver) -> Self {
        self.hand_over = hand_over;
        self
    }

    /// The keys of the annotations, in the order in which they are tried.
    pub fn keys(&self) -> &[String] {
        &self.keys
    }

    /// The value that our objects have.
    pub fn value(&self) -> &str {
        &self.value
    }

    /// The class of an object: the value of the first annotation that exists.
    pub fn class_of<'a>(&self, metadata: MetadataView<'a>) -> Option<&'a str> {
        self.keys.iter().find_map(|key| metadata.annotation(key))
    }

    /// Whether the object is of our class.
    pub fn is_ours(&self, metadata: MetadataView<'_>) -> bool {
        self.class_of(metadata) == Some(&self.value)
    }

    /// Decides on an object, whether it is being deleted or not. `our_finalizers` are all names of our finalizer, former ones included.
    pub fn decide(&self, metadata: MetadataView<'_>, our_finalizers: &[impl AsRef<str>]) -> ClassDecision {
        if self.is_ours(metadata) {
            return ClassDecision::Ours;
        }
        let is_held = metadata.finalizers().any(|finalizer| our_finalizers.iter().any(|ours| ours.as_ref() == finalizer));
        if is_held { ClassDecision::HandOver(self.hand_over) } else { ClassDecision::NotOurs }
    }

    /// Whether there is anything to do for an object: whether its key is queued, at an event as at a promotion or a resync, and whether its
    /// deletion is told (CLS-2). Objects that are handed over are queued like our own.
    pub fn concerns(&self, object: &(impl HasMetadata + ?Sized), our_finalizers: &[impl AsRef<str>]) -> bool {
        self.decide(MetadataView::of(&object.metadata_map()), our_finalizers) != ClassDecision::NotOurs
    }
}
