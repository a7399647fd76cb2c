//! What the client wants to read: encoding and shape (NEG-1 to NEG-5).

use http::{HeaderMap, header};

use super::query::Query;
use crate::{proto, status::Status, tables::IncludeObject};

/// The encoding of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
    /// Protobuf, for built-in kinds.
    Protobuf,
}

/// What is shown of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Shape {
    /// The whole object.
    #[default]
    Whole,
    /// Its metadata.
    Metadata,
    /// The metadata of a list.
    MetadataList,
    /// A row of a table, with this much of the object beside it.
    Table(IncludeObject),
}

/// Encoding and shape of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Representation {
    /// The encoding.
    pub(crate) format: Format,
    /// The shape.
    pub(crate) shape: Shape,
    /// The version of meta.k8s.io in which shapes other than the whole are printed.
    pub(crate) meta: MetaVersion,
}

/// Versions of meta.k8s.io; they differ in name only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum MetaVersion {
    /// `v1`.
    #[default]
    V1,
    /// `v1beta1`, which old clients ask for.
    V1Beta1,
}

impl MetaVersion {
    /// The name of the version.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }
}

impl Format {
    /// The media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => proto::MEDIA_TYPE,
        }
    }
}

impl Representation {
    /// The `Content-Type` of an answer.
    pub(crate) fn content_type(self) -> &'static str {
        self.format.media_type()
    }

    /// The `Content-Type` of a watch.
    pub(crate) fn stream_type(self) -> &'static str {
        if self.format == Format::Protobuf { proto::STREAM_TYPE } else { self.content_type() }
    }
}

/// Finds the first acceptable representation (NEG-5). Custom resources have no protobuf form, and neither have tables.
pub(crate) fn negotiate(headers: &HeaderMap, query: &Query, custom: bool) -> Result<Representation, Status> {
    let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>().join(",");
    if accept.trim().is_empty() {
        return Ok(Representation::default());
    }
    let mut converts = false;
    for entry in accept.split(',') {
        let mut parts = entry.split(';').map(str::trim);
        let Some(format) = parts.next().and_then(format_of).filter(|format| !custom || *format != Format::Protobuf) else {
            continue;
        };
        let parameters: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
        let parameter = |name: &str| parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value);
        let Some(target) = parameter("as") else { return Ok(Representation { format, ..Representation::default() }) };
        converts = true;
        let meta = match (parameter("g"), parameter("v")) {
            (Some("meta.k8s.io"), Some("v1")) => MetaVersion::V1,
            (Some("meta.k8s.io"), Some("v1beta1")) => MetaVersion::V1Beta1,
            _ => continue,
        };
        let shape = match target {
            "PartialObjectMetadata" => Shape::Metadata,
            "PartialObjectMetadataList" => Shape::MetadataList,
            "Table" if format != Format::Protobuf => Shape::Table(include(query)?),
            _ => continue,
        };
        return Ok(Representation { format, shape, meta });
    }
    let accepted = if custom {
        "application/json, application/yaml"
    } else {
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    };
    Err(if converts {
        Status::not_acceptable(format!("only the following media types are accepted: {accepted}"))
    } else {
        Status::not_acceptable(format!("406: Not Acceptable\n\nAvailable representations: {accepted}"))
            .with_details(crate::status::Details::default())
    })
}

/// Whether protobuf, of whatever the object is, is the only thing that the client reads.
pub(crate) fn reads_protobuf_alone(headers: &HeaderMap) -> bool {
    let mut accepted = headers.get_all(header::ACCEPT).iter().peekable();
    accepted.peek().is_some() && accepted.all(|accepted| accepted == proto::MEDIA_TYPE)
}

/// Whether discovery is to be aggregated: the first form in `Accept` that the server has (DISC-5).
pub(crate) fn discovery(headers: &HeaderMap) -> Result<bool, Status> {
    let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect::<Vec<_>>().join(",");
    if accept.trim().is_empty() {
        return Ok(false);
    }
    for entry in accept.split(',') {
        let parts: Vec<_> = entry.split(';').map(str::trim).collect();
        // Discovery is not offered as protobuf.
        if format_of(parts[0]).is_none_or(|format| format == Format::Protobuf) {
            continue;
        }
        if !parts.iter().any(|part| part.starts_with("as=")) {
            return Ok(false);
        }
        if ["g=apidiscovery.k8s.io", "v=v2", "as=APIGroupDiscoveryList"].iter().all(|wanted| parts.contains(wanted)) {
            return Ok(true);
        }
    }
    Err(Status::not_acceptable(
        "only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf",
    ))
}

fn format_of(media_type: &str) -> Option<Format> {
    match media_type {
        "application/json" | "*/*" | "application/*" => Some(Format::Json),
        "application/yaml" => Some(Format::Yaml),
        proto::MEDIA_TYPE => Some(Format::Protobuf),
        _ => None,
    }
}

fn include(query: &Query) -> Result<IncludeObject, Status> {
    IncludeObject::parse(query.get("includeObject").unwrap_or_default()).map_err(|error| Status::bad_request(error.to_string()))
}
