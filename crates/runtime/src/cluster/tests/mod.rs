//! Tests of clusters against a server in memory.

mod confidential;
mod discovery;
mod errors;
mod fence;
mod http_metrics;
mod impersonation;
mod limits;
mod media_types;
mod own_writes;
mod repeat;
mod request_data;
mod request_retries;

use kubewright_machinery::object::GroupVersionKind;

use super::{ApiRequest, ApiResource};

fn config_maps() -> ApiResource {
    ApiResource::known(&GroupVersionKind::new("", "v1", "ConfigMap"), "configmaps", true)
}

fn list() -> ApiRequest {
    ApiRequest::list(&config_maps(), None)
}
