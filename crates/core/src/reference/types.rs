use std::fmt;

use kubewright_machinery::object::GroupKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The kinds of objects that a reference can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::exhaustive_enums, reason = "objects of other kinds are not referred to")]
pub enum ReferenceKind {
    /// A ConfigMap.
    ConfigMap,
    /// A Secret.
    Secret,
}

impl ReferenceKind {
    /// Returns the group and kind.
    pub fn group_kind(self) -> GroupKind {
        GroupKind::new("", if self == Self::ConfigMap { "ConfigMap" } else { "Secret" })
    }

    /// Returns the plural name that URLs and RBAC rules use.
    pub fn plural(self) -> &'static str {
        match self {
            Self::ConfigMap => "configmaps",
            Self::Secret => "secrets",
        }
    }
}

impl fmt::Display for ReferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ConfigMap => "configmap",
            Self::Secret => "secret",
        })
    }
}

/// An object that a reference names, in the namespace of the component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(clippy::exhaustive_structs, reason = "a kind and a name identify an object")]
pub struct ReferencedObject {
    /// The kind of the object.
    pub kind: ReferenceKind,
    /// The name of the object.
    pub name: String,
}

/// A reference to all of a ConfigMap, whose values are the texts of `data`. [`ConfigMapBytesRef`] has those of `binaryData`, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_structs, reason = "specs in code construct it")]
pub struct ConfigMapRef {
    /// Name of a ConfigMap in the namespace of this object.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// A reference to one key of a ConfigMap, whose value is a text of `data`. [`ConfigMapBytesKeyRef`] also finds keys of `binaryData`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_structs, reason = "specs in code construct it")]
pub struct ConfigMapKeyRef {
    /// Name of a ConfigMap in the namespace of this object.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Key in that ConfigMap. Without it, the keys that this field is declared with are tried in order; where none are, it is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A reference to all of a ConfigMap, whose values are bytes: those of `data` and those of `binaryData`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_structs, reason = "specs in code construct it")]
pub struct ConfigMapBytesRef {
    /// Name of a ConfigMap in the namespace of this object.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// A reference to one key of a ConfigMap, whose value is bytes. The key is found in `data` and in `binaryData`, which have no key in common.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_structs, reason = "specs in code construct it")]
pub struct ConfigMapBytesKeyRef {
    /// Name of a ConfigMap in the namespace of this object.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Key in `data` or `binaryData` of that ConfigMap. Without it, the keys that this field is declared with are tried in order; where none are, it
    /// is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}

/// A reference to all of a Secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_structs, reason = "specs in code construct it")]
pub struct SecretRef {
    /// Name of a Secret in the namespace of this object.
    #[schemars(length(min = 1))]
    pub name: String,
}

/// A reference to one key of a Secret.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[allow(clippy::exhaustive_structs, reason = "specs in code construct it")]
pub struct SecretKeyRef {
    /// Name of a Secret in the namespace of this object.
    #[schemars(length(min = 1))]
    pub name: String,
    /// Key in that Secret. Without it, the keys that this field is declared with are tried in order; where none are, it is required.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
}
