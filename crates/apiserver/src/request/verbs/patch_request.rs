//! Patches in the body of a request (apiserver.md, 2.12).

use kubewright_middleware::status::{Details, Status};

use crate::api::PatchRequest;
use crate::status::StatusExt as _;

impl PatchRequest {
    /// Reads a patch by its `Content-Type`. `definition` is that of a built-in type; the types of custom resources do not carry enough information
    /// for a strategic merge.
    pub(in crate::request) fn parse(content_type: &str, body: &[u8], definition: Option<&'static str>) -> Result<Self, Status> {
        match (content_type.split(';').next().unwrap_or_default().trim(), definition) {
            ("application/json-patch+json", _) => Ok(Self::json(body)),
            ("application/merge-patch+json", _) => Ok(Self::merge(body)),
            ("application/strategic-merge-patch+json", Some(definition)) => Ok(Self::strategic_of(definition, body)),
            (_, Some(_)) => Err(Status::unsupported_media_type("415: Unsupported Media Type").with_details(Details::default())),
            (_, None) => Err(Status::unsupported_media_type(
                "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
            )),
        }
    }
}
