//! Accumulation: the resources of a kustomization, of those that it refers to, and of its components.

use std::sync::Arc;

use serde_json::Value;

use super::directory::{Directory, origin_path, remote};
use super::finish::finish;
use super::plan::transformers;
use crate::error::{BuildProblem, KustomizeError};
use crate::fields::Tables;
use crate::kustomization::{FILE_NAMES, read_kustomization};
use crate::limits::{BuildLimits, ObjectBytes};
use crate::path::{is_remote, is_within, join};
use crate::resource::{BuildOrigin, BuildResource, Configuration, ResourceList, read_resources};
use crate::strategic::MergeSchemas;
use crate::transform::{Transformer, read_transformer};
use crate::tree::FileTree;

/// The resources so far, with the tables of fields that apply to them.
#[derive(Default)]
pub(super) struct Accumulated {
    list: ResourceList,
    tables: Arc<Tables>,
}

/// A transformer with the field that it comes from, and its origin if origins are recorded.
struct PlannedTransformer {
    field: String,
    transformer: Transformer,
    origin: Option<BuildOrigin>,
}

/// One build.
pub(super) struct KustomizationBuild<'a> {
    tree: &'a dyn FileTree,
    limits: BuildLimits,
    schemas: Option<MergeSchemas>,
    /// The directories of the kustomizations of which each refers to the next.
    visited: Vec<String>,
    built: usize,
    bytes: ObjectBytes,
    /// True if a resource has been read. A schema that comes later adds to that of the built-in kinds, and does not replace it.
    has_read: bool,
    records_origins: bool,
}

impl<'a> KustomizationBuild<'a> {
    pub(super) fn new(tree: &'a dyn FileTree, limits: BuildLimits) -> Self {
        let bytes = ObjectBytes::new(limits);
        Self { tree, limits, schemas: None, visited: Vec::new(), built: 0, bytes, has_read: false, records_origins: false }
    }

    /// Builds the outermost kustomization.
    pub(super) fn build(mut self, path: &str) -> Result<Vec<Value>, KustomizeError> {
        let path = join("", path).map_err(|problem| problem.in_file(path))?;
        let mut directory = self.open(path, None)?;
        self.records_origins = !directory.kustomization.build_metadata.is_empty();
        directory.origin = self.records_origins.then(String::new);
        let built = self.accumulate(&directory, Accumulated::default())?;
        finish(built.list, &built.tables, &directory.kustomization, &directory.file)
    }

