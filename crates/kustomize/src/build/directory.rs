//! A kustomization in its directory.

use std::sync::Arc;

use crate::error::{BuildProblem, KustomizeError};
use crate::fields::Tables;
use crate::generate::{GeneratedKind, generate};
use crate::kustomization::KustomizationFields;
use crate::limits::ObjectBytes;
use crate::path::{file_name, is_remote, join};
use crate::resource::{BuildOrigin, Configuration, ResourceList};
use crate::tree::FileTree;

/// A kustomization with its place in the tree.
pub(super) struct Directory<'a> {
    pub(super) tree: &'a dyn FileTree,
    pub(super) path: String,
    /// The path of the kustomization file.
    pub(super) file: String,
    pub(super) kustomization: KustomizationFields,
    /// The path as the references to it write it, if origins are recorded.
    pub(super) origin: Option<String>,
}

impl<'a> Directory<'a> {
    /// Returns the content of a file by its path relative to the kustomization.
    pub(super) fn load(&self, path: &str) -> Result<&'a [u8], BuildProblem> {
        let full = join(&self.path, path)?;
        match self.tree.file(&full) {
            Some(bytes) => Ok(bytes),
            None if is_remote(path) => Err(remote(path)),
            None => Err(BuildProblem(format!("the file {full:?} does not exist"))),
        }
    }

    /// Returns the origin of something that the kustomization configures, if origins are recorded.
    pub(super) fn origin_of(&self, configuration: Configuration) -> Option<BuildOrigin> {
        self.origin.as_ref().map(|origin| BuildOrigin {
            configured_in: origin_path(origin, file_name(&self.file)),
            configured_by: Some(configuration),
            ..BuildOrigin::default()
        })
    }

    /// Returns the defaults of the tables with the `configurations` of the kustomization.
    pub(super) fn tables(&self) -> Result<Arc<Tables>, BuildProblem> {
        let mut tables = Arc::clone(Tables::defaults());
        if self.kustomization.configurations.is_empty() {
            return Ok(tables);
        }
        let mut own = Tables::default();
        for path in &self.kustomization.configurations {
            let text = std::str::from_utf8(self.load(path)?).map_err(|_| BuildProblem(format!("{path} is not UTF-8")))?;
            own.merge(&Tables::read(text).map_err(|problem| problem.within(path))?)?;
        }
        Arc::make_mut(&mut tables).merge(&own)?;
        Ok(tables)
    }

    /// Adds the generated ConfigMaps and Secrets to the resources, and their size to that of all objects.
    pub(super) fn generate(&self, list: &mut ResourceList, bytes: &mut ObjectBytes) -> Result<(), KustomizeError> {
        let kustomization = &self.kustomization;
        let maps = kustomization.config_map_generator.iter().map(|entry| (GeneratedKind::ConfigMap, "configMapGenerator", entry));
        let secrets = kustomization.secret_generator.iter().map(|entry| (GeneratedKind::Secret, "secretGenerator", entry));
        for (kind, field, entry) in maps.chain(secrets) {
            let generated = generate(kind, entry, kustomization.generator_options.as_ref(), &|path| self.load(path));
            let absorbed = generated.and_then(|mut resource| {
                bytes.add(&resource.object)?;
                resource.origin = self.origin_of(Configuration::built_in(kind.generator()));
                list.absorb(resource)
            });
            absorbed.map_err(|problem| problem.in_field(&self.file, field))?;
        }
        Ok(())
    }
}

/// Returns the problem of a reference to something outside of the tree.
pub(super) fn remote(path: &str) -> BuildProblem {
    BuildProblem(format!("{path:?} is remote, which is not supported; put the files into the tree"))
}

/// Returns a path relative to the outermost kustomization, from which it may lead out.
pub(super) fn origin_path(origin: &str, path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in origin.split('/').chain(path.split('/')) {
        match step {
            "" | "." => {}
            ".." if steps.last().is_some_and(|last| *last != "..") => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    steps.join("/")
}
