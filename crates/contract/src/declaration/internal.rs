use kube::CustomResourceExt;
use kubewright_runtime::definition::custom_resource_definition;
use kubewright_runtime::kind::KnownKind;
use serde_json::Value;

use super::NoInternal;

/// The internal configuration of a contract: settings of the operator for an owner, in a resource with the owner's name and namespace. The trait
/// is implemented for every custom resource; [`NoInternal`] is the type for a contract without internal configuration.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the internal configuration of a contract",
    note = "use a kind that derives `CustomResource`, or `NoInternal` for a contract without internal configuration"
)]
pub trait ContractInternal: KnownKind {
    /// True if there are such objects.
    const EXISTS: bool;

    /// Returns the definition of the kind.
    fn definition() -> Option<Value>;
}

impl<K: KnownKind + CustomResourceExt> ContractInternal for K {
    const EXISTS: bool = true;

    fn definition() -> Option<Value> {
        custom_resource_definition::<K>().ok()
    }
}

impl ContractInternal for NoInternal {
    const EXISTS: bool = false;

    fn definition() -> Option<Value> {
        None
    }
}
