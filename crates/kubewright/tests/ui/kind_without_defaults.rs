use kubewright::k8s_openapi::api::core::v1::ConfigMap;
use kubewright::prelude::*;

struct Maps;

#[reconciler(kind = ConfigMap, defaults)]
impl Maps {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<ConfigMap>, _: &ConfigMap) -> Flow {
        Ok(())
    }
}

fn main() {}
