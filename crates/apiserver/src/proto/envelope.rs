//! The envelope of a message: four magic bytes, then the kind and the message itself (REQ-2, PB-1).

use kubewright_machinery::object::GroupVersionKind;
use serde_json::Value;

use super::decode as message;
use super::special::lossy;
use super::wire::{Piece, WireError, WireReader, put_bytes};
use crate::forms::Definitions;

/// The media type of bodies in an envelope.
pub(crate) const MEDIA_TYPE: &str = "application/vnd.kubernetes.protobuf";

/// The media type of a watch whose events are in envelopes.
pub(crate) const STREAM_TYPE: &str = "application/vnd.kubernetes.protobuf;stream=watch";

/// The bytes that an envelope starts with.
const MAGIC: &[u8] = b"k8s\0";

/// The error of a body that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProtobufError {
    /// The body has no bytes.
    #[error("empty data")]
    Empty,
    /// The body does not start with the magic bytes.
    #[error("provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]")]
    NoEnvelope,
    /// The body ends after the magic bytes.
    #[error("empty body")]
    NoBody,
    /// The envelope is malformed.
    #[error(transparent)]
    Envelope(WireError),
    /// The message in the envelope is malformed.
    #[error("{source}")]
    Message {
        /// The kind that the envelope names.
        kind: String,
        /// The problem with the message.
        source: WireError,
    },
    /// The kind is not known.
    #[error("no kind {kind:?} is registered for version {api_version:?}")]
    UnknownKind {
        /// The version that the envelope names.
        api_version: String,
        /// The kind that the envelope names.
        kind: String,
    },
}

/// An envelope that has been opened.
#[derive(Debug, Default)]
struct Envelope<'a> {
    api_version: String,
    kind: String,
    raw: &'a [u8],
}

/// Reads a body in an envelope into an object. Its `apiVersion` and `kind` are those of the envelope; if the envelope has none, they are absent
/// and the message is read as an `expected` object.
///
/// Never panics, and uses memory in proportion to the body, for any bytes.
pub fn decode(body: &[u8], expected: &GroupVersionKind) -> Result<Value, ProtobufError> {
    if body.is_empty() {
        return Err(ProtobufError::Empty);
    }
    let sealed = body.strip_prefix(MAGIC).ok_or(ProtobufError::NoEnvelope)?;
    if sealed.is_empty() {
        return Err(ProtobufError::NoBody);
    }
    let envelope = Envelope::open(sealed).map_err(ProtobufError::Envelope)?;
    let definition = envelope
        .definition(expected)
        .ok_or_else(|| ProtobufError::UnknownKind { api_version: envelope.api_version.clone(), kind: envelope.kind.clone() })?;
    let broken = |source| ProtobufError::Message { kind: envelope.kind.clone(), source };
    let mut members = message::message(definition, envelope.raw).map_err(broken)?;
    let mut name = |field: &str, text: &str| {
        if !text.is_empty() {
            members.insert(field.to_owned(), text.into());
        }
    };
    name("apiVersion", &envelope.api_version);
    name("kind", &envelope.kind);
    Ok(Value::Object(members))
}

impl<'a> Envelope<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, WireError> {
        let mut envelope = Self::default();
        let mut reader = WireReader::new(bytes);
        while let Some((number, piece)) = reader.next()? {
            match (number, piece) {
                (1, Piece::Bytes(bytes)) => envelope.read_kind(bytes)?,
                (2, Piece::Bytes(bytes)) => envelope.raw = bytes,
                (1, piece) => return Err(WireError::WrongType { wire: piece.wire_type(), field: "TypeMeta".into() }),
                (2, piece) => return Err(WireError::WrongType { wire: piece.wire_type(), field: "Raw".into() }),
                _ => {}
            }
        }
        Ok(envelope)
    }

    fn read_kind(&mut self, bytes: &[u8]) -> Result<(), WireError> {
        let mut reader = WireReader::new(bytes);
        while let Some((number, piece)) = reader.next()? {
            match (number, piece) {
                (1, Piece::Bytes(bytes)) => self.api_version = lossy(bytes),
                (2, Piece::Bytes(bytes)) => self.kind = lossy(bytes),
                _ => {}
            }
        }
        Ok(())
    }

    fn definition(&self, expected: &GroupVersionKind) -> Option<&'static str> {
        let definitions = Definitions::embedded();
        let kind = if self.kind.is_empty() { expected.kind.as_str() } else { &self.kind };
        let (group, version) = match self.api_version.split_once('/') {
            Some((group, version)) => (group, version),
            None if self.api_version.is_empty() => (expected.group.as_str(), expected.version.as_str()),
            None => ("", self.api_version.as_str()),
        };
        definitions.name_of(&GroupVersionKind::new(group, version, kind))
    }
}

/// Puts a message into an envelope.
pub(super) fn seal(api_version: &str, kind: &str, raw: &[u8]) -> Vec<u8> {
    let mut names = Vec::with_capacity(api_version.len() + kind.len() + 4);
    put_bytes(&mut names, 1, api_version.as_bytes());
    put_bytes(&mut names, 2, kind.as_bytes());
    let mut out = Vec::with_capacity(MAGIC.len() + names.len() + raw.len() + 16);
    out.extend_from_slice(MAGIC);
    put_bytes(&mut out, 1, &names);
    put_bytes(&mut out, 2, raw);
    // The encoding and the type of the content are always present and always empty.
    put_bytes(&mut out, 3, &[]);
    put_bytes(&mut out, 4, &[]);
    out
}
