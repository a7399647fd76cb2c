//! The wire format of a contract: the keys, names and texts that its objects carry.

use kubewright_machinery::object::OwnerLabels;

use super::{ComponentType, Revision};
use crate::finalizer::{FinalizerForm, FinalizerName, InvalidFinalizerName};
use crate::flow::Reason;
use crate::reason;

/// The longest owner name, limited so that it fits into a label (CT-1).
const MAX_OWNER_NAME: usize = 63;
/// The longest owner name under the preset `openmcp`, as its resource definition limits it.
const MAX_OPENMCP_OWNER_NAME: usize = 36;
/// The domain of the preset `openmcp`.
const OPENMCP: &str = "openmcp.cloud";

/// The label of a component's architecture under the preset `openmcp`.
const OPENMCP_ARCHITECTURE: &str = "architecture.openmcp.cloud/version";
/// The labels of a namespace that the preset `openmcp` copies.
const OPENMCP_NAMESPACE_LABELS: [(&str, &str); 2] = [
    ("core.openmcp.cloud/project", "openmcp.cloud/mcp-project"),
    ("core.openmcp.cloud/workspace", "openmcp.cloud/mcp-workspace"),
];

/// The keys, names and texts of a contract: those of its domain, or those of a preset (flow-and-contract.md, 13.13).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    domain: String,
    annotations: ContractAnnotationKeys,
    labels: ContractLabels,
    finalizers: ContractFinalizers,
    generations: GenerationFields,
    summary: SummaryCondition,
    provenance_reason: Reason,
    revision: Revision,
    writes_applied: bool,
    writes_framework_conditions: bool,
    writes_condition_generations: bool,
    max_owner_name: usize,
    architecture: Option<&'static str>,
    /// The labels of a namespace that are copied to the owner and its components there, each with the key of the copy.
    namespace_labels: &'static [(&'static str, &'static str)],
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ContractAnnotationKeys {
    operation: String,
    requested_at: String,
    disabled: String,
    force: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ContractLabels {
    owner: OwnerLabels,
    component: Option<String>,
    managed_by: Option<String>,
    owner_generation: String,
    internal_generation: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ContractFinalizers {
    own: FinalizerForm,
    legacy: Option<FinalizerForm>,
    /// The prefix of the owner's finalizer, whose name is `<prefix>.<t>.<domain>`; without a prefix it has the form of the components' finalizers.
    owner_prefix: Option<&'static str>,
}

/// The names of the status fields that hold seen and applied generations of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GenerationFields {
    /// The generation of the component.
    pub resource: &'static str,
    /// The generation of the owner.
    pub owner: &'static str,
    /// The generation of the internal configuration.
    pub internal: &'static str,
}

impl GenerationFields {
    /// The names in the standard format.
    pub const STANDARD: Self = Self { resource: "resource", owner: "owner", internal: "internal" };
    /// The names in the format of the openmcp mcp-operator.
    pub const OPENMCP: Self = Self { resource: "resource", owner: "managedControlPlane", internal: "internalConfiguration" };
}

/// The summary condition of the owner: it summarises the conditions `<T>Reconciliation` of its components, with the texts given here (AGG-6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SummaryCondition {
    /// The type of the condition.
    pub type_: &'static str,
    /// The line before the list of components that failed; empty for none.
    pub(super) heading: &'static str,
    /// The characters before each component that failed.
    pub(super) indent: &'static str,
    /// True if the message of a True summary lists the messages of the components.
    pub(super) tells_success: bool,
}

impl Format {
    /// Creates the format of a domain, a DNS subdomain.
    pub fn standard(domain: impl Into<String>) -> Result<Self, InvalidFinalizerName> {
        let domain = domain.into();
        FinalizerName::own(&domain, "owner")?;
        let key = |name: &str| format!("{domain}/{name}");
        Ok(Self {
            annotations: annotations(&domain),
            labels: ContractLabels {
                owner: OwnerLabels::of_domain(&domain),
                component: Some(key("component")),
                managed_by: Some(key("managed-by")),
                owner_generation: key("owner-generation"),
                internal_generation: key("internal-generation"),
            },
            finalizers: ContractFinalizers { own: FinalizerForm::DomainSlashKind, legacy: None, owner_prefix: None },
            generations: GenerationFields::STANDARD,
            summary: SummaryCondition { type_: "ComponentsSuccessful", heading: "", indent: "", tells_success: false },
            provenance_reason: reason!("InvalidProvenanceLabels"),
            revision: Revision::ReadyOnly,
            writes_applied: true,
            writes_framework_conditions: true,
            writes_condition_generations: true,
            max_owner_name: MAX_OWNER_NAME,
            architecture: None,
            namespace_labels: &[],
            domain,
        })
    }

