//! The state of an execution.

use std::sync::Arc;

use memchr::memmem;

use super::limits::{ExecutionUsage, TemplateLimits};
use super::place::FailingNode;
use super::seen::SeenValue;
use crate::error::TemplateError;
use crate::function::TemplateHost;
use crate::set::TemplateSet;
use crate::syntax::{TemplateVariable, Tree};
use crate::value::{GoString, GoValue};

/// A result whose error is kept small, since it passes through many frames.
pub(super) type Outcome<T> = Result<T, Box<TemplateError>>;

/// The stack that must be left for functions, which use it without asking, in bytes.
const STACK_LEFT: usize = 256 << 10;

/// The size of a new piece of stack, in bytes.
const STACK_PIECE: usize = 2 << 20;

/// The name that Helm gives to the set of templates, and to a text that `tpl` executes.
pub(super) const SET_NAME: &str = "gotpl";

/// The text that Go prints for an absent value. Helm removes it from the outputs of files and of `tpl`, but not from that of `include`, of which a template
/// may take a checksum.
const NO_VALUE: &[u8] = b"<no value>";

/// The templates that an execution sees: those of a set, and around a text that `tpl` executes those of the set outside.
#[derive(Clone, Copy, Debug)]
pub(super) struct TemplateScope<'a> {
    pub(super) set: &'a TemplateSet,
    pub(super) outer: Option<&'a TemplateScope<'a>>,
}

/// The execution of a template, and of the templates that it calls.
pub(super) struct TreeExecution<'a> {
    pub(super) scope: TemplateScope<'a>,
    pub(super) host: &'a dyn TemplateHost,
    pub(super) usage: &'a mut ExecutionUsage,
    /// The output of the template, or of the part that `include` asked for.
    pub(super) output: Vec<u8>,
    /// The template that is being executed.
    pub(super) tree: &'a Tree,
    /// The node that is being executed, for errors.
    pub(super) node: FailingNode<'a>,
    /// The variables of all templates that are being executed, each at the slot that the parser gave it. None stands for those of a branch that was
    /// not taken.
    pub(super) variables: Vec<Option<(&'a str, SeenValue)>>,
    /// Memory for the arguments of calls.
    pub(super) spare: Vec<Vec<GoValue>>,
    /// The index of the first variable of the current template, which is `$`.
    base: usize,
}

impl TemplateSet {
    /// Executes a template. The output has no `<no value>`.
    pub fn execute(
        &self,
        name: &str,
        data: &GoValue,
        host: &dyn TemplateHost,
        limits: &TemplateLimits,
    ) -> Result<GoString, TemplateError> {
        self.execute_within(name, data, host, &mut ExecutionUsage::new(*limits))
    }

    /// Executes a template within the limits that earlier executions with the same usage have left. After an error the usage must not be used again.
    pub fn execute_within(
        &self,
        name: &str,
        data: &GoValue,
        host: &dyn TemplateHost,
        usage: &mut ExecutionUsage,
    ) -> Result<GoString, TemplateError> {
        let tree = self.trees.get(name).ok_or_else(|| TemplateError::NotFound { template: name.to_owned() })?;
        let scope = TemplateScope { set: self, outer: None };
        let output = TreeExecution::new(scope, host, usage, tree).into_output(data.clone());
        output.map_err(|error| *error)
    }
}

impl<'a> TreeExecution<'a> {
    /// Creates the execution of a template.
    pub(super) fn new(
        scope: TemplateScope<'a>,
        host: &'a dyn TemplateHost,
        usage: &'a mut ExecutionUsage,
        tree: &'a Tree,
    ) -> Self {
        let (node, output, variables) = (FailingNode::Start, Vec::new(), Vec::new());
        Self { scope, host, usage, output, tree, node, variables, spare: Vec::new(), base: 0 }
    }

    /// Executes the template and returns its output.
    pub(super) fn into_output(mut self, data: GoValue) -> Outcome<GoString> {
        self.call_tree(self.tree, data.into())?;
        Ok(finished(self.output))
    }

