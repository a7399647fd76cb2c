//! The model of a type for the request pipeline: normal form, defaults and validation.
//!
//! A [`KindSpec`](crate::kinds::KindSpec) is data and describes the behaviour of a resource; a [`Model`] describes its objects. Built-in types and the structural schemas
//! of custom resources implement the same trait, so that both take one code path. `apiVersion`, `kind` and `metadata` belong to the pipeline: a
//! model neither checks nor prunes them. The metadata of embedded templates belongs to the model.

mod endpoint;

use std::fmt;

pub use endpoint::Endpoint;
use kubewright_middleware::{Identity, Seed, Status};
use kubewright_schema::FieldError;
use serde_json::Value;

use crate::store::Snapshot;

/// The maximal nesting depth of an object without its managed fields. Managed fields, lists and watch events go a little deeper; all of them must
/// stay shallow enough to be parsed again. The real server allows a hundred times more.
pub(crate) const MAX_DEPTH: usize = 100;

/// The form and the rules of the objects of one kind, at the version of the request.
pub trait Model: fmt::Debug + Send + Sync {
    /// Brings a decoded object into normal form: unknown fields are dropped and their paths (`spec.bogus`) are added to `unknown`, and values are
    /// checked for their JSON type.
    fn normalise(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType>;

    /// Brings an object that was merged from the stored object and an applied configuration into normal form.
    fn normalise_applied(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType> {
        self.normalise(object, unknown)
    }

    /// Drops values that are valid in an applied object but cannot be stored.
    fn settle_applied(&self, object: &mut Value) {
        let _ = object;
    }

    /// Fills in defaults. `object` is in normal form.
    fn default(&self, object: &mut Value);

    /// Sets the fields that the server owns besides metadata: addresses, selectors, phases. It is called after the fields that the endpoint does
    /// not write were restored; on create, `stored` is absent. `object` is in its stored form.
    fn prepare(&self, object: &mut Value, stored: Option<&Value>, context: &Preparation<'_>) {
        let _ = (object, stored, context);
    }

    /// Marks an object as being deleted in a way that is specific to its kind, on the first request to delete it. `now` is in whole seconds.
    /// Returns false if the kind has no such way, so that the object is marked like those of other kinds.
    fn mark_deleted(&self, object: &mut Value, now: &str) -> bool {
        let _ = (object, now);
        false
    }

    /// Returns the errors of an object that is about to be stored. `stored` is the object that it replaces and `endpoint` the endpoint of the
    /// write. Problems that do not make the object invalid are added to `warnings`.
    fn validate(
        &self,
        object: &Value,
        stored: Option<&Value>,
        endpoint: Endpoint<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError>;

    /// Returns true if objects take values from a range that all of them share, so that no two of them may be prepared at the same time.
    fn allocates(&self) -> bool {
        false
    }

    /// Returns the conflict of an object with other objects, or its value that this server cannot provide. `stored` is the object that it
    /// replaces; `errors` holds its other errors, which are not reported if a collision is returned.
    fn collision(
        &self,
        object: &Value,
        stored: Option<&Value>,
        errors: &[FieldError],
        context: &Preparation<'_>,
    ) -> Option<Collision> {
        let _ = (object, stored, errors, context);
        None
    }

    /// Updates an object that was stored under older rules before it is returned to a reader. Returns true if the object changed.
    fn refresh(&self, object: &mut Value) -> bool {
        let _ = object;
        false
    }
}

/// A value that an object cannot have, because another object has it or because this server cannot provide it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Collision {
    /// The error of one field.
    Field(FieldError),
    /// A collision that the real server reports as a failure of its own.
    Other(Status),
}

/// The inputs of a model while it prepares an object.
#[derive(Debug)]
pub struct Preparation<'a> {
    /// The user who writes the object.
    pub user: &'a Identity,
    /// The stored objects, to find values that must be unique.
    pub snapshot: &'a Snapshot,
    /// The source of randomness.
    pub seed: &'a Seed,
    /// The wall-clock time in whole seconds.
    pub now: &'a str,
}

/// A value whose JSON type does not fit its field, with the text of the real server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongType(pub String);

/// The model of a type without a schema: all fields are kept and all values are valid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Anything;

impl Model for Anything {
    fn normalise(&self, _: &mut Value, _: &mut Vec<String>) -> Result<(), WrongType> {
        Ok(())
    }

    fn default(&self, _: &mut Value) {}

    fn validate(&self, _: &Value, _: Option<&Value>, _: Endpoint<'_>, _: &mut Vec<String>) -> Vec<FieldError> {
        Vec::new()
    }
}
