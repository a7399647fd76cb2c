//! The part of the input that is the same for all passes of a component.

use kubewright_machinery::object::{GroupVersionKind, ObjectKey};

use super::{ManagedTypePattern, Projection, ProjectionContext};
use crate::finalizer::FinalizerName;
use crate::manifest::{MissingNamespacesPolicy, OwnerId};

/// The owner of the dependents, and the marks that they get.
#[derive(Clone, Debug)]
pub struct Engine {
    /// The operator, the field manager and the readiness rules.
    pub context: ProjectionContext,
    /// The owner: the component.
    pub owner: OwnerId,
    /// The finalizer that keeps types in place while they have instances.
    pub finalizer: FinalizerName,
    /// The further managed types that the component declares.
    pub additional_managed_types: Vec<ManagedTypePattern>,
    /// The policy for missing namespaces.
    pub missing_namespaces: MissingNamespacesPolicy,
}

impl Engine {
    /// Creates an engine with the name of the component type as finalizer and no further managed types.
    pub fn new(context: ProjectionContext, owner: OwnerId) -> Self {
        Self {
            finalizer: FinalizerName::from(&context.operator),
            context,
            owner,
            additional_managed_types: Vec::new(),
            missing_namespaces: MissingNamespacesPolicy::default(),
        }
    }

    /// Returns true if a live object carries our marks.
    pub(super) fn owns(&self, live: &Projection) -> bool {
        live.is_owned_by(self.owner.hash())
    }

    /// Returns the name of an object in messages.
    pub(super) fn title(gvk: &GroupVersionKind, key: &ObjectKey) -> String {
        gvk.title(&key.namespace, &key.name).to_string()
    }
}

/// Returns true if objects of this kind are types, which get our finalizer.
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
