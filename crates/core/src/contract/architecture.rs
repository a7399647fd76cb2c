//! The architecture version of a component, in formats that have a label for it (flow-and-contract.md, 13.13).

use std::fmt;

use kubewright_machinery::object::ObjectExt as _;
use serde_json::Value;
use thiserror::Error;

use super::ComponentType;
use super::format::Format;

/// A version of the architecture of components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ArchitectureVersion {
    /// The first version.
    #[default]
    V1,
    /// The second version.
    V2,
}

/// The architecture of the components of a type: the default version, and the permission of owners to choose another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // callers build this plain pair
pub struct Architecture {
    /// The version of components whose owner does not choose one.
    pub version: ArchitectureVersion,
    /// True if owners may choose a version with the label `<t>.architecture.<domain>/version`; otherwise an owner with another version there is
    /// blocked.
    pub may_be_overridden: bool,
}

/// The error of an architecture label of an owner whose value is not allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("label {label} has the value {found:?}; allowed: {allowed}")]
#[non_exhaustive]
pub struct InvalidArchitecture {
    /// The key of the label.
    pub label: String,
    /// The value of the label.
    pub found: String,
    /// The allowed values.
    pub allowed: String,
}

impl ArchitectureVersion {
    const ALL: [Self; 2] = [Self::V1, Self::V2];

    /// Returns the value of the label.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }
}

impl Default for Architecture {
    /// Returns `v1`, which owners may override.
    fn default() -> Self {
        Self { version: ArchitectureVersion::V1, may_be_overridden: true }
    }
}

impl Architecture {
    /// Sets the label of a component, in formats that have one. An existing label is kept, because it is immutable.
    pub fn put(
        self,
        component: &mut Value,
        owner: &Value,
        type_: ComponentType,
        format: &Format,
    ) -> Result<(), InvalidArchitecture> {
        let Some(label) = format.architecture() else { return Ok(()) };
        if component.label(label).is_some() {
            return Ok(());
        }
        let version = self.chosen(owner, format!("{}.{label}", type_.lower()))?;
        component.set_label(label, version.as_str());
        Ok(())
    }

    fn chosen(self, owner: &Value, label: String) -> Result<ArchitectureVersion, InvalidArchitecture> {
        let Some(found) = owner.label(&label) else { return Ok(self.version) };
        let allowed: &[ArchitectureVersion] =
            if self.may_be_overridden { &ArchitectureVersion::ALL } else { std::slice::from_ref(&self.version) };
        if let Some(version) = allowed.iter().find(|version| version.as_str() == found) {
            return Ok(*version);
        }
        let names: Vec<&str> = allowed.iter().map(|version| version.as_str()).collect();
        Err(InvalidArchitecture { label, found: found.to_owned(), allowed: names.join(", ") })
    }
}

impl fmt::Display for ArchitectureVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
