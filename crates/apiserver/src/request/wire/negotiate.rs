//! Content negotiation: encoding and shape of answers (NEG-1 to NEG-5).

use http::{HeaderMap, header};
use kubewright_middleware::Status;
use kubewright_middleware::target::Query;

use crate::kinds::KindSpec;
use crate::proto;
use crate::status::StatusExt as _;
use crate::tables::IncludeObject;

/// The media types that errors list.
const ACCEPTED: &str = "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// The two forms of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DiscoveryForm {
    /// All groups in one document.
    Aggregated,
    /// One document for each group and version, in this encoding.
    Plain(BodyFormat),
}

/// The encoding of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum BodyFormat {
    /// JSON.
    #[default]
    Json,
    /// YAML.
    Yaml,
    /// Protobuf, for built-in kinds.
    Protobuf,
}

/// The shape in which an object is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum AnswerShape {
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
    pub(crate) format: BodyFormat,
    /// The shape.
    pub(crate) shape: AnswerShape,
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
    /// Returns the name of the version.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V1Beta1 => "v1beta1",
        }
    }
}

impl BodyFormat {
    /// Returns the media type.
    pub(crate) fn media_type(self) -> &'static str {
        match self {
            Self::Json => "application/json",
            Self::Yaml => "application/yaml",
            Self::Protobuf => proto::MEDIA_TYPE,
        }
    }
}

impl Representation {
    /// Returns the `Content-Type` of an answer.
    pub(crate) fn content_type(self) -> &'static str {
        self.format.media_type()
    }

    /// Returns the `Content-Type` of a watch.
    pub(crate) fn stream_type(self) -> &'static str {
        if self.format == BodyFormat::Protobuf { proto::STREAM_TYPE } else { self.content_type() }
    }
}

/// One entry of `Accept`.
struct Clause<'a> {
    media_type: &'a str,
    parameters: Vec<(&'a str, &'a str)>,
    quality: f32,
}

impl<'a> Clause<'a> {
    fn parse(entry: &'a str) -> Self {
        let mut parts = entry.split(';').map(str::trim);
        let media_type = parts.next().unwrap_or_default();
        let parameters: Vec<_> = parts.filter_map(|part| part.split_once('=')).collect();
        let quality = parameters.iter().find(|(name, _)| *name == "q").map_or(1.0, |(_, value)| value.parse().unwrap_or(0.0));
        Self { media_type, parameters, quality }
    }

    fn parameter(&self, name: &str) -> Option<&'a str> {
        self.parameters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
    }

    /// Returns the number of wildcards; entries with fewer of them are preferred.
    fn vagueness(&self) -> usize {
        self.media_type.matches('*').count()
    }
}

/// Returns the `Accept` header, or `None` if it is absent or empty.
fn accept(headers: &HeaderMap) -> Option<String> {
    let mut values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let mut accept = values.next()?.to_owned();
    for value in values {
        accept.push(',');
        accept.push_str(value);
    }
    (!accept.trim().is_empty()).then_some(accept)
}

/// Returns the entries, best first.
fn clauses(accept: &str) -> Vec<Clause<'_>> {
    let mut clauses: Vec<_> = accept.split(',').map(Clause::parse).collect();
    clauses.sort_by(|left, right| right.quality.total_cmp(&left.quality).then(left.vagueness().cmp(&right.vagueness())));
    clauses
}

/// The kind of answer that a request may get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Offer {
    /// Set for a stream of events.
    pub(crate) is_watch: bool,
    /// Set for an answer that can be printed as a table. Reviews, bindings, evictions and token requests cannot.
    pub(crate) has_tables: bool,
}

/// Returns the encoding of a failure. It never has another shape, and is JSON if no entry matches (NEG-4).
pub(crate) fn of_failure(headers: &HeaderMap) -> BodyFormat {
    let accept = accept(headers).unwrap_or_default();
    let clauses = clauses(&accept);
    // Protobuf has no tables, so the refusal of one is not sent as protobuf either.
    let is_table = |clause: &&Clause<'_>| clause.media_type == proto::MEDIA_TYPE && clause.parameter("as") == Some("Table");
    clauses.iter().filter(|clause| !is_table(clause)).find_map(|clause| format_of(clause.media_type)).unwrap_or_default()
}

