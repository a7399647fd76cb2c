//! Kinds that are known at compile time.

use std::any::TypeId;
use std::fmt::Debug;

use k8s_openapi::ClusterResourceScope;
use kube::Resource;
use kubewright_machinery::object::GroupVersionKind;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A kind that is known at compile time: one of Kubernetes, or one that `#[derive(CustomResource)]` made. Every such type has it.
pub trait KnownKind:
    Resource<DynamicType = (), Scope: 'static> + Serialize + DeserializeOwned + Clone + Debug + Send + Sync + 'static
{
    /// Group, version and kind.
    fn gvk() -> GroupVersionKind {
        GroupVersionKind::new(Self::group(&()), Self::version(&()), Self::kind(&()))
    }

    /// Whether its objects lie in namespaces.
    fn is_namespaced() -> bool {
        TypeId::of::<Self::Scope>() != TypeId::of::<ClusterResourceScope>()
    }
}

impl<K> KnownKind for K where
    K: Resource<DynamicType = (), Scope: 'static> + Serialize + DeserializeOwned + Clone + Debug + Send + Sync + 'static
{
}