    /// Reads the kustomization of a directory, and its schema if it is the first one.
    fn open(&mut self, path: String, origin: Option<String>) -> Result<Directory<'a>, KustomizeError> {
        self.built += 1;
        let BuildLimits { depth, kustomizations, .. } = self.limits;
        if self.visited.len() >= depth {
            let message = format!("more than {depth} kustomizations refer to the next; raise BuildLimits::depth");
            return Err(BuildProblem(message).in_file(path));
        }
        if self.built > kustomizations {
            let message = format!("more than {kustomizations} kustomizations are built; raise BuildLimits::kustomizations");
            return Err(BuildProblem(message).in_file(path));
        }
        let mut found = FILE_NAMES.iter().filter_map(|name| {
            let file = join(&path, name).ok()?;
            Some((self.tree.file(&file)?, file))
        });
        let (bytes, file) = match (found.next(), found.next()) {
            (Some(found), None) => found,
            (Some((_, first)), Some((_, second))) => {
                let message = format!("Found multiple kustomization files: {first:?} and {second:?}; keep one of them");
                return Err(BuildProblem(message).in_file(path));
            }
            (None, _) => {
                let names = FILE_NAMES.map(|name| format!("'{name}'"));
                let message = format!("unable to find one of {}, {} or {} in directory '{path}'", names[0], names[1], names[2]);
                return Err(BuildProblem(message).in_file(path));
            }
        };
        let kustomization = read_kustomization(bytes, &file)?;
        let directory = Directory { tree: self.tree, path, file, kustomization, origin };
        if let (None, Some(schema)) = (&self.schemas, directory.kustomization.schema_path()) {
            let read = directory.load(schema).and_then(|bytes| {
                let text = std::str::from_utf8(bytes).map_err(|_| BuildProblem::new("the schema is not UTF-8"))?;
                MergeSchemas::read(text, self.has_read)
            });
            self.schemas = Some(read.map_err(|problem| problem.in_field(&directory.file, "openapi"))?);
        }
        Ok(directory)
    }

    /// Adds the resources of a kustomization to those before it, and transforms them all.
    fn accumulate(&mut self, directory: &Directory<'a>, before: Accumulated) -> Result<Accumulated, KustomizeError> {
        self.visited.push(directory.path.clone());
        let result = self.accumulate_fields(directory, before);
        self.visited.pop();
        result
    }

    fn accumulate_fields(&mut self, directory: &Directory<'a>, mut sum: Accumulated) -> Result<Accumulated, KustomizeError> {
        let in_field = |field: &'static str| move |problem: BuildProblem| problem.in_field(&directory.file, field);
        for path in &directory.kustomization.resources {
            self.add_resource(directory, path, "resources", &mut sum)?;
        }
        directory
            .tables()
            .and_then(|tables| Tables::merge_shared(&mut sum.tables, &tables))
            .map_err(in_field("configurations"))?;
        directory.generate(&mut sum.list, &mut self.bytes)?;
        for path in &directory.kustomization.components {
            let component = self.open_referred(directory, path).map_err(|error| error.or_in(directory, "components"))?;
            if !component.kustomization.is_component() {
                return Err(BuildProblem::new("expected kind 'Component' in a kustomization listed under components")
                    .in_file(component.file));
            }
            sum = self.accumulate(&component, sum)?;
        }
        for PlannedTransformer { field, transformer, origin } in self.plan(directory, &sum.tables)? {
            let schemas = self.schemas.take().unwrap_or_default();
            let outcome = transformer.apply(&mut sum.list, &schemas, &mut self.bytes);
            // Without an own schema, a later kustomization may still bring one.
            self.schemas = Some(schemas).filter(MergeSchemas::is_own);
            outcome.map_err(|problem| problem.in_field(&directory.file, field))?;
            if let Some(origin) = origin {
                let size = size_of::<BuildOrigin>() + origin.text_size();
                self.bytes.grow(size.saturating_mul(sum.list.resources.len())).map_err(in_field("buildMetadata"))?;
                sum.list.resources.iter_mut().for_each(|resource| record(resource, &origin));
            }
        }
        Ok(sum)
    }

    /// Adds the resources of an entry of `resources`, or of another field: those of a file, or of another kustomization.
    fn add_resource(
        &mut self,
        directory: &Directory<'a>,
        path: &str,
        field: &str,
        sum: &mut Accumulated,
    ) -> Result<(), KustomizeError> {
        let in_field = |problem: BuildProblem| problem.in_field(&directory.file, field);
        let full = join(&directory.path, path).map_err(in_field)?;
        if let Some(bytes) = self.tree.file(&full) {
            self.has_read = true;
            let resources = read_resources(bytes).map_err(|problem| problem.in_file(&full))?;
            for mut resource in resources {
                self.bytes.add(&resource.object).map_err(in_field)?;
                resource.origin = directory
                    .origin
                    .as_ref()
                    .map(|origin| BuildOrigin { path: origin_path(origin, path), ..BuildOrigin::default() });
                sum.list
                    .add(resource)
                    .map_err(|problem| in_field(problem.within(format_args!("merging resources from '{path}'"))))?;
            }
            return self.check_size(sum, directory);
        }
        let referred = self.open_referred(directory, path).map_err(|error| error.or_in(directory, field))?;
        if referred.kustomization.is_component() {
            return Err(BuildProblem::new("expected kind != 'Component' in a kustomization listed under resources")
                .in_file(referred.file));
        }
        let inner = self.accumulate(&referred, Accumulated::default())?;
        Tables::merge_shared(&mut sum.tables, &inner.tables).map_err(in_field)?;
        sum.list.add_all(inner.list).map_err(|problem| in_field(problem.within(format_args!("merging from path '{path}'"))))?;
        self.check_size(sum, directory)
    }

    fn check_size(&self, sum: &Accumulated, directory: &Directory<'a>) -> Result<(), KustomizeError> {
        if sum.list.resources.len() <= self.limits.objects {
            return Ok(());
        }
        let message = format!("more than {} objects; raise BuildLimits::objects", self.limits.objects);
        Err(BuildProblem(message).in_file(&directory.file))
    }

    /// Opens a kustomization that another one refers to.
    fn open_referred(&mut self, directory: &Directory<'a>, path: &str) -> Result<Directory<'a>, OpenError> {
        let full = join(&directory.path, path)?;
        if !self.tree.has_directory(&full) {
            return Err(if is_remote(path) {
                remote(path)
            } else {
                BuildProblem(format!("{path:?} is neither a file nor a directory"))
            }
            .into());
        }
        if let Some(visited) = self.visited.iter().find(|visited| is_within(visited, &full)) {
            return Err(BuildProblem(format!("cycle detected: candidate root '{full}' contains visited root '{visited}'")).into());
        }
        let origin = directory.origin.as_ref().map(|origin| origin_path(origin, path));
        self.open(full, origin).map_err(OpenError::Kustomization)
    }

    /// Returns the transformers of a kustomization in the order in which they run.
    fn plan(&mut self, directory: &Directory<'a>, tables: &Tables) -> Result<Vec<PlannedTransformer>, KustomizeError> {
        let mut planned = Vec::new();
        for (field, transformer) in transformers(directory, tables)? {
            let origin = directory.origin_of(Configuration::built_in(transformer.kind()));
            planned.push(PlannedTransformer { field, transformer, origin });
        }
        let in_field = |problem: BuildProblem| problem.in_field(&directory.file, "transformers");
        let mut configs = Accumulated::default();
        for entry in &directory.kustomization.transformers {
            match read_resources(entry.as_bytes()) {
                Ok(inline) => inline.into_iter().try_for_each(|config| configs.list.add(config)).map_err(in_field)?,
                Err(problem) if entry.contains('\n') => return Err(in_field(problem)),
                Err(_) => self.add_resource(directory, entry, "transformers", &mut configs)?,
            }
        }
        for config in &configs.list.resources {
            let transformer = read_transformer(config).map_err(in_field)?;
            let mut origin = directory.origin_of(Configuration {
                name: config.name().to_owned(),
                namespace: config.namespace().to_owned(),
                ..Configuration::built_in(config.kind_name())
            });
            if let (Some(origin), Some(config)) = (&mut origin, &config.origin) {
                origin.configured_in.clone_from(&config.path);
            }
            planned.push(PlannedTransformer { field: "transformers".to_owned(), transformer, origin });
        }
        Ok(planned)
    }
}

/// The error of a kustomization that is referred to: of the reference, or of the kustomization.
enum OpenError {
    Reference(BuildProblem),
    Kustomization(KustomizeError),
}

impl OpenError {
    fn or_in(self, directory: &Directory<'_>, field: &str) -> KustomizeError {
        match self {
            Self::Reference(problem) => problem.in_field(&directory.file, field),
            Self::Kustomization(error) => error,
        }
    }
}

impl From<BuildProblem> for OpenError {
    fn from(problem: BuildProblem) -> Self {
        Self::Reference(problem)
    }
}

/// Records a transformation of a resource, or the origin of one that has none.
fn record(resource: &mut BuildResource, origin: &BuildOrigin) {
    if resource.origin.is_some() {
        resource.transformations.push(origin.clone());
    } else {
        resource.origin = Some(origin.clone());
    }
}
