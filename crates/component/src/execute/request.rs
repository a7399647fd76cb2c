use kubewright_core::dependents::{ObjectAction, Refusal, Request};
use kubewright_machinery::object::Propagation;
use kubewright_runtime::cluster::{ApiError, ApiRequest, ApiResource, PatchKind};

/// Returns the request that carries out an action.
pub(super) fn request(action: &ObjectAction, resource: &ApiResource, manager: &str) -> ApiRequest {
    let (namespace, name) = (action.key.namespace.as_str(), action.key.name.as_str());
    let written = |request: ApiRequest| request.field_manager(manager).query("fieldValidation", "Warn");
    match &action.request {
        Request::Get => ApiRequest::get(resource, namespace, name),
        Request::Create(object) => written(ApiRequest::create(resource, object)),
        Request::Replace(object) => written(ApiRequest::update(resource, object)),
        Request::Apply { body, force } => {
            let apply = written(ApiRequest::patch(resource, namespace, name, PatchKind::Apply, body));
            if *force { apply.force() } else { apply }
        }
        Request::DryRun(body) => written(ApiRequest::patch(resource, namespace, name, PatchKind::Apply, body)).force().dry_run(),
        Request::MergePatch(patch) => written(ApiRequest::patch(resource, namespace, name, PatchKind::Merge, patch)),
        Request::JsonPatch(patch) => written(ApiRequest::patch(resource, namespace, name, PatchKind::Json, patch)),
        Request::Delete { uid, resource_version } => {
            ApiRequest::delete_exactly(resource, (namespace, name), (uid, Some(resource_version)), Propagation::Background)
        }
        // The enum may grow: a request that this executor does not know becomes a GET, which changes nothing.
        _ => ApiRequest::get(resource, namespace, name),
    }
}

/// Converts a failed request to the engine's refusal.
pub(crate) fn refusal_of(error: &ApiError) -> Refusal {
    match (error.status(), error) {
        (Some(status), _) => Refusal::from(status),
        (None, ApiError::NotServed { .. }) => Refusal::unknown_type(error.to_string()),
        (None, error) if error.is_transient() => Refusal::unreachable(error.to_string()),
        // No request was sent, or no API server answered: a retry does not help until a user acts.
        (None, error) => Refusal { code: 400, message: error.to_string(), ..Refusal::default() },
    }
}
