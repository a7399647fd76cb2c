//! The checks of the condition types that the components of a contract declare: each type belongs to one component, and none to the framework (CT-2,
//! RDY-2).

use std::fmt;

use super::common_status::DeclaredCondition;
use super::component_type::ComponentType;
use super::readiness::FRAMEWORK;

/// The suffixes of the condition types that every component has.
const SUFFIXES: [&str; 3] = ["Reconciliation", "Healthy", "DeletionBlocked"];
/// The longest text of a problem, in bytes; a longer one is cut.
const MAX_TEXT: usize = 512;

/// A component with the conditions that it declares.
pub type Declared = (ComponentType, &'static [DeclaredCondition]);

/// The error of a condition type that cannot be declared, as a text for users. It is built when the contract is compiled, or when an operator starts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ConditionProblem {
    text: [u8; MAX_TEXT],
    len: usize,
}

impl ConditionProblem {
    /// Finds a problem of the conditions of a component, by themselves or in conflict with components that are listed before it.
    pub const fn find(component: Declared, earlier: &[Declared]) -> Option<Self> {
        let (type_, declared) = component;
        let mut rest = declared;
        while let [condition, others @ ..] = rest {
            let name = condition.type_;
            if is_of_framework(name) || is_of_component(name, type_) {
                return Some(Self::reserved(type_, name));
            }
            if declares(others, name) {
                let text = Self::EMPTY.then("component ").then(type_.as_str()).then(" declares condition ").then(name);
                return Some(text.then(" twice; remove one"));
            }
            rest = others;
        }
        let mut before = earlier;
        while let [(other, others_declared), others @ ..] = before {
            // The graph reports a component that is listed twice.
            if !is_equal(other.as_str().as_bytes(), type_.as_str().as_bytes())
                && let Some(problem) = Self::between(type_, declared, *other, others_declared)
            {
                return Some(problem);
            }
            before = others;
        }
        None
    }

    /// Returns the text of the problem.
    pub const fn as_str(&self) -> &str {
        let (text, _) = self.text.split_at(self.len);
        match std::str::from_utf8(text) {
            Ok(text) => text,
            Err(_) => "two components declare one condition, or one of the framework; rename it",
        }
    }

    const EMPTY: Self = Self { text: [0; MAX_TEXT], len: 0 };

    /// Finds a problem between the conditions of two components.
    const fn between(
        type_: ComponentType,
        declared: &[DeclaredCondition],
        other: ComponentType,
        others: &[DeclaredCondition],
    ) -> Option<Self> {
        let mut rest = declared;
        while let [condition, next @ ..] = rest {
            let name = condition.type_;
            if is_of_component(name, other) {
                return Some(Self::reserved(type_, name));
            }
            if declares(others, name) {
                let text = Self::EMPTY.then("components ").then(other.as_str()).then(" and ").then(type_.as_str());
                return Some(text.then(" both declare condition ").then(name).then("; rename one"));
            }
            rest = next;
        }
        let mut rest = others;
        while let [condition, next @ ..] = rest {
            if is_of_component(condition.type_, type_) {
                return Some(Self::reserved(other, condition.type_));
            }
            rest = next;
        }
        None
    }

    const fn reserved(type_: ComponentType, name: &str) -> Self {
        let text = Self::EMPTY.then("component ").then(type_.as_str()).then(" declares condition ").then(name);
        text.then(", which the framework sets; rename it, or remove it from the declared ones")
    }

    const fn then(mut self, text: &str) -> Self {
        let mut rest = text.as_bytes();
        while let [byte, others @ ..] = rest {
            if self.len < MAX_TEXT {
                self.text[self.len] = *byte;
                self.len += 1;
            }
            rest = others;
        }
        self
    }
}

impl fmt::Display for ConditionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for ConditionProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

const fn declares(declared: &[DeclaredCondition], name: &str) -> bool {
    let mut rest = declared;
    while let [condition, others @ ..] = rest {
        if is_equal(condition.type_.as_bytes(), name.as_bytes()) {
            return true;
        }
        rest = others;
    }
    false
}

/// Returns true if the framework sets the condition on every component.
const fn is_of_framework(name: &str) -> bool {
    let mut rest: &[&str] = &FRAMEWORK;
    while let [own, others @ ..] = rest {
        if is_equal(own.as_bytes(), name.as_bytes()) {
            return true;
        }
        rest = others;
    }
    false
}

/// Returns true if the condition is one of `<T>Reconciliation`, `<T>Healthy` and `<T>DeletionBlocked`.
const fn is_of_component(name: &str, type_: ComponentType) -> bool {
    let (name, type_) = (name.as_bytes(), type_.as_str().as_bytes());
    if name.len() <= type_.len() {
        return false;
    }
    let (begin, end) = name.split_at(type_.len());
    let [reconciliation, healthy, deletion_blocked] = &SUFFIXES;
    is_equal(begin, type_)
        && (is_equal(end, reconciliation.as_bytes())
            || is_equal(end, healthy.as_bytes())
            || is_equal(end, deletion_blocked.as_bytes()))
}

const fn is_equal(left: &[u8], right: &[u8]) -> bool {
    let (mut left, mut right) = (left, right);
    while let ([first, left_rest @ ..], [second, right_rest @ ..]) = (left, right) {
        if *first != *second {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    left.is_empty() && right.is_empty()
}
