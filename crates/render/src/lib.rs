//! Generators of the manifests of a component's dependents, from its spec.
//!
//! A [`Generator`] is an `async fn(&RenderContext<C>) -> Result<Vec<Manifest>, RenderError>`, or another type that implements the trait:
//! [`Manifests`] (fixed YAML documents), [`Empty`], and the combinators of [`GeneratorExt`].
//!
//! Modules, from low to high: `error`, `environment`, `answers`, `inquiry`, `capabilities`, `context`, `random`, `host`, `manifest`, `policy_marks`,
//! `generator`, `combinators`, `manifests`.

mod answers;
mod capabilities;
mod combinators;
mod context;
mod environment;
mod error;
mod generator;
mod host;
mod inquiry;
mod manifest;
mod manifests;
mod policy_marks;
mod random;

pub use capabilities::{Capabilities, ServerVersion};
pub use combinators::{GeneratorExt, MapObjects, MapParameters, Union};
pub use context::{RenderContext, RenderInputs, Stage};
pub use environment::{Asked, Environment, ListQuestion, ObjectQuestion, Place, Question, answer_digest};
pub use error::{InputError, RenderError};
pub use generator::{Empty, ErasedGenerator, Generator, RenderFn};
pub use manifest::{ApplyOrder, DeleteOrder, Manifest, ManifestError, ManifestMark, PurgeOrder};
pub use manifests::Manifests;
