//! The policies for the adoption, the update and the removal of dependents.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::defaults;

macro_rules! policy {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $kebab:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// The values as annotations spell them.
            pub const ALLOWED: &'static [&'static str] = &[$($kebab),+];

            /// The value as annotations spell it.
            pub const fn as_kebab(self) -> &'static str {
                match self { $(Self::$variant => $kebab,)+ }
            }

            /// The value as JSON spells it.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)+ }
            }

            /// Reads the value as annotations spell it.
            pub fn from_kebab(text: &str) -> Option<Self> {
                match text { $($kebab => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

policy! {
    /// What happens with an object that exists already and is not ours (OWN-1).
    AdoptionPolicy {
        /// It is left alone, which is an error.
        Never = "never",
        /// It is adopted if it has no owner.
        #[default]
        IfUnowned = "if-unowned",
        /// It is adopted, whoever owned it.
        Always = "always",
    }
}

policy! {
    /// What makes an object differ from what was applied (DIG-1).
    ReconcilePolicy {
        /// A change of its manifest.
        #[default]
        OnObjectChange = "on-object-change",
        /// A change of its manifest or of the component.
        OnObjectOrComponentChange = "on-object-or-component-change",
        /// Nothing: it is written once.
        Once = "once",
    }
}

policy! {
    /// How a changed object is written.
    UpdatePolicy {
        /// PUT of the whole object.
        #[default]
        Replace = "replace",
        /// Server-side apply; fields of others stay.
        SsaMerge = "ssa-merge",
        /// Server-side apply after taking over the fields of reclaimed managers.
        SsaOverride = "ssa-override",
        /// Delete and create.
        Recreate = "recreate",
    }
}

policy! {
    /// What happens with an object that is no longer wanted.
    DeletePolicy {
        /// It is deleted.
        #[default]
        Delete = "delete",
        /// It is left in the cluster without our marks.
        Orphan = "orphan",
        /// It is orphaned when it leaves the manifests, deleted with the component.
        OrphanOnApply = "orphan-on-apply",
        /// It is deleted when it leaves the manifests, orphaned with the component.
        OrphanOnDelete = "orphan-on-delete",
    }
}

policy! {
    /// What happens when the namespace of a dependent does not exist (NS-1).
    MissingNamespacesPolicy {
        /// The component waits.
        DoNotCreate = "do-not-create",
        /// It is created, and stays when the component goes.
        #[default]
        Create = "create",
    }
}

impl UpdatePolicy {
    /// Returns true if objects are written by server-side apply.
    pub const fn is_apply(self) -> bool {
        matches!(self, Self::SsaMerge | Self::SsaOverride)
    }
}

impl DeletePolicy {
    /// Returns true if an object that left the manifests is orphaned.
    pub const fn orphans_redundant(self) -> bool {
        matches!(self, Self::Orphan | Self::OrphanOnApply)
    }

    /// Returns true if the object is orphaned when the component is deleted.
    pub const fn orphans_on_deletion(self) -> bool {
        matches!(self, Self::Orphan | Self::OrphanOnDelete)
    }
}

/// The policies for dependents whose annotations do not set them (COM-7).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DependentPolicies {
    /// The policy for objects that exist already and are not ours.
    pub adoption: AdoptionPolicy,
    /// The policy for writing changed objects.
    pub update: UpdatePolicy,
    /// The policy for objects that are no longer wanted.
    pub delete: DeletePolicy,
    /// The policy for missing namespaces.
    pub missing_namespaces: MissingNamespacesPolicy,
    /// The interval at which an unchanged object is checked against what was sent; never zero.
    pub reapply_interval: Duration,
}

impl Default for DependentPolicies {
    fn default() -> Self {
        Self {
            adoption: AdoptionPolicy::default(),
            update: UpdatePolicy::default(),
            delete: DeletePolicy::default(),
            missing_namespaces: MissingNamespacesPolicy::default(),
            reapply_interval: defaults::REAPPLY_INTERVAL,
        }
    }
}

/// Policies as a component or an operator sets them: each may be left open.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PolicySettings {
    /// What happens with objects that exist already and are not ours.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adoption_policy: Option<AdoptionPolicy>,
    /// How changed objects are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update_policy: Option<UpdatePolicy>,
    /// What happens with objects that are no longer wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete_policy: Option<DeletePolicy>,
    /// What happens when the namespace of an object does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing_namespaces_policy: Option<MissingNamespacesPolicy>,
}

impl PolicySettings {
    /// Returns the policies that these settings specify, and those of `fallback` for the others.
    pub fn over(&self, fallback: &DependentPolicies) -> DependentPolicies {
        DependentPolicies {
            adoption: self.adoption_policy.unwrap_or(fallback.adoption),
            update: self.update_policy.unwrap_or(fallback.update),
            delete: self.delete_policy.unwrap_or(fallback.delete),
            missing_namespaces: self.missing_namespaces_policy.unwrap_or(fallback.missing_namespaces),
            reapply_interval: fallback.reapply_interval,
        }
    }
}
