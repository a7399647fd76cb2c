//! Kustomizations, printed as `kustomize build` prints them.

use std::path::{Component, Path, PathBuf};
use std::{env, fs};

use crate::args::KustomizationArgs;
use crate::directory::DirectoryTree;
use crate::yaml;

/// Returns the objects of a kustomization as text. An error completes the sentence "failed to".
pub(crate) fn render(args: &KustomizationArgs) -> Result<String, String> {
    rendered(args).map_err(|error| format!("build the kustomization {}: {error}", args.path.display()))
}

fn rendered(args: &KustomizationArgs) -> Result<String, String> {
    let path = absolute(&args.path)?;
    let root = match &args.root {
        Some(root) => absolute(root)?,
        None => env::current_dir().ok().and_then(|current| fs::canonicalize(current).ok()).unwrap_or_else(|| path.clone()),
    };
    let root = if args.root.is_none() && !path.starts_with(&root) { path.clone() } else { root };
    let inside = path.strip_prefix(&root).map_err(|_| format!("it is not in the root {}", root.display()))?;
    let tree = DirectoryTree::new(root.clone());
    let built = kubewright_kustomize::build(&tree, &tree_path(inside)?);
    match (tree.into_problem(), built) {
        // A file that cannot be read is absent for the build, whose own error would be misleading.
        (Some(problem), _) => Err(problem),
        (None, Err(error)) => Err(format!("{error} (paths are relative to {})", root.display())),
        (None, Ok(objects)) => yaml::documents(&objects),
    }
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    let absolute = fs::canonicalize(path).map_err(|error| format!("find the directory {}: {error}", path.display()))?;
    if absolute.is_dir() { Ok(absolute) } else { Err(format!("{} is no directory", path.display())) }
}

/// Returns a relative path with slashes.
fn tree_path(path: &Path) -> Result<String, String> {
    let parts: Option<Vec<&str>> = path
        .components()
        .map(|component| match component {
            Component::Normal(part) => part.to_str(),
            _ => None,
        })
        .collect();
    parts.map(|parts| parts.join("/")).ok_or_else(|| format!("the path {} is not UTF-8", path.display()))
}
