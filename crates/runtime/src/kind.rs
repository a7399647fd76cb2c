//! Kinds that are known at compile time.

use std::any::TypeId;
use std::fmt::Debug;

use k8s_openapi::ClusterResourceScope;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;
use kubewright_core::names::{MissingMetadata, owner_reference};
use kubewright_machinery::object::GroupVersionKind;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

/// A kind that is known at compile time: one of Kubernetes, or one that `#[derive(CustomResource)]` made. Every such type implements this trait.
pub trait KnownKind:
    Resource<DynamicType = (), Scope: 'static> + Serialize + DeserializeOwned + Clone + Debug + Send + Sync + 'static
{
    /// Returns group, version and kind.
    fn gvk() -> GroupVersionKind {
        GroupVersionKind::new(Self::group(&()), Self::version(&()), Self::kind(&()))
    }

    /// Returns true if the objects of the kind are namespaced.
    fn is_namespaced() -> bool {
        TypeId::of::<Self::Scope>() != TypeId::of::<ClusterResourceScope>()
    }
}

impl<K> KnownKind for K where
    K: Resource<DynamicType = (), Scope: 'static> + Serialize + DeserializeOwned + Clone + Debug + Send + Sync + 'static
{
}

/// A kind that can fill in the fields that an object leaves out.
///
/// Defaults that the schema of the definition can express belong in that schema, so that the server sets them. A controller applies the others to its own
/// copy of the object with [`Controller::defaults`](crate::reconcile::Controller::defaults).
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no defaults",
    label = "needs `impl Defaulted for {Self}`",
    note = "`#[reconciler(defaults)]` calls `Defaulted::default_fields` on the copy of the object that the methods are given"
)]
pub trait Defaulted {
    /// Fills in the fields that the object leaves out. The result must depend only on the object, and a second call must change nothing.
    fn default_fields(&mut self);
}

/// Returns the owner reference to an object that controls its children, and whose foreground deletion waits for them. An object without UID is not stored, so
/// it cannot own anything, and is an error.
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
/// use kubewright_runtime::kind::owner_ref;
///
/// let mut parent = ConfigMap::default();
/// parent.metadata.name = Some("parent".to_owned());
/// assert!(owner_ref(&parent).unwrap_err().to_string().contains("it has no metadata.uid"));
/// parent.metadata.uid = Some("1".to_owned());
/// let reference = owner_ref(&parent).unwrap();
/// assert_eq!((&*reference.kind, reference.controller, reference.block_owner_deletion), ("ConfigMap", Some(true), Some(true)));
/// ```
pub fn owner_ref<K: KnownKind>(owner: &K) -> Result<OwnerReference, MissingMetadata> {
    let metadata = json!({ "name": owner.meta().name, "uid": owner.meta().uid });
    let reference =
        owner_reference(&json!({ "apiVersion": K::gvk().api_version(), "kind": K::kind(&()), "metadata": metadata }))?;
    let text = |field: &str| reference[field].as_str().unwrap_or_default().to_owned();
    Ok(OwnerReference {
        api_version: text("apiVersion"),
        kind: text("kind"),
        name: text("name"),
        uid: text("uid"),
        controller: Some(true),
        block_owner_deletion: Some(true),
    })
}
