//! Transformers: reusable changes of the parameters and of the objects of generators.

mod expansion;
#[cfg(feature = "kustomize")]
mod kustomize_patches;
mod parameter_template;
mod substitution;
#[cfg(test)]
mod tests;

use std::future::{Future, ready};

use serde_json::{Map, Value};

#[cfg(feature = "kustomize")]
pub use kustomize_patches::KustomizePatches;
pub use parameter_template::ParameterTemplate;
pub use substitution::Substitution;

use crate::{Manifest, RenderContext, RenderError};

/// Changes the parameters that a generator gets, the objects that it returns, or both. It is applied with
/// [`GeneratorExt::transform`](crate::GeneratorExt::transform), and is to single changes what a generator is to single functions: a type with a state of
/// its own, which can be checked when the operator starts.
///
/// [`ParameterTemplate`], [`Substitution`] and [`KustomizePatches`] are transformers. Like a generator, a transformer must be determined by its context
/// and its input.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not transform the manifests of `{C}`",
    label = "not a transformer of `{C}`",
    note = "use `map_parameters` or `map_objects` for a closure"
)]
pub trait Transform<C>: Send + Sync + 'static {
    /// Changes the parameters before the generator gets them. The default leaves them as they are.
    fn parameters(
        &self,
        context: &RenderContext<C>,
        parameters: Map<String, Value>,
    ) -> impl Future<Output = Result<Map<String, Value>, RenderError>> + Send {
        let _ = context;
        ready(Ok(parameters))
    }

    /// Changes, adds or drops objects of the generator. The default leaves them as they are.
    fn objects(
        &self,
        context: &RenderContext<C>,
        objects: Vec<Manifest>,
    ) -> impl Future<Output = Result<Vec<Manifest>, RenderError>> + Send {
        let _ = context;
        ready(Ok(objects))
    }

    /// Checks the transformer itself (for instance for a broken embedded file). Called once when the operator starts.
    fn check(&self) -> Result<(), RenderError> {
        Ok(())
    }
}
