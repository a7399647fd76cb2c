//! Executions inside an execution: `include` and `tpl`.

use super::run::{TemplateScope, TreeExecution};
use crate::error::{FunctionError, TemplateError};
use crate::format::quote;
use crate::function::TemplateEngine;
use crate::value::{GoString, GoValue};

/// The name that Helm gives to the set of templates, and to a text that `tpl` executes.
const SET_NAME: &str = "gotpl";

/// The largest size of a compiled text, as a multiple of that of the text.
const COMPILED_SIZE: usize = 64;

impl TemplateEngine for TreeExecution<'_> {
    fn include(&mut self, name: &str, data: &GoValue) -> Result<GoString, FunctionError> {
        if self.usage.enter().is_err() {
            let message = format!("rendering template has a nested reference name: {name}: unable to execute template");
            return Err(FunctionError::Failed(message));
        }
        let result = match self.scope.find(name) {
            Some(tree) => self.output_of(tree, data.clone()).map_err(FunctionError::Template),
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
