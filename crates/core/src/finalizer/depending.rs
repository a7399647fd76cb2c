//! The depending components that are named by the finalizers of an object (FZ-10).

use std::collections::BTreeSet;

use super::form::dependency_prefix;

/// Returns the depending components that have a dependency finalizer among these: the part after `dependency.<domain>/`, each once, sorted.
pub fn depending<'a>(finalizers: impl IntoIterator<Item = &'a str>, domain: &str) -> BTreeSet<&'a str> {
    let prefix = dependency_prefix(domain);
    finalizers.into_iter().filter_map(|finalizer| finalizer.strip_prefix(&prefix)).filter(|name| !name.is_empty()).collect()
}
