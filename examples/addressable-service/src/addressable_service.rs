use k8s_openapi::api::core::v1::Service;
use kube::api::{Api, Patch, PatchParams};
use kubewright::machinery::object::Key;
use kubewright::prelude::*;

/// The condition that summarizes the others.
const READY: &str = "Ready";
/// The annotation on Services that names the object which reports their address.
const ANNOTATION: &str = "samples.knative.dev/addressed-by";

/// Tells the address of a Service.
#[derive(CustomResource, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[kube(
    group = "samples.knative.dev",
    version = "v1alpha1",
    kind = "AddressableService",
    namespaced,
    status = "AddressableServiceStatus"
)]
#[kube(derive = "Default")]
#[serde(rename_all = "camelCase")]
pub struct AddressableServiceSpec {
    /// The Service, in the same namespace.
    pub service_name: String,
}

/// What is known of the Service.
#[derive(ConditionSet, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct AddressableServiceStatus {
    /// The generation that the status is of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub observed_generation: Option<i64>,
    /// Whether the Service is there.
    pub conditions: Conditions,
    /// Where it is reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<Address>,
}

/// An address.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Address {
    /// The address itself.
    pub url: String,
}

/// The configuration, from the ConfigMap `config-addressing` in the namespace of the operator.
#[derive(FromConfigMap, Clone, Debug, PartialEq, Eq)]
#[config(name = "config-addressing", optional)]
pub struct Addressing {
    /// The domain of the cluster.
    #[config(key = "cluster-domain", default = "cluster.local")]
    pub domain: String,
    /// True if Services are annotated with the name of the object that reports their address.
    #[config(key = "announce", default = "false")]
    pub announce: bool,
}

/// The reconciler of addressable services.
#[derive(Debug)]
pub struct AddressableServices {
    services: Store<Service>,
    config: Config<Addressing>,
}

#[reconciler(kind = AddressableService, finalizer = "samples.knative.dev/addressable-service", finalizer_on = "demand")]
impl AddressableServices {
    /// Creates the reconciler. Its arguments are injected; a store as an argument starts the watch of its kind.
    #[inject]
    pub fn new(services: Store<Service>, config: Config<Addressing>) -> Self {
        Self { services, config }
    }

    async fn reconcile(
        &self,
        cx: &Context<AddressableService>,
        object: &AddressableService,
        status: &mut AddressableServiceStatus,
    ) -> Flow {
        let name = &object.spec.service_name;
        let key = Key::new(cx.key().namespace(), name);
        let is_there = cx.track_key(&self.services, &key)?.is_some();
        let config = self.config.snapshot();
        if config.announce {
            if is_there {
                // From here on, an annotation must be removed when the object is deleted.
                cx.hold().await?;
            }
            announce(cx, &self.services, Some(name)).await?;
        }
        if !is_there {
            let message = format!("Service {name:?} wasn't found.");
            status.conditions.mark_false(READY, "ServiceUnavailable", &message);
            return Wait::for_event("ServiceUnavailable").message(message).into();
        }
        status.address = Some(Address { url: format!("http://{name}.{}.svc.{}", cx.key().namespace(), config.domain) });
        status.conditions.mark_true(READY);
        Ok(())
    }

    async fn finalize(&self, cx: &Context<AddressableService>, _: &AddressableService) -> Flow {
        announce(cx, &self.services, None).await
    }
}

/// Annotates this Service with the name of the object, and removes the name from all others. Nothing is sent for a Service whose annotation is
/// as wanted.
async fn announce(cx: &Context<AddressableService>, services: &Store<Service>, on: Option<&String>) -> Flow {
    let api = Api::<Service>::namespaced(cx.client().clone(), cx.key().namespace());
    for service in services.list_in(cx.key().namespace()) {
        let is_wanted = on.is_some_and(|name| *name == service.name_any());
        let is_annotated = service.annotations().get(ANNOTATION).is_some_and(|by| by == cx.key().name());
        if is_wanted != is_annotated {
            let by = is_wanted.then_some(cx.key().name());
            let patch = json!({ "metadata": { "annotations": { ANNOTATION: by } } });
            api.patch(&service.name_any(), &PatchParams::default(), &Patch::Merge(patch)).await.ignore_not_found()?;
        }
    }
    Ok(())
}
