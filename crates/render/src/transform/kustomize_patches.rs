//! Patches and changes of images, as kustomizations have them, for the objects of any generator.

use std::fmt;
use std::sync::Arc;

use kubewright_kustomize::{BuildLimits, ImageChange, KustomizeError, ObjectPatch, ObjectPatches};
use serde_json::Value;

use super::Transform;
use crate::{InputError, Manifest, RenderContext, RenderError};

type PatchesOf<C> = dyn Fn(&RenderContext<C>) -> Result<(Vec<ObjectPatch>, Vec<ImageChange>), RenderError> + Send + Sync;

/// Applies patches and changes of images to the objects of a generator, with the semantics of kustomize. Patches come first, in their order.
///
/// A patch is a strategic merge patch or a JSON patch. One without target is for the object of its own apiVersion, kind, name and namespace, which must
/// be there.
///
/// ```
/// use kubewright_render::{GeneratorExt, ImageChange, KustomizePatches, Manifests, ObjectPatch, PatchTarget};
///
/// let target = PatchTarget { kind: "Deployment".to_owned(), ..PatchTarget::default() };
/// let patch = "[{op: add, path: /spec/template/spec/priorityClassName, value: high}]".to_owned();
/// let image = ImageChange { name: "nginx".to_owned(), new_name: "mirror.example.com/nginx".to_owned(), ..ImageChange::default() };
/// let patches: KustomizePatches<()> = KustomizePatches::new([ObjectPatch { patch, target: Some(target) }], [image]);
/// let generator = Manifests::embedded("web.yaml", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\n").transform(patches);
/// ```
pub struct KustomizePatches<C>(PatchInput<C>);

enum PatchInput<C> {
    Fixed(Result<Arc<ObjectPatches>, KustomizeError>),
    OfContext(Arc<PatchesOf<C>>),
}

impl<C> KustomizePatches<C> {
    /// Creates a transformer with fixed patches and images. They are read once; errors are reported when the operator starts.
    pub fn new(patches: impl IntoIterator<Item = ObjectPatch>, images: impl IntoIterator<Item = ImageChange>) -> Self {
        let (patches, images): (Vec<_>, Vec<_>) = (patches.into_iter().collect(), images.into_iter().collect());
        Self(PatchInput::Fixed(ObjectPatches::new(&patches, &images).map(Arc::new)))
    }

    /// Creates a transformer with patches and images that depend on the component, such as fields of its spec.
    pub fn from_context<F>(patches: F) -> Self
    where
        F: Fn(&RenderContext<C>) -> Result<(Vec<ObjectPatch>, Vec<ImageChange>), RenderError> + Send + Sync + 'static,
    {
        Self(PatchInput::OfContext(Arc::new(patches)))
    }

    fn patches(&self, context: &RenderContext<C>) -> Result<Arc<ObjectPatches>, RenderError> {
        match &self.0 {
            PatchInput::Fixed(fixed) => fixed.clone().map_err(refused),
            PatchInput::OfContext(of) => {
                let (patches, images) = of(context)?;
                ObjectPatches::new(&patches, &images).map(Arc::new).map_err(refused)
            }
        }
    }
}

impl<C: Send + Sync + 'static> Transform<C> for KustomizePatches<C> {
    async fn objects(&self, context: &RenderContext<C>, objects: Vec<Manifest>) -> Result<Vec<Manifest>, RenderError> {
        let patches = self.patches(context)?;
        if patches.is_empty() {
            return Ok(objects);
        }
        context
            .run(move |_| {
                // A manifest that is no object stays: its own error is the one that counts.
                let contents: Vec<Value> =
                    objects.iter().map(|manifest| manifest.content().cloned().map_or(Value::Null, Value::Object)).collect();
                let patched = patches.apply(contents, BuildLimits::default()).map_err(refused)?;
                let mut results = Vec::with_capacity(objects.len());
                for (manifest, patched) in objects.iter().zip(patched) {
                    let mut manifest = manifest.clone();
                    match (manifest.content_mut(), patched) {
                        (None, _) => results.push(manifest),
                        (Some(content), Some(Value::Object(patched))) => {
                            *content = patched;
                            results.push(manifest);
                        }
                        (Some(_), _) => {}
                    }
                }
                Ok(results)
            })
            .await
    }

    fn check(&self) -> Result<(), RenderError> {
        match &self.0 {
            PatchInput::Fixed(Err(error)) => Err(refused(error.clone())),
            _ => Ok(()),
        }
    }
}

impl<C> Clone for KustomizePatches<C> {
    fn clone(&self) -> Self {
        Self(match &self.0 {
            PatchInput::Fixed(fixed) => PatchInput::Fixed(fixed.clone()),
            PatchInput::OfContext(of) => PatchInput::OfContext(Arc::clone(of)),
        })
    }
}

impl<C> fmt::Debug for KustomizePatches<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KustomizePatches").finish_non_exhaustive()
    }
}

fn refused(error: KustomizeError) -> RenderError {
    InputError::new(error.to_string()).caused_by(error).into()
}
