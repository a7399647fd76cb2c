//! The compiled schema, and the order of its operations.

use serde_json::Value;

#[cfg(feature = "cel")]
use crate::evaluate;
use crate::field_error::{FieldError, FieldReason};
use crate::metadata::{self, MetadataError};
use crate::node::SchemaNode;
use crate::path::ValuePath;
use crate::{default, embedded, lists, parse, prune, validate};

/// The compiled schema of one version of a custom resource.
#[derive(Debug)]
pub struct Schema {
    root: SchemaNode,
}

impl Schema {
    /// Compiles an `openAPIV3Schema`. Parts that [`check`](crate::check) rejects are left out, so a stored definition always compiles.
    pub fn compile(schema: &Value) -> Self {
        Self { root: parse::node(schema) }
    }

    /// Drops unknown fields and nulls that mean absence; returns the paths of the unknown fields in alphabetical order.
    ///
    /// The metadata of embedded objects is brought into its typed form as well; a value of a wrong type in it is an error.
    pub fn prune(&self, object: &mut Value) -> Result<Vec<String>, MetadataError> {
        default::drop_nulls(object, &self.root);
        let mut unknown = self.drop_unknown(object);
        let mut embedded = metadata::coerce_embedded(object, &self.root)?;
        embedded.sort();
        unknown.extend(embedded);
        Ok(unknown)
    }

    /// Brings the metadata of embedded objects into its typed form, and leaves everything else unchanged.
    pub fn coerce_embedded(&self, object: &mut Value) -> Result<(), MetadataError> {
        metadata::coerce_embedded(object, &self.root).map(drop)
    }

    /// Drops unknown fields; returns their paths in alphabetical order.
    pub fn drop_unknown(&self, object: &mut Value) -> Vec<String> {
        prune::unknown_fields(object, &self.root, true)
    }

    /// Fills in the defaults of absent fields.
    pub fn default(&self, object: &mut Value) {
        default::fill(object, &self.root);
    }

    /// Updates a stored object for a reader: drops fields that the schema no longer declares and fills in new defaults. Returns true if the
    /// object changed.
    pub fn read(&self, object: &mut Value) -> bool {
        let pruned = !prune::unknown_fields(object, &self.root, true).is_empty();
        let dropped = default::drop_nulls(object, &self.root);
        default::fill(object, &self.root) || dropped || pruned
    }

    /// Returns the errors of an object. With `old`, an error that an unchanged value had before is ignored; a rule that it violates is reported
    /// as a warning.
    ///
    /// The last error says so if errors keep the rules of the schema from being evaluated.
    pub fn validate(&self, object: &Value, old: Option<&Value>, warnings: &mut Vec<String>) -> Vec<FieldError> {
        self.check(object, old, true, warnings)
    }

    /// Returns the errors of an object whose status is written. The metadata of objects embedded in the status is not checked.
    pub fn validate_status(&self, object: &Value, old: Option<&Value>, warnings: &mut Vec<String>) -> Vec<FieldError> {
        self.check(object, old, false, warnings)
    }

    fn check(&self, object: &Value, old: Option<&Value>, with_embedded: bool, warnings: &mut Vec<String>) -> Vec<FieldError> {
        let mut errors = validate::object(&self.root, object, old);
        if with_embedded {
            errors.extend(embedded::check(object, &self.root, false, &ValuePath::Root));
        }
        let list_errors = lists::check(&self.root, object);
        if !list_errors.is_empty() && old.is_none_or(|old| lists::check(&self.root, old).is_empty()) {
            errors.extend(list_errors);
        }
        if self.root.has_rules && errors.iter().any(|error| blocks_rules(error.reason)) {
            errors.push(FieldError::invalid("<nil>", &Value::Null, RULES_NOT_CHECKED));
            return errors;
        }
        #[cfg(feature = "cel")]
        if self.root.has_rules {
            let found = evaluate::evaluate(&self.root, object, old, &ValuePath::Root);
            warnings.extend(found.let_through.iter().map(|error| format!("{}: {}", error.field, error.message)));
            errors.extend(found.errors);
        }
        #[cfg(not(feature = "cel"))]
        let _ = warnings;
        errors
    }

    /// Returns the feature of this crate that is missing to check objects of the schema: rules need `cel`.
    pub fn missing_feature(&self) -> Option<&'static str> {
        (self.root.has_rules && !cfg!(feature = "cel")).then_some("cel")
    }
}

/// Returns true if an error only says that the rules of the schema were not evaluated.
pub fn is_about_rules(error: &FieldError) -> bool {
    error.field == "<nil>" && error.message.contains(RULES_NOT_CHECKED)
}

const RULES_NOT_CHECKED: &str = "some validation rules were not checked because the object was invalid; \
    correct the existing errors to complete validation";

/// Returns true if errors of this reason keep rules from being evaluated. Rules rely on types and required fields, but not on the ranges of
/// numbers.
fn blocks_rules(reason: FieldReason) -> bool {
    matches!(
        reason,
        FieldReason::NotSupported
            | FieldReason::Required
            | FieldReason::TooLong
            | FieldReason::TooMany
            | FieldReason::TypeInvalid
    )
}
