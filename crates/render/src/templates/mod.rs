//! Directories of templated YAML, without kustomization features.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use include_dir::Dir;
use kubewright_template::{ExecutionUsage, TemplateLimits};
use serde::Serialize;
use serde_json::Value;

use crate::file_map::{is_hidden, join};
use crate::functions::component_functions;
use crate::host::RenderHost;
use crate::template_files::{
    CompiledFiles, FileBudget, FileSource, LoadedFiles, TemplateOptions, TemplateRun, template_option_methods,
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
    /// The tree of files and the path of the directory in it; or the problem of the source.
    source: Result<(FileSource, String), String>,
    options: TemplateOptions,
    compiled: OnceLock<Result<Arc<CompiledTemplates>, String>>,
}

impl Templates {
    /// Creates templates from a directory that the program embeds with `include_dir!`. The path is that of a directory in it; empty for the embedded
    /// directory itself.
    pub fn embedded(directory: &'static Dir<'static>, path: &str) -> Self {
        Self::new(Ok(FileSource::Embedded(directory)), path)
    }

    /// Creates templates from a directory on the disk and its sub-directories. Links in it are not followed.
    pub fn directory(path: impl AsRef<Path>) -> Self {
        match FileSource::disk(path.as_ref()) {
            Ok((source, path)) => Self::new(Ok(source), &path),
            Err(error) => Self::new(Err(error), ""),
        }
    }

    /// Creates templates from files in memory, by their paths. The path is that of the directory with the templates; empty for the root.
    pub fn files(files: impl IntoIterator<Item = (impl Into<String>, impl Into<Vec<u8>>)>, path: &str) -> Self {
        let files = files.into_iter().map(|(path, content)| (path.into(), content.into()));
        Self::new(FileSource::memory(files), path)
    }

    fn new(source: Result<FileSource, InputError>, path: &str) -> Self {
        let outside = || InputError::new("the path of the templates is absolute, or leaves the tree of files").file(path);
        let source = source.and_then(|source| Ok((source, join("", path).ok_or_else(outside)?)));
        let source = source.map_err(|error| error.to_string());
        Self { source, options: TemplateOptions::default(), compiled: OnceLock::new() }
    }

    template_option_methods!();

    fn compiled(&self) -> Result<Arc<CompiledTemplates>, RenderError> {
        let compile = || {
            let (source, path) = self.source.as_ref().map_err(Clone::clone)?;
            CompiledTemplates::compile(source, path, &self.options).map(Arc::new).map_err(|error| error.to_string())
        };
        self.compiled.get_or_init(compile).clone().map_err(RenderError::input)
    }
}

impl<C: Serialize + Send + Sync + 'static> Generator<C> for Templates {
    async fn render(&self, context: &RenderContext<C>) -> Result<Vec<Manifest>, RenderError> {
        let compiled = self.compiled()?;
        let component = Arc::new(serde_json::to_value(context.component())?);
        let parameters = Value::Object(context.parameters().clone());
        let inputs = context.inputs().clone();
        let rendering = move |answers: &_| {
            let host = RenderHost::new(&inputs, answers).with_component(Arc::clone(&component));
            compiled.render(&host, &parameters)
        };
        context.run(rendering).await
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
