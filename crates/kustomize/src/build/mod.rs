//! The build of a kustomization.

mod accumulate;
mod directory;
mod finish;
mod order;
mod origin;
mod plan;

use serde_json::Value;

use accumulate::KustomizationBuild;

use crate::error::KustomizeError;
use crate::limits::BuildLimits;
use crate::tree::FileTree;

/// The release of kustomize whose output a build has.
pub const KUSTOMIZE_VERSION: &str = "v5.8.2";

/// Builds the kustomization in the directory `path` of a tree, within the default limits. The root of the tree has the empty path.
pub fn build(tree: &dyn FileTree, path: &str) -> Result<Vec<Value>, KustomizeError> {
    build_within(tree, path, BuildLimits::default())
}

/// Builds the kustomization in the directory `path` of a tree, within limits.
pub fn build_within(tree: &dyn FileTree, path: &str, limits: BuildLimits) -> Result<Vec<Value>, KustomizeError> {
    KustomizationBuild::new(tree, limits).build(path)
}
