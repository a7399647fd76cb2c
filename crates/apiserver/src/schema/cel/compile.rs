//! From the text of a rule to something that can be evaluated.

use super::interpreter::Program;

/// The compiled expressions of a rule.
#[derive(Debug)]
pub(in crate::schema) struct Programs {
    /// Absent when the rule does not compile; such a definition was refused, or is older than the check.
    pub(super) rule: Option<Program>,
    pub(super) message: Option<Program>,
    /// Whether the rule compares with the stored value.
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
