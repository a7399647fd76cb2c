//! Generators of the manifests of a component's dependents, from its spec.
//!
//! A [`Generator`] is an `async fn(&RenderContext<C>) -> Result<Vec<Manifest>, RenderError>`, or another type that implements the trait:
//! [`Manifests`] (fixed YAML documents), [`Empty`], and the combinators of [`GeneratorExt`].
//!
//! Modules, from low to high: `combinators`, `environment`, `context`, `error`, `generator`, `manifest`, `manifests`, `policy_marks`.

mod combinators;
mod context;
mod environment;
mod error;
mod generator;
mod manifest;
mod manifests;
mod policy_marks;

pub use combinators::{GeneratorExt, MapObjects, MapParameters, Union};
pub use context::{RenderContext, RenderInputs, Stage};
pub use environment::{Asked, Capabilities, Environment, ObjectQuestion, Place, Question, ServerVersion, answer_digest};
pub use error::{InputError, RenderError};
pub use generator::{Empty, ErasedGenerator, Generator, RenderFn};
pub use manifest::{ApplyOrder, DeleteOrder, Manifest, ManifestError, ManifestMark, PurgeOrder};
pub use manifests::Manifests;
