//! Directories of templated YAML, without kustomization features.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use include_dir::Dir;
use kubewright_template::{ExecutionUsage, TemplateLimits};
use serde::Serialize;
use serde_json::Value;

use crate::file_map::is_hidden;
use crate::functions::component_functions;
use crate::host::RenderHost;
use crate::template_files::{
    CompiledFiles, FileBudget, FileSource, LoadedFiles, TemplateDirectory, TemplateOptions, TemplateRun, template_option_methods,
};
use crate::{Generator, InputError, Manifest, Manifests, RenderContext, RenderError};

/// A directory of templated YAML.
///
/// The templates have the language, the data, the functions and the control files of a kustomization with templates. The outputs whose names end in
/// `.yaml`, `.yml` or `.json` and are not hidden are split into documents, in the order of their names; other templates, such as `helpers.tpl`, only
/// define templates for them.
///
/// The files are read and the templates compiled once, when the operator starts; errors are reported then.
#[derive(Debug)]
pub struct Templates {
    directory: TemplateDirectory,
    options: TemplateOptions,
    compiled: OnceLock<Result<Arc<CompiledTemplates>, String>>,
}

impl Templates {
    /// Creates templates from a directory that the program embeds with `include_dir!`. The path is that of a directory in it; empty for the embedded
    /// directory itself.
    pub fn embedded(directory: &'static Dir<'static>, path: &str) -> Self {
        Self::new(TemplateDirectory::embedded(directory, path))
    }

    /// Creates templates from a directory on the disk and its sub-directories. Links in it are not followed.
    pub fn directory(path: impl AsRef<Path>) -> Self {
        Self::new(TemplateDirectory::disk(path.as_ref()))
    }

    /// Creates templates from files in memory, by their paths. The path is that of the directory with the templates; empty for the root.
    pub fn files(files: impl IntoIterator<Item = (impl Into<String>, impl Into<Vec<u8>>)>, path: &str) -> Self {
        Self::new(TemplateDirectory::memory(files, path))
    }

    fn new(directory: TemplateDirectory) -> Self {
        Self { directory, options: TemplateOptions::default(), compiled: OnceLock::new() }
    }

    template_option_methods!();

    fn compiled(&self) -> Result<Arc<CompiledTemplates>, RenderError> {
        let compile = || {
            let (source, path) = self.directory.get()?;
            CompiledTemplates::compile(source, path, &self.options).map(Arc::new)
        };
        let compiled = self.compiled.get_or_init(|| compile().map_err(|error: RenderError| error.to_string()));
        compiled.clone().map_err(RenderError::input)
    }
}

impl<C: Serialize + Send + Sync + 'static> Generator<C> for Templates {
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let compiled = self.compiled()?;
        RenderHost::run(context, move |host, parameters| compiled.render(host, parameters)).await
    }

    fn check(&self) -> Result<(), RenderError> {
        self.compiled().map(drop)
    }
}

/// The compiled templates of a directory.
#[derive(Debug)]
struct CompiledTemplates {
    files: CompiledFiles,
    limits: TemplateLimits,
}

impl CompiledTemplates {
    fn compile(source: &FileSource, directory: &str, options: &TemplateOptions) -> Result<Self, RenderError> {
        let files = LoadedFiles::read(source, directory, options.clone(), &mut FileBudget::default())?;
        if !files.options.included_kustomizations.is_empty() {
            let problem = "includedKustomizations is set, but only kustomizations can include others; use includedFiles";
            return Err(InputError::new(problem).file(source.shown(directory)).into());
        }
        let mut functions = component_functions();
        options.functions.add_to(&mut functions).map_err(InputError::new)?;
        let shown = if matches!(source, FileSource::Disk { .. }) { "" } else { directory };
        Ok(Self { files: CompiledFiles::compile(files, &Arc::new(functions), shown)?, limits: options.limits })
    }

    fn render(&self, host: &RenderHost, parameters: &Value) -> Result<Vec<Manifest>, RenderError> {
        let mut run = TemplateRun { host, usage: ExecutionUsage::new(self.limits), parameters };
        let mut manifests = Vec::new();
        for (path, output) in self.files.render(&mut run)? {
            let is_yaml = [".yaml", ".yml", ".json"].iter().any(|extension| path.ends_with(extension));
            if is_hidden(&path) || !is_yaml {
                continue;
            }
            let shown = self.files.shown(&path);
            let text = std::str::from_utf8(&output);
            let text = text.map_err(|_| InputError::new("the output is not UTF-8").file(shown.clone()))?;
            manifests.extend(Manifests::parse(&shown, text)?);
        }
        Ok(manifests)
    }
}
