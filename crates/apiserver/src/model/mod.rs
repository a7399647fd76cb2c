//! What the request pipeline asks of a type: its normal form, its defaults, and what is valid.
//!
//! A [`KindSpec`] says how a resource behaves and is data; a [`Model`] says what its objects look like. Built-in types and the structural
//! schemas of custom resources implement the same trait, so that both take one code path. `apiVersion`, `kind` and `metadata` are the
//! pipeline's own business: a model neither checks nor prunes them (but embedded templates have their own metadata, which is the model's).

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::{
    access::Identity,
    clock::Seed,
    definition::DefinitionModel,
    kinds::{Endpoint, KindSpec},
    status::{FieldError, Status},
    store::Snapshot,
    types::Builtin,
};

/// How deep an object may be nested without its managed fields. These go a little deeper, and so do lists and events; none of them may get
/// too deep to be read. The real server keeps a hundred times more.
pub(crate) const MAX_DEPTH: usize = 100;

/// The form and the rules of the objects of one kind, at the version that the client speaks.
pub trait Model: fmt::Debug + Send + Sync {
    /// Brings a decoded object into normal form: unknown fields are dropped and reported in `unknown` by path (`spec.bogus`), values
    /// are checked for their JSON type.
    fn normalise(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType>;

    /// The same for an object that was made of the stored one and of what a client applied.
    fn normalise_applied(&self, object: &mut Value, unknown: &mut Vec<String>) -> Result<(), WrongType> {
        self.normalise(object, unknown)
    }

    /// Drops what a valid object was allowed to say when it was applied, but cannot be stored.
    fn settle_applied(&self, object: &mut Value) {
        let _ = object;
    }

    /// Fills in defaults. `object` is in normal form.
    fn default(&self, object: &mut Value);

    /// Sets what the server owns besides metadata: addresses, selectors, phases. Runs after the fields that the endpoint does not write
    /// were restored, on create with `stored` absent. `object` is in the form in which it is stored.
    fn prepare(&self, object: &mut Value, stored: Option<&Value>, context: &Preparation<'_>) {
        let _ = (object, stored, context);
    }

    /// Marks an object as being deleted in a way of its kind's own, on the first request to delete it; `now` is in whole seconds. False:
    /// the kind goes the way of all kinds.
    fn mark_deleted(&self, object: &mut Value, now: &str) -> bool {
        let _ = (object, now);
        false
    }

    /// What is wrong with an object that is about to be stored. `stored` is what it replaces, `endpoint` is where the write came; what only
    /// the client should know goes to `warnings`.
    fn validate(
        &self,
        object: &Value,
        stored: Option<&Value>,
        endpoint: Endpoint<'_>,
        warnings: &mut Vec<String>,
    ) -> Vec<FieldError>;

    /// Whether objects get something of which there is one for all, so that two of them may not be prepared at once.
    fn allocates(&self) -> bool {
        false
    }

    /// What of an object collides with others, or cannot be had here. `stored` is what it replaces, `errors` is what else is wrong with
    /// it, which is not told then.
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

    /// Brings an object that was stored under older rules up to date for a reader; returns whether anything changed.
    fn refresh(&self, object: &mut Value) -> bool {
        let _ = object;
        false
    }
}

/// Something that an object cannot have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Collision {
    /// A field says so.
    Field(FieldError),
    /// The real server takes it for a failure of its own.
    Other(Status),
}

/// What a model may look at while it prepares an object.
#[derive(Debug)]
pub struct Preparation<'a> {
    /// Who writes.
    pub user: &'a Identity,
    /// Everything stored, for what must be unique.
    pub snapshot: &'a Snapshot,
    /// Randomness.
    pub seed: &'a Seed,
    /// Wall time in whole seconds.
    pub now: &'a str,
}

/// A value has a JSON type that its field cannot have; the text is that of the real server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct WrongType(pub String);

/// A type of which nothing is known: everything is kept and everything is valid.
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

/// The model of a kind.
pub fn of(kind: &KindSpec) -> Arc<dyn Model> {
    if let Some(custom) = &kind.custom {
        return custom.model.clone();
    }
    kind.derived.model.get_or_init(|| builtin(kind)).clone()
}

fn builtin(kind: &KindSpec) -> Arc<dyn Model> {
    if kind.kind == "CustomResourceDefinition" {
        return Arc::new(DefinitionModel::new(Builtin::of(kind)));
    }
    match Builtin::of(kind) {
        Some(builtin) => Arc::new(builtin),
        None => Arc::new(Anything),
    }
}
