//! Compilation of the text of a rule to a program.

use super::interpreter::Program;

/// The compiled expressions of a rule.
#[derive(Debug)]
pub(in crate::schema) struct Programs {
    /// The program of the rule; `None` if the rule does not compile. A definition with such a rule is rejected, or was stored before rules were
    /// checked.
    pub(super) rule: Option<Program>,
    pub(super) message: Option<Program>,
    /// True if the rule compares with the stored value.
    pub(super) is_transition: bool,
}

impl Programs {
    pub(in crate::schema) fn compile(rule: &str, message: &str) -> Self {
        let rule = Program::compile(rule);
        let message = if message.is_empty() { None } else { Program::compile(message) };
        let is_transition = rule.as_ref().is_some_and(|rule| rule.mentions("oldSelf"));
        Self { rule, message, is_transition }
    }
}
