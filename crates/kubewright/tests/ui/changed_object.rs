use kubewright::k8s_openapi::api::core::v1::Service;
use kubewright::prelude::*;

struct Services;

#[reconciler(kind = Service)]
impl Services {
    #[inject]
    fn new() -> Self {
        Self
    }

    async fn reconcile(&self, _: &Context<Service>, object: &Service) -> Flow {
        object.spec = None;
        Ok(())
    }
}

fn main() {}
