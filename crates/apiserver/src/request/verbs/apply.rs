//! Apply patches: reading them and answering them.

use kubewright_machinery::object::{GroupVersionKind, json_type};
use kubewright_middleware::Status;
use kubewright_middleware::target::Query;
use kubewright_schema::FieldError;

use super::options;
use super::resource::Call;
use crate::api::warnings::Warnings;
use crate::api::{ApplyRequest, Update, WriteContext};
use crate::model::Endpoint;
use crate::request::service::Outgoing;
use crate::request::wire::decode::{self, BodyType};
use crate::status::StatusExt as _;

/// Returns true for the `Content-Type` of an apply patch.
pub(in crate::request) fn is_apply(content_type: &str) -> bool {
    content_type.split(';').next().unwrap_or_default().trim() == "application/apply-patch+yaml"
}

impl ApplyRequest {
    /// Reads an apply patch and its options.
    pub(in crate::request) fn read(
        query: &Query,
        body: &[u8],
        expected: &GroupVersionKind,
        context: &mut WriteContext<'_>,
    ) -> Result<Self, Status> {
        if query.get("fieldManager").is_none() {
            let error = FieldError::required("fieldManager", "is required for apply patch");
            return Err(Status::invalid("meta.k8s.io", "PatchOptions", "", &[error]));
        }
        let undecodable = |problem: &str| Status::bad_request(format!("error decoding YAML: {problem}"));
        let object = decode::document(body, BodyType::Yaml, expected, context)
            .map_err(|problem| undecodable(&format!("error converting YAML to JSON: {problem}")))?;
        if !object.is_object() && !object.is_null() {
            return Err(undecodable(&format!(
                "error unmarshaling JSON: while decoding JSON: json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                json_type(&object)
            )));
        }
        Ok(Self::new(object, query.is_set("force")))
    }
}

/// Answers an apply patch of an object, or of a subresource that takes the whole object. A missing object is created.
pub(in crate::request) async fn answer(
    call: &Call<'_>,
    endpoint: Endpoint<'_>,
    warnings: &mut Warnings,
) -> Result<Outgoing, Status> {
    let mut context = options::write_context(call.incoming, "PatchOptions")?;
    let (kind, name) = (call.kind(), call.name());
    let expected = GroupVersionKind::new(&kind.group, &kind.version, &kind.kind);
    let applied = ApplyRequest::read(&call.incoming.query, &call.incoming.body, &expected, &mut context)?;
    let create_when_missing = endpoint == Endpoint::Main;
    let update = Update { kind, endpoint, name: &name, is_patch: true, create_when_missing };
    let outcome = call.state.api.apply(&mut context, update, &applied).await;
    warnings.append(&mut context.warnings);
    call.written(&outcome?)
}
