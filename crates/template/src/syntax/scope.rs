//! The variables of a template while it is parsed.

use std::collections::HashMap;

use super::tree::TemplateVariable;

/// The variables that are declared at a place of a template, as the parser and as the execution see them.
///
/// The two differ: for the parser, as for Go's, a name is known from the place on where it is declared or assigned, to the end of the control structure,
/// its `else` included. The execution declares variables after the value is computed, and drops those of a body before `else`.
#[derive(Debug)]
pub(super) struct VariableScope<'a> {
    known: NameStack<'a>,
    slots: NameStack<'a>,
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
        let mut scope = Self { known: NameStack::default(), slots: NameStack::default() };
        scope.know("$");
        scope.declare("$");
        scope
    }

    /// Makes a name known.
    pub(super) fn know(&mut self, name: &'a str) {
        self.known.push(name);
    }

    /// Gives a variable the next slot.
    pub(super) fn declare(&mut self, name: &'a str) -> usize {
        self.slots.push(name);
        self.slots.names.len() - 1
    }

    /// Returns the slot of a variable to be read; None if the name is not known.
    pub(super) fn read(&self, name: &str) -> Option<usize> {
        match self.slot(name) {
            TemplateVariable::UNDECLARED if self.known.last(name).is_none() => None,
            slot => Some(slot),
        }
    }

    /// Returns the slot of a variable; [`TemplateVariable::UNDECLARED`] if there is none.
    pub(super) fn slot(&self, name: &str) -> usize {
        self.slots.last(name).unwrap_or(TemplateVariable::UNDECLARED)
    }

    /// Returns the current place.
    pub(super) fn mark(&self) -> ScopeMark {
        ScopeMark { known: self.known.names.len(), slots: self.slots.names.len() }
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

/// Names in the order in which they were added, with the places of each, so that texts with many variables are parsed in linear time.
#[derive(Debug, Default)]
struct NameStack<'a> {
    names: Vec<&'a str>,
    places: HashMap<&'a str, Vec<usize>>,
}

impl<'a> NameStack<'a> {
    fn push(&mut self, name: &'a str) {
        self.places.entry(name).or_default().push(self.names.len());
        self.names.push(name);
    }

    /// Returns the last place of a name.
    fn last(&self, name: &str) -> Option<usize> {
        self.places.get(name)?.last().copied()
    }

    /// Drops the names from a place on.
    fn truncate(&mut self, length: usize) {
        while self.names.len() > length {
            if let Some(places) = self.names.pop().and_then(|name| self.places.get_mut(name)) {
                places.pop();
            }
        }
    }
}
