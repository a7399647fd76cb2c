//! The order of groups and versions in discovery.

use std::cmp::Ordering;

use super::Registry;

impl Registry {
    /// Returns the groups in the order of discovery, without the core group: built-in ones in their fixed order, then custom ones by name, then those
    /// of services that do not answer.
    pub fn groups(&self) -> Vec<&str> {
        let mut groups: Vec<&str> = Vec::new();
        let served = self.kinds().map(|kind| kind.group.as_str());
        let unavailable = self.unavailable.values().map(|(group, _)| group.as_str());
        for group in served.chain(unavailable).filter(|group| !group.is_empty()) {
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    /// Returns the versions of a group, the preferred one first.
    pub fn versions(&self, group: &str) -> Vec<String> {
        let mut versions: Vec<String> = Vec::new();
        let prefix = format!("{group}/");
        for (_, kind) in self.by_resource.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix)) {
            if !versions.contains(&kind.version) {
                versions.push(kind.version.clone());
            }
        }
        for (_, version) in self.unavailable.values().filter(|(other, _)| other == group) {
            if !versions.contains(version) {
                versions.push(version.clone());
            }
        }
        versions.sort_by(|a, b| compare_versions(b, a));
        versions
    }
}

/// Compares Kubernetes versions, lowest first: other names, alpha, beta, stable, each by its numbers.
///
/// See <https://kubernetes.io/docs/tasks/extend-kubernetes/custom-resources/custom-resource-definition-versioning/#version-priority>.
pub(crate) fn compare_versions(a: &str, b: &str) -> Ordering {
    match (rank(a), rank(b)) {
        (Some(a), Some(b)) => a.cmp(&b),
        (Some(_), None) => Ordering::Greater,
        (None, Some(_)) => Ordering::Less,
        // Names that are no versions rank last, in alphabetical order.
        (None, None) => b.cmp(a),
    }
}

/// Returns stability, major and minor number of `v1`, `v1beta2`, `v2alpha1`.
fn rank(version: &str) -> Option<(u8, u32, u32)> {
    let rest = version.strip_prefix('v')?;
    for (stability, name) in [(1, "beta"), (0, "alpha")] {
        if let Some((major, minor)) = rest.split_once(name) {
            return Some((stability, major.parse().ok()?, minor.parse().ok()?));
        }
    }
    Some((2, rest.parse().ok()?, 0))
}
