//! Names of operations and their tags, as clients generated from the documents use them.

use crate::kinds::KindSpec;

/// Returns a tag such as `rbacAuthorization_v1`.
pub(super) fn tag(group: &str, version: &str) -> String {
    let words = words(group);
    let mut letters = words.chars();
    let first = letters.next().map(|letter| letter.to_ascii_lowercase());
    format!("{}{}_{version}", first.into_iter().collect::<String>(), letters.as_str())
}

/// Returns a name such as `RbacAuthorizationV1`.
pub(super) fn group_version(group: &str, version: &str) -> String {
    format!("{}{}", words(group), capital(version))
}

/// Returns a name such as `NamespacedRole` or `ClusterRole`.
pub(super) fn scoped(kind: &KindSpec) -> String {
    let scope = if kind.is_namespaced() { "Namespaced" } else { "" };
    format!("{scope}{}", kind.kind)
}

pub(super) fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}", first.to_ascii_uppercase(), letters.as_str()))
}

fn words(group: &str) -> String {
    match group.strip_suffix(".k8s.io").unwrap_or(group) {
        "" => "Core".to_owned(),
        group => group.split('.').map(capital).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_become_words() {
        assert_eq!(tag("rbac.authorization.k8s.io", "v1"), "rbacAuthorization_v1");
        assert_eq!(group_version("", "v1"), "CoreV1");
        assert_eq!(group_version("ex.io", "v1beta1"), "ExIoV1beta1");
    }
}
