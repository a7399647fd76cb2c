//! Labels that name the owner of an object, also across namespaces, where owner references do not work.

use serde_json::Value;

use super::{ObjectExt, sha256_hex};

/// The longest value of a label, in characters.
const MAX_VALUE: usize = 63;
/// The number of characters of a longer value that its label keeps, before `-` and the hash.
const KEPT: usize = 54;

/// The keys of the labels that name an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // formats of other frameworks are written as literals
pub struct OwnerLabels {
    /// The key of the owner's kind, in formats that have it.
    pub kind: Option<String>,
    /// The key of the owner's namespace.
    pub namespace: String,
    /// The key of the owner's name.
    pub name: String,
}

/// An owner that is named by labels.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // users write it as a literal of three names
pub struct LabelledOwner {
    /// The kind of the owner; empty in formats without one.
    pub kind: String,
    /// The namespace of the owner; empty for a cluster-scoped owner.
    pub namespace: String,
    /// The name of the owner.
    pub name: String,
}

impl OwnerLabels {
    /// Creates the keys `<domain>/owner-kind`, `<domain>/owner-namespace` and `<domain>/owner-name`.
    pub fn of_domain(domain: &str) -> Self {
        let key = |name: &str| format!("{domain}/{name}");
        Self { kind: Some(key("owner-kind")), namespace: key("owner-namespace"), name: key("owner-name") }
    }

    /// Puts the labels on an object. A value that is too long for a label is cut, and an annotation of the same key holds the full value.
    pub fn put(&self, object: &mut Value, owner: &LabelledOwner) {
        for (key, value) in self.entries(owner) {
            let label = label_value(value);
            if label == *value {
                object.remove_annotation(key);
            } else {
                object.set_annotation(key, value);
            }
            object.set_label(key, label);
        }
    }

    /// Reads the owner from the labels of an object; the annotation of a key takes precedence over its label.
    pub fn read(&self, object: &Value) -> Option<LabelledOwner> {
        let value = |key: &str| object.annotation(key).or_else(|| object.label(key)).map(str::to_owned);
        let kind = match &self.kind {
            Some(key) => value(key)?,
            None => String::new(),
        };
        Some(LabelledOwner { kind, namespace: value(&self.namespace)?, name: value(&self.name)? })
    }

    /// Returns true if the object has the labels of this owner.
    pub fn name_owner(&self, object: &Value, owner: &LabelledOwner) -> bool {
        self.read(object).is_some_and(|found| self.entries(&found).eq(self.entries(owner)))
    }

    fn entries<'a>(&'a self, owner: &'a LabelledOwner) -> impl Iterator<Item = (&'a str, &'a str)> {
        let kind = self.kind.as_deref().map(|key| (key, owner.kind.as_str()));
        kind.into_iter().chain([(self.namespace.as_str(), owner.namespace.as_str()), (self.name.as_str(), owner.name.as_str())])
    }
}

/// Returns the value in the form of a label. A value of more than 63 characters becomes its first 54, `-`, and the first 8 hexadecimal digits of its
/// SHA-256.
pub fn label_value(value: &str) -> String {
    if value.chars().count() <= MAX_VALUE {
        return value.to_owned();
    }
    let kept: String = value.chars().take(KEPT).collect();
    format!("{kept}-{}", first8(value))
}

/// Returns the first 8 hexadecimal digits of the SHA-256 of `<namespace>/<name>`.
pub fn hash8(namespace: &str, name: &str) -> String {
    first8(&format!("{namespace}/{name}"))
}

/// Returns true if a key of a label or annotation belongs to a domain: the part before the slash, or the whole key without one, is the domain or a
/// subdomain of it (MD-4).
pub fn is_of_domain(key: &str, domain: &str) -> bool {
    let prefix = key.split_once('/').map_or(key, |(prefix, _)| prefix);
    prefix == domain || prefix.strip_suffix(domain).is_some_and(|subdomain| subdomain.ends_with('.'))
}

fn first8(value: &str) -> String {
    let mut digits = sha256_hex(value);
    digits.truncate(8);
    digits
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn owner(name: &str) -> LabelledOwner {
        LabelledOwner { kind: "Shop".to_owned(), namespace: "demo".to_owned(), name: name.to_owned() }
    }

    // FMETA-05: vectors of flow-and-contract.md, 8.2
    #[test]
    fn long_values_are_cut_and_hashed() {
        let long = "x".repeat(64);
        assert_eq!(label_value(&long), format!("{}-7ce10097", "x".repeat(54)));
        let dotted = format!("{}.{}", "a".repeat(40), "b".repeat(40));
        assert_eq!(label_value(&dotted), format!("{}.{}-9824946b", "a".repeat(40), "b".repeat(13)));
        assert_eq!(label_value(&"x".repeat(63)), "x".repeat(63));
        assert_eq!([hash8("default", "demo"), hash8("a", "b-c"), hash8("a-b", "c")], ["02c8c86b", "b88f83c8", "4e84717d"]);
    }

    // FMETA-05
    #[test]
    fn an_owner_is_read_as_it_was_put_whatever_the_length_of_its_name() {
        let labels = OwnerLabels::of_domain("example.com");
        let mut object = json!({});
        for name in ["demo".to_owned(), "x".repeat(200), "short".to_owned()] {
            labels.put(&mut object, &owner(&name));
            assert_eq!(labels.read(&object), Some(owner(&name)));
            assert!(labels.name_owner(&object, &owner(&name)) && !labels.name_owner(&object, &owner("other")));
        }
        let expected = json!({ "metadata": { "labels": {
            "example.com/owner-kind": "Shop", "example.com/owner-namespace": "demo", "example.com/owner-name": "short",
        } } });
        assert_eq!(object, expected);
        assert_eq!(labels.read(&json!({})), None);
    }

    // FMETA-04, MD-4
    #[test]
    fn a_key_belongs_to_a_domain_and_its_subdomains() {
        let of = |key| is_of_domain(key, "domain.cloud");
        assert!(of("x.domain.cloud/y") && of("domain.cloud/y") && of("x.domain.cloud"));
        assert!(!of("notdomain.cloud/y") && !of("domain.cloud.org/y") && !of("y") && !of(""));
    }
}
