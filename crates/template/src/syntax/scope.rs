//! The variables of a template while it is parsed.

use super::tree::TemplateVariable;

/// The variables that are declared at a place of a template, as the parser and as the execution see them.
///
/// The two differ: for the parser, as for Go's, a name is known from the place on where it is declared or assigned, to the end of the control structure,
/// its `else` included. The execution declares variables after the value is computed, and drops those of a body before `else`.
#[derive(Debug)]
pub(super) struct VariableScope<'a> {
    known: Vec<&'a str>,
    slots: Vec<&'a str>,
}

/// A place to which a scope can be reset.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScopeMark {
    known: usize,
    slots: usize,
}

impl<'a> VariableScope<'a> {
    /// Creates the scope of a template, which has `$`.
    pub(super) fn new() -> Self {
        Self { known: vec!["$"], slots: vec!["$"] }
    }

    /// Makes a name known.
    pub(super) fn know(&mut self, name: &'a str) {
        self.known.push(name);
    }

    /// Gives a variable the next slot.
    pub(super) fn declare(&mut self, name: &'a str) -> usize {
        self.slots.push(name);
        self.slots.len() - 1
    }

    /// Returns the slot of a variable to be read; None if the name is not known.
    pub(super) fn read(&self, name: &str) -> Option<usize> {
        match self.slot(name) {
            TemplateVariable::UNDECLARED if !self.known.contains(&name) => None,
            slot => Some(slot),
        }
    }

    /// Returns the slot of a variable; [`TemplateVariable::UNDECLARED`] if there is none.
    pub(super) fn slot(&self, name: &str) -> usize {
        self.slots.iter().rposition(|declared| *declared == name).unwrap_or(TemplateVariable::UNDECLARED)
    }

    /// Returns the current place.
    pub(super) fn mark(&self) -> ScopeMark {
        ScopeMark { known: self.known.len(), slots: self.slots.len() }
    }

    /// Drops the slots that were declared since the mark, at the end of a body.
    pub(super) fn end_body(&mut self, mark: ScopeMark) {
        self.slots.truncate(mark.slots);
    }

    /// Drops everything that was declared since the mark, at the end of a control structure.
    pub(super) fn end_structure(&mut self, mark: ScopeMark) {
        self.known.truncate(mark.known);
        self.slots.truncate(mark.slots);
    }
}