    /// Creates the format of the openmcp mcp-operator (flow-and-contract.md, 13.13).
    pub fn openmcp() -> Self {
        let key = |name: &str| format!("{OPENMCP}/{name}");
        Self {
            domain: OPENMCP.to_owned(),
            annotations: annotations(OPENMCP),
            labels: ContractLabels {
                owner: OwnerLabels { kind: None, namespace: key("mcp-namespace"), name: key("mcp-name") },
                component: None,
                managed_by: None,
                owner_generation: key("mcp-generation"),
                internal_generation: key("ic-generation"),
            },
            finalizers: ContractFinalizers {
                own: FinalizerForm::KindDotDomain,
                legacy: Some(FinalizerForm::DomainDotKind),
                owner_prefix: Some("finalizer"),
            },
            generations: GenerationFields::OPENMCP,
            summary: SummaryCondition {
                type_: "MCPSuccessful",
                heading: "The following components could not be reconciled successfully:\n",
                indent: "\t",
                tells_success: true,
            },
            provenance_reason: reason!("InvalidManagedControlPlaneLabels"),
            revision: Revision::SameRevision,
            writes_applied: false,
            writes_framework_conditions: false,
            writes_condition_generations: false,
            max_owner_name: MAX_OPENMCP_OWNER_NAME,
            architecture: Some(OPENMCP_ARCHITECTURE),
            namespace_labels: &OPENMCP_NAMESPACE_LABELS,
        }
    }

    /// Sets the form of own finalizers. With a compat form the other compat form becomes a legacy name (FZ-8).
    #[must_use]
    pub fn finalizer_form(mut self, form: FinalizerForm) -> Self {
        self.finalizers.own = form;
        self.finalizers.legacy = match form {
            FinalizerForm::DomainSlashKind => None,
            FinalizerForm::KindDotDomain => Some(FinalizerForm::DomainDotKind),
            FinalizerForm::DomainDotKind => Some(FinalizerForm::KindDotDomain),
        };
        self
    }

    /// Sets the revision that is required of dependencies without one of their own.
    #[must_use]
    pub fn with_revision(mut self, revision: Revision) -> Self {
        self.revision = revision;
        self
    }

    /// Sets the longest name of an owner, in characters; at most 63.
    #[must_use]
    pub fn with_max_owner_name(mut self, characters: usize) -> Self {
        self.max_owner_name = characters.min(MAX_OWNER_NAME);
        self
    }

    /// Returns the domain of all keys.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// Returns the annotation that requests operations: `<domain>/operation`.
    pub fn operation(&self) -> &str {
        &self.annotations.operation
    }

    /// Returns the annotation that holds a token of a requested pass: `<domain>/requested-at` (OPA-6).
    pub fn requested_at(&self) -> &str {
        &self.annotations.requested_at
    }

    /// Returns the annotation that marks disabled components: `<domain>/disabled` (OPA-7).
    pub fn disabled(&self) -> &str {
        &self.annotations.disabled
    }

    /// Returns the annotation with which a user forces the release of a component that is being deleted: `<domain>/force-finalize` (FZ-13).
    pub fn force(&self) -> &str {
        &self.annotations.force
    }

    /// Returns the labels that name the owner.
    pub const fn owner_labels(&self) -> &OwnerLabels {
        &self.labels.owner
    }

    /// Returns the label of the component's type, in formats that have one.
    pub fn component(&self) -> Option<&str> {
        self.labels.component.as_deref()
    }

    /// Returns the label of the owner loop's controller name, in formats that have one.
    pub fn managed_by(&self) -> Option<&str> {
        self.labels.managed_by.as_deref()
    }

