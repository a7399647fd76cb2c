use serde_json::{Map, Value};

use crate::{Generator, Manifest, RenderContext, RenderError, Transform};

/// Combinators on every [`Generator`].
pub trait GeneratorExt<C>: Generator<C> + Sized {
    /// Changes the parameters that this generator gets.
    fn map_parameters<F>(self, map: F) -> MapParameters<Self, F>
    where
        F: Fn(&RenderContext<C>, Map<String, Value>) -> Result<Map<String, Value>, RenderError> + Send + Sync + 'static,
    {
        MapParameters { inner: self, map }
    }

    /// Changes, adds or drops objects in the result of this generator.
    fn map_objects<F>(self, map: F) -> MapObjects<Self, F>
    where
        F: Fn(&RenderContext<C>, Vec<Manifest>) -> Result<Vec<Manifest>, RenderError> + Send + Sync + 'static,
    {
        MapObjects { inner: self, map }
    }

    /// Changes the parameters that this generator gets, and its result, by a transformer such as
    /// [`Substitution`](crate::Substitution). The order is that of [`map_parameters`](Self::map_parameters) and [`map_objects`](Self::map_objects).
    fn transform<T: Transform<C>>(self, transformer: T) -> Transformed<Self, T> {
        Transformed::new(self, transformer)
    }

    /// Returns the objects of this generator, then those of the other one.
    fn union<G: Generator<C>>(self, other: G) -> Union<Self, G> {
        Union::new(self, other)
    }
}

impl<C, G: Generator<C>> GeneratorExt<C> for G {}

/// The generator created by [`GeneratorExt::map_parameters`].
#[derive(Clone, Debug)]
pub struct MapParameters<G, F> {
    inner: G,
    map: F,
}

impl<C, G, F> Generator<C> for MapParameters<G, F>
where
    C: Send + Sync + 'static,
    G: Generator<C>,
    F: Fn(&RenderContext<C>, Map<String, Value>) -> Result<Map<String, Value>, RenderError> + Send + Sync + 'static,
{
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let parameters = (self.map)(context, context.parameters().clone())?;
        self.inner.render(&context.with_parameters(parameters)).await
    }

    fn check(&self) -> Result<(), RenderError> {
        self.inner.check()
    }
}

/// The generator created by [`GeneratorExt::map_objects`].
#[derive(Clone, Debug)]
pub struct MapObjects<G, F> {
    inner: G,
    map: F,
}

impl<C, G, F> Generator<C> for MapObjects<G, F>
where
    C: Send + Sync + 'static,
    G: Generator<C>,
    F: Fn(&RenderContext<C>, Vec<Manifest>) -> Result<Vec<Manifest>, RenderError> + Send + Sync + 'static,
{
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        (self.map)(context, self.inner.render(context).await?)
    }

    fn check(&self) -> Result<(), RenderError> {
        self.inner.check()
    }
}

/// The generator created by [`GeneratorExt::transform`].
#[derive(Clone, Debug)]
pub struct Transformed<G, T> {
    inner: G,
    transformer: T,
}

impl<G, T> Transformed<G, T> {
    pub(crate) const fn new(inner: G, transformer: T) -> Self {
        Self { inner, transformer }
    }
}

impl<C, G, T> Generator<C> for Transformed<G, T>
where
    C: Send + Sync + 'static,
    G: Generator<C>,
    T: Transform<C>,
{
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let parameters = self.transformer.parameters(context, context.parameters().clone()).await?;
        let objects = self.inner.render(&context.with_parameters(parameters)).await?;
        self.transformer.objects(context, objects).await
    }

    fn check(&self) -> Result<(), RenderError> {
        self.inner.check()?;
        self.transformer.check()
    }
}

/// The generator created by [`GeneratorExt::union`].
#[derive(Clone, Debug)]
pub struct Union<G, H> {
    first: G,
    second: H,
}

impl<G, H> Union<G, H> {
    pub(crate) const fn new(first: G, second: H) -> Self {
        Self { first, second }
    }
}

impl<C, G, H> Generator<C> for Union<G, H>
where
    C: Send + Sync + 'static,
    G: Generator<C>,
    H: Generator<C>,
{
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let mut manifests = self.first.render(context).await?;
        manifests.extend(self.second.render(context).await?);
        Ok(manifests)
    }

    fn check(&self) -> Result<(), RenderError> {
        self.first.check()?;
        self.second.check()
    }
}
