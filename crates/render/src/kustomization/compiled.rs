//! Kustomizations whose templates are compiled.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubewright_kustomize::{BuildLimits, KustomizeError, build_within};
use kubewright_template::{ExecutionUsage, TemplateLimits};
use serde_json::Value;

use super::default_file::add_kustomization_file;
use super::included::{common_root, load_kustomizations};
use crate::file_map::{FileMap, entry_path, relative};
use crate::functions::component_functions;
use crate::host::RenderHost;
use crate::template_files::{CompiledFiles, FileSource, TemplateOptions, TemplateRun};
use crate::{InputError, Manifest, RenderError};

/// A kustomization and those that it includes, all templates compiled.
#[derive(Debug)]
pub(super) struct CompiledKustomization {
    /// The path of the kustomization that is built.
    path: String,
    /// All kustomizations by their paths.
    kustomizations: BTreeMap<String, CompiledFiles>,
    limits: TemplateLimits,
    build_limits: BuildLimits,
}

impl CompiledKustomization {
    /// Reads and compiles the kustomization in a directory of a source.
    pub(super) fn compile(
        source: &FileSource,
        directory: &str,
        options: &TemplateOptions,
        build_limits: BuildLimits,
    ) -> Result<Self, RenderError> {
        let loaded = load_kustomizations(source, directory, options)?;
        let mut functions = component_functions();
        options.functions.add_to(&mut functions).map_err(InputError::new)?;
        let functions = Arc::new(functions);
        // Paths on a disk are shortened to the part that the kustomizations do not have in common, other ones are those that the author gave.
        let root = if matches!(source, FileSource::Disk { .. }) { common_root(loaded.keys()) } else { String::new() };
        let short = |path: &str| relative(path, &root);
        let compile = |(path, files): (String, _)| {
            let path = short(&path);
            Ok((path.clone(), CompiledFiles::compile(files, &functions, &path)?))
        };
        let kustomizations = loaded.into_iter().map(compile).collect::<Result<_, RenderError>>()?;
        Ok(Self { path: short(directory), kustomizations, limits: options.limits, build_limits })
    }

    /// Renders all templates and builds the kustomization. `parameters` is an object.
    pub(super) fn render(&self, host: &RenderHost, parameters: &Value) -> Result<Vec<Manifest>, RenderError> {
        let mut run = TemplateRun { host, usage: ExecutionUsage::new(self.limits), parameters };
        let mut tree = FileMap::new();
        for (path, kustomization) in &self.kustomizations {
            let mut outputs = kustomization.render(&mut run)?;
            let has_resources = add_kustomization_file(&mut outputs);
            if !has_resources && *path == self.path {
                return Ok(Vec::new());
            }
            tree.extend(outputs.into_iter().map(|(output, content)| (entry_path(path, &output), content)));
        }
        let objects = build_within(&tree, &self.path, self.build_limits).map_err(|error| build_error(&error))?;
        Ok(objects.into_iter().map(Manifest::from_json).collect::<Result<_, _>>()?)
    }
}

fn build_error(error: &KustomizeError) -> InputError {
    let message = match error.field() {
        Some(field) => format!("{field}: {}", error.message()),
        None => error.message().to_owned(),
    };
    let input = InputError::new(message);
    // The outermost directory has no path.
    if error.file().is_empty() { input } else { input.file(error.file()) }
}