    /// Returns the label of the owner's generation.
    pub fn owner_generation(&self) -> &str {
        &self.labels.owner_generation
    }

    /// Returns the label of the internal configuration's generation.
    pub fn internal_generation(&self) -> &str {
        &self.labels.internal_generation
    }

    /// Returns the names of the fields of seen and applied generations.
    pub const fn generations(&self) -> GenerationFields {
        self.generations
    }

    /// Returns the summary condition of the owner.
    pub const fn summary(&self) -> SummaryCondition {
        self.summary
    }

    /// Returns the reason of failures caused by invalid provenance labels.
    pub const fn provenance_reason(&self) -> &Reason {
        &self.provenance_reason
    }

    /// Returns the revision that is required of dependencies without one of their own.
    pub const fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns true if a component has `appliedGenerations`. Without them its readiness is judged by `observedGenerations`.
    pub const fn writes_applied(&self) -> bool {
        self.writes_applied
    }

    /// Returns true if components and the owner have the conditions `Ready` and `Stalled`, and components also `Paused` and `Waiting`.
    pub const fn writes_framework_conditions(&self) -> bool {
        self.writes_framework_conditions
    }

    /// Returns the `observedGeneration` of a condition of an object of this generation. None in formats whose conditions have no such field: their
    /// definitions drop it, so that each pass would write it again.
    pub const fn condition_generation(&self, generation: i64) -> Option<i64> {
        if self.writes_condition_generations { Some(generation) } else { None }
    }

    /// Returns true if the status of a component holds the last token of a requested pass (OPA-6).
    pub const fn writes_handled_request(&self) -> bool {
        self.writes_applied
    }

    /// Returns the longest name of an owner, in characters (CT-1).
    pub const fn max_owner_name(&self) -> usize {
        self.max_owner_name
    }

    /// Returns the label of a component's architecture, in formats that have one. Prefixed with `<t>.`, it is the label with which an owner chooses
    /// the version.
    pub const fn architecture(&self) -> Option<&'static str> {
        self.architecture
    }

    /// Returns the labels of a namespace that are copied to the owner and its components there, each with the key of the copy.
    pub const fn namespace_labels(&self) -> &'static [(&'static str, &'static str)] {
        self.namespace_labels
    }

    /// Returns the name under which an internal condition is written. In formats without the framework's own conditions it begins with a lower-case
    /// letter, so that owners do not export it.
    pub fn internal_condition(&self, type_: &str) -> String {
        if self.writes_framework_conditions {
            return type_.to_owned();
        }
        let mut characters = type_.chars();
        characters.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(characters).collect()
    }

    /// Returns the own finalizer of a component.
    pub fn own_finalizer(&self, type_: ComponentType) -> Result<FinalizerName, InvalidFinalizerName> {
        FinalizerName::in_form(self.finalizers.own, &self.domain, type_.as_str())
    }

    /// Returns the former name of the own finalizer of a component, in formats that have one.
    pub fn legacy_finalizer(&self, type_: ComponentType) -> Result<Option<FinalizerName>, InvalidFinalizerName> {
        self.finalizers.legacy.map(|form| FinalizerName::in_form(form, &self.domain, type_.as_str())).transpose()
    }

    /// Returns the finalizer that a depending component of this type puts on its dependencies.
    pub fn dependency_finalizer(&self, depending: ComponentType) -> Result<FinalizerName, InvalidFinalizerName> {
        FinalizerName::dependency(&self.domain, depending.as_str(), None)
    }

    /// Returns the finalizer of an owner of this kind.
    pub fn owner_finalizer(&self, kind: &str) -> Result<FinalizerName, InvalidFinalizerName> {
        match self.finalizers.owner_prefix {
            Some(prefix) => FinalizerName::unqualified(format!("{prefix}.{}.{}", kind.to_ascii_lowercase(), self.domain)),
            None => FinalizerName::in_form(self.finalizers.own, &self.domain, kind),
        }
    }
}

fn annotations(domain: &str) -> ContractAnnotationKeys {
    let key = |name: &str| format!("{domain}/{name}");
    ContractAnnotationKeys {
        operation: key("operation"),
        requested_at: key("requested-at"),
        disabled: key("disabled"),
        force: key("force-finalize"),
    }
}