/// Finds the best acceptable representation (NEG-5). Custom resources have no protobuf form (but their metadata has), and tables have none either.
/// Built-in kinds are served by a router that does not accept partial wildcards.
pub(crate) fn negotiate(headers: &HeaderMap, query: &Query, kind: &KindSpec, offer: Offer) -> Result<Representation, Status> {
    let Some(accept) = accept(headers) else { return Ok(Representation::default()) };
    let clauses = clauses(&accept);
    let is_routed = |clause: &Clause<'_>| clause.media_type == "*/*" || is_named(clause.media_type);
    if !kind.is_custom() && !clauses.iter().any(is_routed) {
        let streams =
            if offer.is_watch { ", application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch" } else { "" };
        return Err(Status::not_acceptable(format!("406: Not Acceptable\n\nAvailable representations: {ACCEPTED}{streams}"))
            .with_details(kubewright_middleware::status::Details::default()));
    }
    let mut accepted = ACCEPTED;
    for clause in clauses {
        let Some(format) = format_of(clause.media_type) else { continue };
        let parameter = |name: &str| clause.parameter(name);
        let Some(target) = parameter("as") else {
            if kind.is_custom() && format == BodyFormat::Protobuf {
                accepted = "application/json, application/yaml";
                continue;
            }
            return Ok(Representation { format, ..Representation::default() });
        };
        let meta = match (parameter("g"), parameter("v")) {
            (Some("meta.k8s.io"), Some("v1")) => MetaVersion::V1,
            (Some("meta.k8s.io"), Some("v1beta1")) => MetaVersion::V1Beta1,
            _ => continue,
        };
        let shape = match target {
            "PartialObjectMetadata" => AnswerShape::Metadata,
            "PartialObjectMetadataList" => AnswerShape::MetadataList,
            "Table" if format != BodyFormat::Protobuf && offer.has_tables => AnswerShape::Table(include(query)?),
            _ => continue,
        };
        return Ok(Representation { format, shape, meta });
    }
    Err(not_accepted(accepted))
}

/// Returns the form of discovery. The aggregated form is chosen wherever it stands in `Accept`, else the best plain one (DISC-5).
pub(crate) fn discovery(headers: &HeaderMap) -> Result<DiscoveryForm, Status> {
    let Some(accept) = accept(headers) else { return Ok(DiscoveryForm::Plain(BodyFormat::Json)) };
    let clauses = clauses(&accept);
    let is_aggregated = |clause: &Clause<'_>| {
        let wanted = [("g", "apidiscovery.k8s.io"), ("v", "v2"), ("as", "APIGroupDiscoveryList")];
        format_of(clause.media_type) == Some(BodyFormat::Json)
            && wanted.iter().all(|(name, value)| clause.parameter(name) == Some(value))
    };
    if clauses.iter().any(is_aggregated) {
        return Ok(DiscoveryForm::Aggregated);
    }
    plain(&clauses).map(DiscoveryForm::Plain)
}

/// Returns the encoding of a document that has no other shape.
pub(crate) fn document(headers: &HeaderMap) -> Result<BodyFormat, Status> {
    let Some(accept) = accept(headers) else { return Ok(BodyFormat::Json) };
    plain(&clauses(&accept))
}

fn plain(clauses: &[Clause<'_>]) -> Result<BodyFormat, Status> {
    let plain = clauses.iter().filter(|clause| clause.parameter("as").is_none());
    // Documents are not offered as protobuf.
    let mut formats = plain.filter_map(|clause| format_of(clause.media_type)).filter(|format| *format != BodyFormat::Protobuf);
    formats.next().ok_or_else(|| not_accepted(ACCEPTED))
}

fn not_accepted(accepted: &str) -> Status {
    Status::not_acceptable(format!("only the following media types are accepted: {accepted}"))
}

fn is_named(media_type: &str) -> bool {
    matches!(media_type, "application/json" | "application/yaml" | proto::MEDIA_TYPE)
}

fn format_of(media_type: &str) -> Option<BodyFormat> {
    match media_type {
        "application/json" | "*/*" | "application/*" => Some(BodyFormat::Json),
        "application/yaml" => Some(BodyFormat::Yaml),
        proto::MEDIA_TYPE => Some(BodyFormat::Protobuf),
        _ => None,
    }
}

fn include(query: &Query) -> Result<IncludeObject, Status> {
    IncludeObject::parse(query.get("includeObject").unwrap_or_default()).map_err(|error| Status::bad_request(error.to_string()))
}
