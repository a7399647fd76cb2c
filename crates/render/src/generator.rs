use std::future::Future;

use async_trait::async_trait;

use crate::{Manifest, RenderContext, RenderError};

/// Generates the manifests of a component's dependents.
///
/// An `async fn(&RenderContext<C>) -> Result<Vec<Manifest>, RenderError>` is a generator. Its result must be determined by its context. While the
/// component is being deleted it is called only if it has returned objects of deletion stages. An empty result is allowed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not generate the manifests of `{C}`",
    label = "not a generator of `{C}`",
    note = "a generator is an `async fn(&RenderContext<{C}>) -> Result<Vec<Manifest>, RenderError>`, whose future is `Send`, or a type that implements `Generator<{C}>`"
)]
pub trait Generator<C>: Send + Sync + 'static {
    /// Renders the manifests.
    fn render(&self, context: &RenderContext<C>) -> impl Future<Output = Result<Vec<Manifest>, RenderError>> + Send;

    /// Checks the generator itself (for instance for a broken embedded file). Called once when the operator starts.
    fn check(&self) -> Result<(), RenderError> {
        Ok(())
    }
}

/// A function that is a [`Generator`]; implemented for functions, never by hand.
///
/// The parameter is the whole context, so that no other crate can implement it for generators of this one.
pub trait RenderFn<'a, Context: 'a>: Send + Sync + 'static {
    /// The future that the function returns.
    type Future: Future<Output = Result<Vec<Manifest>, RenderError>> + Send + 'a;

    /// Calls the function.
    fn call(&self, context: &'a Context) -> Self::Future;
}

impl<'a, C, F, R> RenderFn<'a, RenderContext<C>> for F
where
    C: 'a,
    F: Fn(&'a RenderContext<C>) -> R + Send + Sync + 'static,
    R: Future<Output = Result<Vec<Manifest>, RenderError>> + Send + 'a,
{
    type Future = R;

    fn call(&self, context: &'a RenderContext<C>) -> R {
        self(context)
    }
}

impl<C, F> Generator<C> for F
where
    C: Send + Sync + 'static,
    F: for<'a> RenderFn<'a, RenderContext<C>>,
{
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        self.call(context).await
    }
}

/// A generator without manifests.
#[derive(Clone, Copy, Debug, Default)]
#[allow(clippy::exhaustive_structs)]
pub struct Empty;

impl<C: Send + Sync + 'static> Generator<C> for Empty {
    async fn render(&self, _: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        Ok(Vec::new())
    }
}

/// An object-safe form of [`Generator`].
#[async_trait]
pub trait ErasedGenerator<C>: Send + Sync + 'static {
    /// Renders the manifests, as [`Generator::render`] does.
    async fn render_erased(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError>;

    /// Checks the generator, as [`Generator::check`] does.
    fn check_erased(&self) -> Result<(), RenderError>;
}

#[async_trait]
impl<C, G> ErasedGenerator<C> for G
where
    C: Send + Sync + 'static,
    G: Generator<C>,
{
    async fn render_erased(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        self.render(context).await
    }

    fn check_erased(&self) -> Result<(), RenderError> {
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Map, json};

    use super::*;
    use crate::{ApplyOrder, GeneratorExt, Manifests, RenderInputs};

    #[derive(Debug)]
    struct Demo {
        names: Vec<&'static str>,
    }

    fn context() -> RenderContext<Demo> {
        let inputs = RenderInputs { operator: "demo".to_owned(), namespace: "ns".to_owned(), ..RenderInputs::default() };
        RenderContext::new(Demo { names: vec!["a", "b"] }, Map::new(), inputs)
    }

    async fn config_maps(cx: &RenderContext<Demo>) -> Result<Vec<Manifest>, RenderError> {
        cx.component()
            .names
            .iter()
            .map(|name| {
                let object =
                    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": cx.namespace()}});
                Ok(Manifest::from_json(object)?)
            })
            .collect()
    }

    fn names(manifests: &[Manifest]) -> Vec<String> {
        let name = |manifest: &Manifest| manifest.content().unwrap()["metadata"]["name"].as_str().unwrap().to_owned();
        manifests.iter().map(name).collect()
    }

    #[tokio::test]
    async fn an_async_function_is_a_generator() {
        assert_eq!(names(&config_maps.render(&context()).await.unwrap()), ["a", "b"]);
    }

    #[tokio::test]
    async fn a_closure_that_borrows_nothing_is_a_generator() {
        let closure = |cx: &RenderContext<Demo>| {
            let count = cx.component().names.len();
            async move { (0..count).map(|n| Ok(Manifest::from_json(json!({"metadata": {"name": n.to_string()}}))?)).collect() }
        };
        assert_eq!(names(&closure.render(&context()).await.unwrap()), ["0", "1"]);
    }

    // GEN-8
    #[tokio::test]
    async fn a_combinator_changes_the_content_of_a_manifest_and_keeps_its_marks() {
        async fn one(_: &RenderContext<Demo>) -> Result<Vec<Manifest>, RenderError> {
            Ok(vec![Manifest::from_json(json!({"metadata": {"name": "a"}}))?.annotate(ApplyOrder(1))])
        }
        let generator = one.map_objects(|_, mut manifests| {
            for content in manifests.iter_mut().filter_map(Manifest::content_mut) {
                content.insert("data".to_owned(), json!({"by": "the operator"}));
            }
            Ok(manifests)
        });
        let manifest = generator.render(&context()).await.unwrap().remove(0);
        let expected =
            json!({"metadata": {"name": "a", "annotations": {"demo/apply-order": "1"}}, "data": {"by": "the operator"}});
        assert_eq!(manifest.resolve("demo").unwrap(), expected);
    }

    // GEN-8
    #[tokio::test]
    async fn combinators_run_parameters_first_and_objects_last() {
        async fn one(cx: &RenderContext<Demo>) -> Result<Vec<Manifest>, RenderError> {
            Ok(vec![Manifest::from_json(json!({"metadata": {"name": cx.parameters()["name"]}}))?])
        }
        let generator = one
            .map_parameters(|_, mut parameters| {
                parameters.insert("name".to_owned(), json!("p"));
                Ok(parameters)
            })
            .union(Manifests::embedded(
                "more.yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: q}\n---\napiVersion: v1\nkind: Secret\nmetadata: {name: r}\n",
            ))
            .map_objects(|_, objects| Ok(objects.into_iter().rev().collect()));
        assert_eq!(names(&generator.render(&context()).await.unwrap()), ["r", "q", "p"]);
    }

    #[tokio::test]
    async fn a_broken_embedded_file_is_found_at_start_and_named() {
        let generator = Manifests::embedded("broken.yaml", "a: [1");
        let error = Generator::<Demo>::check(&generator).unwrap_err().to_string();
        assert!(error.starts_with("broken.yaml"), "{error}");
        assert!(Generator::<Demo>::render(&generator, &context()).await.is_err());
    }
}
