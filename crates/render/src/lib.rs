//! Generators of the manifests of a component's dependents, from its spec.
//!
//! A [`Generator`] is an `async fn(&RenderContext<C>) -> Result<Vec<Manifest>, RenderError>`, or another type that implements the trait:
//! [`Manifests`] (fixed YAML documents), [`HelmChart`], [`Empty`], and the combinators of [`GeneratorExt`].
//!
//! Modules, from low to high: `error`, `environment`, `answers`, `inquiry`, `capabilities`, `context`, `random`, `host`, `functions`, `manifest`,
//! `policy_marks`, `generator`, `combinators`, `manifests`, `helm`.

#[cfg(all(doctest, feature = "helm"))]
#[doc = include_str!("../README.md")]
mod readme {}

mod answers;
mod capabilities;
mod combinators;
mod context;
mod environment;
mod error;
mod functions;
mod generator;
#[cfg(feature = "helm")]
mod helm;
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
#[cfg(feature = "helm")]
pub use helm::HelmChart;
pub use manifest::{ApplyOrder, DeleteOrder, Manifest, ManifestError, ManifestMark, PurgeOrder};
pub use manifests::Manifests;

/// Embeds the directories of charts and kustomizations in a program.
pub use include_dir;
#[cfg(feature = "helm")]
pub use kubewright_chart::ChartLimits;
/// The parts of functions that operators add to templates, and the limits of renderings.
pub use kubewright_template::{
    FunctionCall, FunctionError, GoList, GoMap, GoString, GoValue, Parameter, Signature, TemplateLimits,
};
