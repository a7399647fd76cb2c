//! Generators of the manifests of a component's dependents, from its spec.
//!
//! A [`Generator`] is an `async fn(&RenderContext<C>) -> Result<Vec<Manifest>, RenderError>`, or another type that implements the trait:
//! [`Manifests`] (fixed YAML documents), [`Templates`] (a directory of templated YAML), [`HelmChart`], [`Kustomization`], [`Empty`], and the
//! combinators of [`GeneratorExt`]. A [`Transform`] changes the parameters and objects of any generator.
//!
//! Modules, from low to high: `error`, `kubeconfig`, `environment`, `answers`, `inquiry`, `capabilities`, `context`, `random`, `file_map`, `host`, `functions`,
//! `manifest`, `policy_marks`, `template_error`, `transform`, `generator`, `combinators`, `manifests`, `template_files`, `templates`,
//! `kustomization`, `helm`, `inherent_combinators`.

#[cfg(all(doctest, feature = "helm"))]
#[doc = include_str!("../README.md")]
mod readme {}

mod answers;
mod capabilities;
mod combinators;
mod context;
mod environment;
mod error;
mod file_map;
mod functions;
mod generator;
#[cfg(feature = "helm")]
mod helm;
mod host;
mod inherent_combinators;
mod inquiry;
mod kubeconfig;
#[cfg(feature = "kustomize")]
mod kustomization;
mod manifest;
mod manifests;
mod policy_marks;
mod random;
mod template_error;
mod template_files;
mod templates;
mod transform;

pub use capabilities::{Capabilities, ServerVersion};
pub use combinators::{GeneratorExt, MapObjects, MapParameters, Transformed, Union};
pub use context::{RenderContext, RenderInputs, Stage};
pub use environment::{Asked, Environment, ListQuestion, ObjectQuestion, Place, Question, answer_digest};
pub use error::{InputError, RenderError};
pub use generator::{Empty, ErasedGenerator, Generator, RenderFn};
#[cfg(feature = "helm")]
pub use helm::{HelmChart, ValuesMismatch};
/// Embeds the directories of charts and kustomizations in a program.
pub use include_dir;
pub use kubeconfig::{KubeconfigDigest, LookupKubeconfig};
#[cfg(feature = "helm")]
pub use kubewright_chart::{ChartLimits, ValuesDifference};
#[cfg(feature = "kustomize")]
pub use kubewright_kustomize::{BuildLimits, ImageChange, ObjectPatch, PatchTarget};
/// The parts of functions that operators add to templates, and the limits of renderings.
pub use kubewright_template::{
    FunctionCall, FunctionError, GoList, GoMap, GoString, GoValue, Parameter, Signature, TemplateLimits,
};
#[cfg(feature = "kustomize")]
pub use kustomization::Kustomization;
pub use manifest::{ApplyOrder, DeleteOrder, Manifest, ManifestError, ManifestMark, PurgeOrder};
pub use manifests::Manifests;
pub use templates::Templates;
#[cfg(feature = "kustomize")]
pub use transform::KustomizePatches;
pub use transform::{ParameterTemplate, Substitution, Transform};
