//! Kustomizations that strangers wrote. A file of its own, since the tests of `kubewright-kustomize` use it without the other decoders.

#[path = "files.rs"]
mod files;

use std::collections::BTreeMap;

use kubewright_kustomize::{BuildLimits, build_within};

const LIMITS: BuildLimits = BuildLimits { depth: 10, kustomizations: 20, objects: 200, bytes: 1_000_000 };

/// The files of a tree, in the form of [`files::files_of`]: the kustomization in its root is built twice. Both builds end alike.
/// Returns true if there is a result.
pub fn kustomizations(data: &[u8]) -> bool {
    let tree: BTreeMap<String, Vec<u8>> = files::files_of(data).into_iter().collect();
    let built = || build_within(&tree, "", LIMITS).map_err(|error| error.to_string());
    let first = built();
    assert_eq!(first, built());
    first.is_ok()
}
