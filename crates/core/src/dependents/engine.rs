//! The part of the input that is the same for all passes of a component.

use kubewright_machinery::object::{GroupVersionKind, ObjectKey};

use super::{ManagedType, Projection, ProjectionContext};
use crate::finalizer::FinalizerName;
use crate::manifest::{MissingNamespacesPolicy, OwnerId};

/// Whose dependents these are, and how they are marked.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Operator, field manager and readiness rules.
    pub context: ProjectionContext,
    /// The owner: the component.
    pub owner: OwnerId,
    /// The finalizer that keeps types in place while they have instances.
    pub finalizer: FinalizerName,
    /// Further managed types that the component declares.
    pub additional_managed_types: Vec<ManagedType>,
    /// What happens when a namespace is missing.
    pub missing_namespaces: MissingNamespacesPolicy,
}

impl Engine {
    /// An engine with the name of the component type as finalizer and no further managed types.
    pub fn new(context: ProjectionContext, owner: OwnerId) -> Self {
        Self {
            finalizer: FinalizerName::from(&context.operator),
            context,
            owner,
            additional_managed_types: Vec::new(),
            missing_namespaces: MissingNamespacesPolicy::default(),
        }
    }

    /// Whether a live object carries our marks.
    pub(super) fn owns(&self, live: &Projection) -> bool {
        live.is_owned_by(self.owner.hash())
    }

    /// How messages name an object.
    pub(super) fn title(gvk: &GroupVersionKind, key: &ObjectKey) -> String {
        gvk.title(&key.namespace, &key.name).to_string()
    }
}

/// Whether objects of this kind are types: they get our finalizer.
pub(super) fn is_type(key: &ObjectKey) -> bool {
    is_definition(key) || is_api_service(key)
}

pub(super) fn is_definition(key: &ObjectKey) -> bool {
    key.is("apiextensions.k8s.io", "CustomResourceDefinition")
}

pub(super) fn is_api_service(key: &ObjectKey) -> bool {
    key.is("apiregistration.k8s.io", "APIService")
}

pub(super) fn is_namespace(key: &ObjectKey) -> bool {
    key.is("", "Namespace")
}
