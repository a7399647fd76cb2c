//! Outcomes that are dropped, under the lint that the workspace denies (HALT-8, RES-04).

#![deny(unused_must_use)]

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
        check(map);
        Wait::for_event("Later");
        Ok(())
    }
}

fn check(map: &ConfigMap) -> Flow {
    if map.data.is_none() { Blocked::new("Empty", "the map is empty").into() } else { Ok(()) }
}

fn main() {}
