//! Go's text/template with the functions that charts use: compiled once, rendered many times, with the same output for the same input.
//!
//! A [`TemplateSet`] holds the named templates of one namespace. [`TemplateSet::execute`] renders one of them with a [`GoValue`] as its data. Functions
//! come from a [`FunctionSet`]; [`library`] has those of Go and of sprig. A template can neither read files, nor the environment, nor the network: it
//! sees its data, its functions, and the [`TemplateHost`] (time and randomness) that the caller passes. [`TemplateLimits`] bound output,
//! values, depth, steps and time.
//!
//! The crate knows nothing of Kubernetes, of Helm charts, and of kustomizations; those are in `kubewright-chart` and `kubewright-kustomize`.
//!
//! Modules, from low to high: `error`, `signature`, `value`, `format`, `function`, `syntax`, `text_cache`, `set`, `execute`, `library`.

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod error;
mod execute;
mod format;
mod function;
pub mod library;
mod set;
mod signature;
mod syntax;
mod text_cache;
pub mod value;

pub use error::{FunctionError, SourcePosition, TemplateError};
pub use execute::{ExecutionUsage, TemplateLimits};
pub use format::printf;
pub use function::{FunctionCall, FunctionSet, TemplateEngine, TemplateFunction, TemplateHost};
pub use set::{CompiledTemplate, TemplateSet};
pub use signature::{Parameter, Signature};
pub use syntax::{Delimiters, is_reserved_name};
pub use value::{GoList, GoMap, GoObject, GoString, GoValue, IntegerType};
