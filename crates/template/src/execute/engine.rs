//! Executions inside an execution: `include` and `tpl`.

use std::sync::Arc;

use super::included::{IncludedOutput, OutputKey};
use super::run::{Outcome, SET_NAME, TemplateScope, TreeExecution};
use crate::error::{FunctionError, TemplateError};
use crate::format::quote;
use crate::function::TemplateEngine;
use crate::syntax::Tree;
use crate::value::{GoString, GoValue};

/// The largest size of a compiled text, as a multiple of that of the text.
const COMPILED_SIZE: usize = 64;

impl TemplateEngine for TreeExecution<'_> {
    fn include(&mut self, name: &str, data: &GoValue) -> Result<GoString, FunctionError> {
        if self.usage.enter().is_err() {
            let message = format!("rendering template has a nested reference name: {name}: unable to execute template");
            return Err(FunctionError::Failed(message));
        }
        let result = match self.find(name) {
            Some(tree) => self.included(tree, data).map_err(FunctionError::Template),
            None => Err(FunctionError::Failed(TemplateError::NotFound { template: name.to_owned() }.to_string())),
        };
        self.usage.leave();
        result
    }

    fn evaluate(&mut self, text: &str, data: &GoValue) -> Result<GoString, FunctionError> {
        let size = text.len().saturating_mul(COMPILED_SIZE);
        self.usage.hold(size).map_err(|message| self.limit(message))?;
        let entered = self.usage.enter().map_err(|message| FunctionError::from(self.limit(message)));
        let result = entered.and_then(|()| {
            let result = self.evaluate_inside(text, data);
            self.usage.leave();
            result
        });
        self.usage.release(size);
        result
    }
}

impl<'a> TreeExecution<'a> {
    /// Returns the output of a template, which may have been executed with the same data before.
    fn included(&mut self, tree: &'a Arc<Tree>, data: &GoValue) -> Outcome<GoString> {
        let Some(set) = self.scope.set_of_names() else { return self.output_of(tree, data.clone()) };
        let key = OutputKey::new(set, tree, data);
        // An execution that would exceed a limit finds the error.
        if let Some((text, cost)) = self.usage.included.find(&key, data)
            && self.usage.count_included(&cost)
        {
            return Ok(text);
        }
        let before = self.usage.begin_cost();
        self.usage.included.begin(data);
        let result = self.output_of(tree, data.clone());
        let cost = self.usage.end_cost(&before);
        let observation = self.usage.included.end();
        if let (Ok(text), Some(observation)) = (&result, observation) {
            let output = IncludedOutput { _tree: tree.clone(), data: data.clone(), text: text.clone(), observation, cost };
            self.usage.included.keep(key, output);
        }
        result
    }
}

impl TemplateScope<'_> {
    /// Returns the number of the set that has all templates with names. None inside of a text that defines templates of its own.
    fn set_of_names(&self) -> Option<u64> {
        match self.outer {
            None => Some(self.set.number()),
            Some(outer) if self.set.trees.len() <= 1 && self.set.trees.contains_key(SET_NAME) => outer.set_of_names(),
            Some(_) => None,
        }
    }
}

impl TreeExecution<'_> {
    fn evaluate_inside(&mut self, text: &str, data: &GoValue) -> Result<GoString, FunctionError> {
        let inner = self.scope.set.of_text(SET_NAME, text).map_err(|error| {
            let reason = match error {
                TemplateError::Parse { template, line, message } => format!("template: {template}:{line}: {message}"),
                other => other.to_string(),
            };
            FunctionError::Failed(format!("cannot parse template {}: {reason}", quote(text.as_bytes())))
        })?;
        let Some(tree) = inner.trees.get(SET_NAME) else { return Ok("".into()) };
        let scope = TemplateScope { set: &inner, outer: Some(&self.scope) };
        let execution = TreeExecution::new(scope, self.host, self.usage, tree);
        execution.into_output(data.clone()).map_err(|error| {
            FunctionError::Nested(format!("error during tpl function execution for {}", quote(text.as_bytes())), error)
        })
    }
}
