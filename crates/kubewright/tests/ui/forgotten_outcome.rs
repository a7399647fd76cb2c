use kubewright::k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;

struct Maps;

#[reconciler(kind = ConfigMap)]
impl Maps {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<ConfigMap>, map: &ConfigMap) -> Flow {
        if map.data.is_none() {
            return Wait::for_event("Empty").into();
        }
    }
}

fn main() {}
