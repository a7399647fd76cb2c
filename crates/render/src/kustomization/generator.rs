//! The generator of a kustomization.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use include_dir::Dir;
use kubewright_kustomize::BuildLimits;
use serde::Serialize;

use super::compiled::CompiledKustomization;
use crate::host::RenderHost;
use crate::template_files::{TemplateDirectory, TemplateOptions, template_option_methods};
use crate::{Generator, Manifest, RenderContext, RenderError};

/// A kustomization: a directory that is built as `kustomize build` does, after the templates in it are rendered with the parameters of the component.
///
/// Every file is a template of Go's text/template with the functions of sprig, unless a suffix is set. The data of a template are the `values`, into
/// which the parameters of the component are merged. Without a kustomization file, all YAML files are taken. A `.component-config.yaml` in the
/// directory replaces options, and a `.component-ignore` has the patterns of files that are left out.
///
/// The files are read and the templates compiled once, when the operator starts; errors are reported then.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use kubewright_render::{Generator, Kustomization, RenderContext, RenderInputs};
///
/// let files = [("settings.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ name }}}\ndata: {text: {{ .greeting }}}\n")];
/// let kustomization = Kustomization::files(files, "");
///
/// let parameters = serde_json::json!({ "greeting": "hello" });
/// let inputs = RenderInputs { name: "demo".to_owned(), ..RenderInputs::default() };
/// let context = RenderContext::new((), parameters.as_object().cloned().unwrap_or_default(), inputs);
/// # tokio::runtime::Runtime::new()?.block_on(async {
/// let manifests = kustomization.render(&context).await?;
/// assert_eq!(manifests[0].content().unwrap()["data"]["text"], "hello");
/// # Ok(())
/// # })
/// # }
/// ```
#[derive(Debug)]
pub struct Kustomization {
    directory: TemplateDirectory,
    options: TemplateOptions,
    build_limits: BuildLimits,
    compiled: OnceLock<Result<Arc<CompiledKustomization>, String>>,
}

impl Kustomization {
    /// Creates a kustomization from a directory that the program embeds with `include_dir!`. The path is that of the kustomization in it; empty for the
    /// embedded directory itself.
    pub fn embedded(directory: &'static Dir<'static>, path: &str) -> Self {
        Self::new(TemplateDirectory::embedded(directory, path))
    }

    /// Creates a kustomization from a directory on the disk. Links in it are not followed.
    pub fn directory(path: impl AsRef<Path>) -> Self {
        Self::new(TemplateDirectory::disk(path.as_ref()))
    }

    /// Creates a kustomization from files in memory, by their paths. The path is that of the directory of the kustomization; empty for the root.
    pub fn files(files: impl IntoIterator<Item = (impl Into<String>, impl Into<Vec<u8>>)>, path: &str) -> Self {
        Self::new(TemplateDirectory::memory(files, path))
    }

    fn new(directory: TemplateDirectory) -> Self {
        Self { directory, options: TemplateOptions::default(), build_limits: BuildLimits::default(), compiled: OnceLock::new() }
    }

    template_option_methods!();

    /// Adds kustomizations outside of the directory, by the paths of their directories relative to it. They are rendered with the same component and
    /// parameters, but with options of their own, and can be referred to from the kustomization, usually under `resources` or `components`.
    #[must_use]
    pub fn included_kustomizations(mut self, paths: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.options.included_kustomizations.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Sets the limits of the build.
    #[must_use]
    pub fn build_limits(mut self, limits: BuildLimits) -> Self {
        self.build_limits = limits;
        self
    }

    fn compiled(&self) -> Result<Arc<CompiledKustomization>, RenderError> {
        let compile = || {
            let (source, path) = self.directory.get()?;
            CompiledKustomization::compile(source, path, &self.options, self.build_limits).map(Arc::new)
        };
        let compiled = self.compiled.get_or_init(|| compile().map_err(|error: RenderError| error.to_string()));
        compiled.clone().map_err(RenderError::input)
    }
}

impl<C: Serialize + Send + Sync + 'static> Generator<C> for Kustomization {
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let compiled = self.compiled()?;
        RenderHost::run(context, move |host, parameters| compiled.render(host, parameters)).await
    }

    fn check(&self) -> Result<(), RenderError> {
        self.compiled().map(drop)
    }
}
