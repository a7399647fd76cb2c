//! The types of components.

use std::fmt;

/// The longest name: the name of a dependency finalizer made of it and a hash has 63 characters, the limit of Kubernetes.
const MAX_LEN: usize = 54;

/// The type of a component, in CamelCase, by default its Kubernetes kind. It is the `<T>` of the component's conditions, and in lower case the `<t>`
/// of its finalizers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ComponentType(&'static str);

impl ComponentType {
    /// Creates the type of this name: letters and digits, the first one an upper-case letter, at most 54 characters.
    ///
    /// # Panics
    ///
    /// Panics with an illegal name; in a constant this is a compile error.
    pub const fn new(name: &'static str) -> Self {
        assert!(
            is_legal(name),
            "the type of a component has letters and digits, begins with an upper-case letter, and has at most 54 characters"
        );
        Self(name)
    }

    /// Returns the name, in CamelCase.
    pub const fn as_str(self) -> &'static str {
        self.0
    }

    /// Returns the name in lower case.
    pub fn lower(self) -> String {
        self.0.to_ascii_lowercase()
    }

    /// Returns the type of the condition that is True while the component's controller works without error.
    pub fn reconciliation(self) -> String {
        format!("{self}Reconciliation")
    }

    /// Returns the type of the condition that is True while the component works.
    pub fn healthy(self) -> String {
        format!("{self}Healthy")
    }

    /// Returns the type of the condition that is present while the deletion of the component is stuck.
    pub fn deletion_blocked(self) -> String {
        format!("{self}DeletionBlocked")
    }
}

const fn is_legal(name: &str) -> bool {
    let [first, rest @ ..] = name.as_bytes() else { return false };
    let mut rest = rest;
    let len = rest.len() + 1;
    while let [byte, others @ ..] = rest {
        if !byte.is_ascii_alphanumeric() {
            return false;
        }
        rest = others;
    }
    first.is_ascii_uppercase() && len <= MAX_LEN
}

impl fmt::Display for ComponentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.0)
    }
}

impl fmt::Debug for ComponentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
