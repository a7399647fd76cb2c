//! Compilation of the text of a rule to a program.

use super::interpreter::CelProgram;

/// The compiled expressions of a rule.
#[derive(Debug)]
pub(crate) struct Programs {
    /// The program of the rule; `None` if the rule does not compile. A definition with such a rule is rejected, or was stored before rules were
    /// checked.
    pub(crate) rule: Option<CelProgram>,
    pub(crate) message: Option<CelProgram>,
    /// True if the rule compares with the stored value.
    pub(crate) is_transition: bool,
}

impl Programs {
    pub(crate) fn compile(rule: &str, message: &str) -> Self {
        let rule = CelProgram::compile(rule);
        let message = if message.is_empty() { None } else { CelProgram::compile(message) };
        let is_transition = rule.as_ref().is_some_and(|rule| rule.mentions("oldSelf"));
        Self { rule, message, is_transition }
    }
}
