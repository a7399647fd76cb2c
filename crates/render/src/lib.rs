//! Generators of the manifests of a component's dependents, from its spec.
//!
//! A [`Generator`] is an `async fn(&RenderContext<C>) -> Result<Vec<Manifest>, RenderError>`, or another type that implements the trait:
//! [`Manifests`] (fixed YAML documents), [`Templates`] (a directory of templated YAML), [`Kustomization`], [`Empty`], and the combinators of
//! [`GeneratorExt`].
//!
//! Modules, from low to high: `error`, `environment`, `answers`, `inquiry`, `capabilities`, `context`, `random`, `file_map`, `host`, `functions`,
//! `manifest`, `policy_marks`, `generator`, `combinators`, `manifests`, `template_error`, `template_files`, `templates`, `kustomization`.

mod answers;
mod capabilities;
mod combinators;
mod context;
mod environment;
mod error;
mod file_map;
mod functions;
mod generator;
mod host;
mod inquiry;
#[cfg(feature = "kustomize")]
mod kustomization;
mod manifest;
mod manifests;
mod policy_marks;
mod random;
mod template_error;
mod template_files;
mod templates;

pub use capabilities::{Capabilities, ServerVersion};
pub use combinators::{GeneratorExt, MapObjects, MapParameters, Union};
pub use context::{RenderContext, RenderInputs, Stage};
pub use environment::{Asked, Environment, ListQuestion, ObjectQuestion, Place, Question, answer_digest};
pub use error::{InputError, RenderError};
pub use generator::{Empty, ErasedGenerator, Generator, RenderFn};
#[cfg(feature = "kustomize")]
pub use kubewright_kustomize::BuildLimits;
pub use kubewright_template::{FunctionCall, FunctionError, GoValue, Parameter, Signature, TemplateLimits};
#[cfg(feature = "kustomize")]
pub use kustomization::Kustomization;
pub use manifest::{ApplyOrder, DeleteOrder, Manifest, ManifestError, ManifestMark, PurgeOrder};
pub use manifests::Manifests;
pub use templates::Templates;
