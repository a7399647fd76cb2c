//! Typed names of conditions (CND-7).

use std::fmt;
use std::marker::PhantomData;

/// The type of a condition of the kind `K`, with its visibility and polarity. An illegal name does not compile in a constant.
///
/// ```
/// # struct Widget;
/// use kubewright_core::condition::ConditionType;
/// const REACHABLE: ConditionType<Widget> = ConditionType::new("Reachable");
/// const DEGRADED: ConditionType<Widget> = ConditionType::new("Degraded").abnormal();
/// assert_eq!(REACHABLE.as_str(), "Reachable");
/// ```
///
/// ```compile_fail
/// # struct Widget;
/// # use kubewright_core::condition::ConditionType;
/// const REACHABLE: ConditionType<Widget> = ConditionType::new("is reachable");
/// ```
pub struct ConditionType<K: ?Sized> {
    name: &'static str,
    visibility: ConditionVisibility,
    polarity: ConditionPolarity,
    kind: PhantomData<fn() -> K>,
}

/// The visibility of a component's condition on its owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConditionVisibility {
    /// The condition is exported to the owner.
    #[default]
    Public,
    /// The condition stays on the component.
    Internal,
}

/// The status of a condition that is the good one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ConditionPolarity {
    /// True is good, and readiness requires it.
    #[default]
    Normal,
    /// False is good, and so is an absent condition.
    Abnormal,
    /// No status is good or bad; readiness ignores the condition.
    Informational,
}

impl<K: ?Sized> ConditionType<K> {
    /// Creates the type of this name, public and of normal polarity. A name has letters, digits, `_`, `.` and `-`, at least one and at most 316.
    ///
    /// # Panics
    ///
    /// Panics with an illegal name; in a constant this is a compile error.
    pub const fn new(name: &'static str) -> Self {
        assert!(
            is_legal(name),
            "the type of a condition has letters, digits, `_`, `.` and `-`, at least one character and at most 316"
        );
        Self { name, visibility: ConditionVisibility::Public, polarity: ConditionPolarity::Normal, kind: PhantomData }
    }

    /// Makes the condition internal: it is not exported to the owner.
    #[must_use]
    pub const fn internal(mut self) -> Self {
        self.visibility = ConditionVisibility::Internal;
        self
    }

    /// Makes False the good status.
    #[must_use]
    pub const fn abnormal(mut self) -> Self {
        self.polarity = ConditionPolarity::Abnormal;
        self
    }

    /// Makes the condition informational: no status is good or bad.
    #[must_use]
    pub const fn informational(mut self) -> Self {
        self.polarity = ConditionPolarity::Informational;
        self
    }

    /// Returns the name, as the field `type` has it.
    pub const fn as_str(&self) -> &'static str {
        self.name
    }

    /// Returns the visibility of the condition on the owner.
    pub const fn visibility(&self) -> ConditionVisibility {
        self.visibility
    }

    /// Returns the polarity of the condition.
    pub const fn polarity(&self) -> ConditionPolarity {
        self.polarity
    }
}

const fn is_legal(name: &str) -> bool {
    let mut rest = name.as_bytes();
    let len = rest.len();
    while let [first, others @ ..] = rest {
        if !(first.is_ascii_alphanumeric() || matches!(*first, b'_' | b'.' | b'-')) {
            return false;
        }
        rest = others;
    }
    len > 0 && len <= 316
}

impl<K: ?Sized> Clone for ConditionType<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: ?Sized> Copy for ConditionType<K> {}

impl<K: ?Sized> PartialEq for ConditionType<K> {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.visibility == other.visibility && self.polarity == other.polarity
    }
}

impl<K: ?Sized> Eq for ConditionType<K> {}

impl<K: ?Sized> AsRef<str> for ConditionType<K> {
    fn as_ref(&self) -> &str {
        self.name
    }
}

impl<K: ?Sized> fmt::Debug for ConditionType<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConditionType")
            .field("name", &self.name)
            .field("visibility", &self.visibility)
            .field("polarity", &self.polarity)
            .finish()
    }
}

impl<K: ?Sized> fmt::Display for ConditionType<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
