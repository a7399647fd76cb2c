//! The models of definitions and of their instances.

use kubewright_schema::{FieldError, Schema};
use serde_json::Value;

use crate::model::{Endpoint, Model, Preparation, WrongType};
use crate::types::Builtin;

/// The model of the objects of one version of a custom resource.
#[derive(Debug)]
pub struct CustomModel {
    schema: Schema,
}

impl CustomModel {
    /// Returns the model of objects with this schema.
    pub fn new(schema: Schema) -> Self {
        Self { schema }
    }

    /// Returns the compiled schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }
}

impl Model for CustomModel {
    fn normalise(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType> {
        unknown.extend(self.schema.prune(object).map_err(|error| WrongType(error.message))?);
        Ok(())
    }

    /// Keeps undeclared fields and nulls. An apply has already rejected undeclared fields of closed objects; below an object that admits any
    /// field they are validated as a part of the object, and `settle_applied` drops them afterwards.
    fn normalise_applied(&self, object: &mut Value, _: &mut Vec<String>) -> Result<(), WrongType> {
        self.schema.coerce_embedded(object).map_err(|error| WrongType(error.message))
    }

    fn settle_applied(&self, object: &mut Value) {
        self.schema.drop_unknown(object);
    }

    fn default(&self, object: &mut Value) {
        self.schema.default(object);
    }

    fn validate(
        &self,
        object: &Value,
        stored: Option<&Value>,
        endpoint: Endpoint<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        warnings.extend(super::warnings::finalizers(object, stored));
        if endpoint != Endpoint::Status {
            return self.schema.validate(object, stored, warnings);
        }
        let mut errors = self.schema.validate_status(object, stored, warnings);
        // The real server validates a status alone, so the paths in its messages start inside of the status.
        for error in errors.iter_mut().filter(|error| error.field.starts_with("status.")) {
            let inside = format!("{} in body", error.field.trim_start_matches("status."));
            error.message = error.message.replace(&format!("{} in body", error.field), &inside);
        }
        errors
    }

    fn refresh(&self, object: &mut Value) -> bool {
        self.schema.read(object)
    }
}

/// The model of CustomResourceDefinitions: that of a built-in type with additional rules.
#[derive(Clone, Copy, Debug)]
pub struct DefinitionModel {
    form: Option<Builtin>,
}

impl DefinitionModel {
    /// Returns the model of definitions; `form` is the model of the built-in type.
    pub fn new(form: Option<Builtin>) -> Self {
        Self { form }
    }
}

impl Model for DefinitionModel {
    fn normalise(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType> {
        self.form.map_or(Ok(()), |form| form.normalise(object, unknown))
    }

    fn default(&self, object: &mut Value) {
        if let Some(form) = self.form {
            form.default(object);
        }
        super::default(object);
    }

    fn prepare(&self, object: &mut Value, stored: Option<&Value>, _: &Preparation<'_>) {
        super::prepare(object, stored);
    }

    fn mark_deleted(&self, object: &mut Value, now: &str) -> bool {
        super::condition::mark_deleted(object, now);
        true
    }

    fn validate(
        &self,
        object: &Value,
        stored: Option<&Value>,
        endpoint: Endpoint<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError> {
        if endpoint == Endpoint::Status {
            return super::validate_status(object);
        }
        warnings.extend(super::warnings::unknown_formats(object, stored));
        warnings.extend(super::warnings::uncalled_webhook(object, stored));
        super::validate(object, stored)
    }
}
