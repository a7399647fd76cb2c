use kube::CustomResourceExt;
use kube::core::object::HasStatus;
use kubewright_runtime::kind::KnownKind;

use crate::status::{OwnerStatus, StatusForm, StatusPart};

/// The owner of a contract: a custom resource whose status is an [`OwnerStatus`]. The trait is implemented for every such kind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the owner of a contract",
    note = "declare its status as `OwnerStatus<Published>`, with the part that its components publish"
)]
pub trait ContractOwner: KnownKind + CustomResourceExt {
    /// The part of the status that components publish.
    type Published: StatusPart;
    /// The names of the fields in the common part of the status.
    type Form: StatusForm;
}

impl<K, P, F> ContractOwner for K
where
    K: KnownKind + CustomResourceExt + HasStatus<Status = OwnerStatus<P, F>>,
    P: StatusPart,
    F: StatusForm,
{
    type Published = P;
    type Form = F;
}