    /// Executes a template inside the current one, with variables of its own.
    pub(super) fn call_tree(&mut self, tree: &'a Tree, data: SeenValue) -> Outcome<()> {
        let (base, caller, node, height) = (self.base, self.tree, self.node, self.variables.len());
        self.variables.push(Some(("$", data.clone())));
        (self.base, self.tree) = (height, tree);
        let result = self.nodes(&tree.root, &data);
        (self.base, self.tree) = (base, caller);
        self.variables.truncate(height);
        result?;
        self.node = node;
        Ok(())
    }

    /// Executes a template into an output of its own. The state is restored after an error too, since a function may go on after it.
    pub(super) fn output_of(&mut self, tree: &'a Tree, data: GoValue) -> Outcome<GoString> {
        let output = std::mem::take(&mut self.output);
        let node = self.node;
        let result = self.call_tree(tree, data.into());
        self.node = node;
        let included = std::mem::replace(&mut self.output, output);
        result.map(|()| included.into())
    }

    /// Returns the template of a name.
    pub(super) fn find(&mut self, name: &str) -> Option<&'a Arc<Tree>> {
        // Each text of `tpl` has another template of this name.
        if name == SET_NAME {
            self.usage.included.note_unrepeatable();
        }
        self.scope.find(name)
    }

    /// Counts a step.
    pub(super) fn step(&mut self) -> Outcome<()> {
        self.usage.step().map_err(|message| self.limit(message).into())
    }

    /// Writes to the output.
    pub(super) fn write(&mut self, text: &[u8]) -> Outcome<()> {
        self.usage.written(text.len()).map_err(|message| self.limit(message))?;
        self.output.extend_from_slice(text);
        Ok(())
    }

    /// Gives a declared variable its value.
    pub(super) fn declare(&mut self, variable: &'a TemplateVariable, value: SeenValue) {
        let index = self.base.saturating_add(variable.slot);
        if index >= self.variables.len() {
            self.variables.resize_with(index + 1, || None);
        }
        self.variables[index] = Some((&variable.name, value));
    }

    /// Gives a variable another value.
    pub(super) fn assign(&mut self, variable: &TemplateVariable, value: SeenValue) -> Outcome<()> {
        let index = self.index_of(variable)?;
        if let Some((_, old)) = &mut self.variables[index] {
            *old = value;
        }
        Ok(())
    }

    /// Returns the value of a variable.
    pub(super) fn variable(&self, variable: &TemplateVariable) -> Outcome<SeenValue> {
        let index = self.index_of(variable)?;
        Ok(self.variables[index].as_ref().map(|(_, value)| value.clone()).unwrap_or_default())
    }

    /// Returns the index of a variable. It is the slot, unless the declaration that the parser saw was not executed; Go then takes the last variable
    /// of the name that was.
    fn index_of(&self, variable: &TemplateVariable) -> Outcome<usize> {
        let is_it = |entry: &Option<(&str, SeenValue)>| entry.as_ref().is_some_and(|(name, _)| **name == *variable.name);
        let index = self.base.saturating_add(variable.slot);
        if self.variables.get(index).is_some_and(is_it) {
            return Ok(index);
        }
        let found = self.variables[self.base..].iter().rposition(is_it).map(|position| self.base + position);
        found.ok_or_else(|| self.error(format!("undefined variable: {}", variable.name)).into())
    }
}

impl<'a> TemplateScope<'a> {
    /// Returns the template of a name. One that the text of a `tpl` defines stands in front of those outside, unless it is empty and the other is not.
    fn find(&self, name: &str) -> Option<&'a Arc<Tree>> {
        let own = self.set.trees.get(name);
        let Some(outer) = self.outer else { return own };
        match own {
            Some(tree) if !tree.is_empty() => own,
            _ => outer.find(name).or(own),
        }
    }
}

/// Runs a part of the execution with enough stack, which is allocated if little is left.
pub(super) fn with_stack<T>(run: impl FnOnce() -> T) -> T {
    stacker::maybe_grow(STACK_LEFT, STACK_PIECE, run)
}

/// Returns a finished output, from which the text of absent values is removed.
fn finished(output: Vec<u8>) -> GoString {
    let (mut kept, mut copied) = (Vec::new(), 0);
    for found in memmem::find_iter(&output, NO_VALUE) {
        kept.extend_from_slice(&output[copied..found]);
        copied = found + NO_VALUE.len();
    }
    if copied == 0 {
        return output.into();
    }
    kept.extend_from_slice(&output[copied..]);
    kept.into()
}
