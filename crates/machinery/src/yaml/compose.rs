//! Reading of documents as programs of Go read them.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use granit_parser::{Event, Options, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle, Tag};
use memchr::memchr;
use serde_json::{Map, Value};

use super::block;
use super::depth::with_room;
use super::key::key_text;
use super::read::{ALIASES, DEPTH, NODES, REPLAYED, YamlError, settle_numbers};
use super::scalar::PlainScalar;
use crate::object::is_nested_deeper;

/// The largest size of the values that the anchors and aliases of a text may copy, in bytes.
const COPIED: usize = 16 * 1024 * 1024;
/// The size of a value without its text, in bytes.
const NODE_SIZE: usize = 64;

/// Reads the first document of a text as programs of Go do that read one value, such as Helm: later documents are not looked at, the last value of a
/// repeated key counts, and keys that are booleans or numbers become texts (`yes: 1` is the key `true`). Null if there is no document.
///
/// For files of values, kustomizations, and other files with one document; [`documents`](super::documents) is for manifests.
pub fn first_document(text: &str) -> Result<Value, YamlError> {
    with_room(text, || match block::document(text, GoYaml::V2) {
        Some(document) => Ok(document),
        None => composed_document(text, GoYaml::V2),
    })
}

/// Reads all documents of a text as kustomize does: `yes`, `no`, `on`, `off`, `y` and `n` are texts, a repeated key is an error, and keys are texts as
/// they are written. Empty documents are left out.
///
/// For the resources and patches of kustomizations; [`documents`](super::documents) is for manifests.
pub fn documents_of_yaml_1_2(text: &str) -> Result<Vec<Value>, YamlError> {
    let documents = with_room(text, || match block::documents(text, GoYaml::V3) {
        Some(documents) => Ok(documents),
        None => composed_documents(text, GoYaml::V3),
    });
    let mut documents = documents?;
    documents.retain(|document| !document.is_null());
    documents.iter_mut().for_each(settle_numbers);
    Ok(documents)
}

/// Reads the first document of any text; null if there is none.
pub(super) fn composed_document(text: &str, version: GoYaml) -> Result<Value, YamlError> {
    let document = Composer::new(text, version).document()?;
    Ok(document.unwrap_or_default())
}

/// Reads all documents of any text.
pub(super) fn composed_documents(text: &str, version: GoYaml) -> Result<Vec<Value>, YamlError> {
    let mut composer = Composer::new(text, version);
    let mut documents = Vec::new();
    while let Some(document) = composer.document()? {
        documents.push(document);
    }
    Ok(documents)
}

/// The versions of go-yaml.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GoYaml {
    /// Version 2: plain scalars and keys have the types of YAML 1.1, and a merge key overwrites the fields before it.
    V2,
    /// Version 3: the booleans are those of YAML 1.2, a repeated key is an error, and the fields of a mapping precede merged ones.
    V3,
}

impl GoYaml {
    /// Returns the type of a plain scalar.
    pub(super) fn resolve(self, text: &str) -> PlainScalar {
        match self {
            Self::V2 => PlainScalar::resolve(text),
            Self::V3 => PlainScalar::resolve_as_yaml_1_2(text),
        }
    }

    /// Returns true if the last value of a repeated key counts.
    pub(super) fn allows_repeated_keys(self) -> bool {
        self == Self::V2
    }

    /// Returns the largest number of aliases of a text. Files of values may have many.
    fn most_aliases(self) -> usize {
        match self {
            Self::V2 => ALIASES * 100,
            Self::V3 => ALIASES,
        }
    }
}

/// A value, or the text of a number that JSON does not have.
type ComposedValue = Result<Value, &'static str>;

/// A node with its value.
#[derive(Clone, Debug)]
struct ComposedNode {
    value: ComposedValue,
    /// True for a plain `<<`, whose value is merged.
    is_merge: bool,
    size: NodeSize,
}

/// The size of a node, in which aliases count as the nodes that they repeat.
#[derive(Clone, Copy, Debug, Default)]
struct NodeSize {
    nodes: usize,
    /// The bytes of all texts.
    bytes: usize,
}

impl NodeSize {
    fn memory(self) -> usize {
        self.nodes * NODE_SIZE + self.bytes
    }
}

/// A reader of the documents of a text.
struct Composer<'a> {
    text: &'a str,
    has_tabs: bool,
    version: GoYaml,
    parser: Parser<'a, StrInput<'a>>,
    /// The size of all nodes so far.
    size: NodeSize,
    aliases: usize,
    /// The number of nodes that aliases repeat.
    replayed: usize,
    /// The bytes that anchors and aliases have copied.
    copied: usize,
    anchors: HashMap<usize, ComposedNode>,
    /// The place of the last event.
    end: (u64, u64),
}

impl<'a> Composer<'a> {
    /// Creates a reader.
    fn new(text: &'a str, version: GoYaml) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            text,
            has_tabs: memchr(b'\t', text.as_bytes()).is_some(),
            version,
            parser: Parser::new_from_str_with_options(text, parser_options()),
            size: NodeSize::default(),
            aliases: 0,
            replayed: 0,
            copied: 0,
            anchors: HashMap::new(),
            end: (1, 1),
        }
    }

    /// Reads the next document. Returns `None` behind the last one.
    fn document(&mut self) -> Result<Option<Value>, YamlError> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(None),
                (Event::DocumentStart(..), _) => break,
                _ => {}
            }
        }
        let (event, span) = self.next()?;
        if matches!(event, Event::DocumentEnd) {
            return Ok(Some(Value::Null));
        }
        let node = self.node(event, span, 0)?;
        self.next()?;
        let value = node.value.map_err(|number| self.error(span, format!("json: unsupported value: {number}")))?;
        Ok(Some(value))
    }

    /// Returns the next event, and the end of the text behind the last one.
    fn next(&mut self) -> Result<(Event<'a>, Span), YamlError> {
        let Some(event) = self.parser.next_event() else { return Ok((Event::StreamEnd, Span::default())) };
        let (event, span) = event.map_err(|error| scan_error(&error))?;
        self.end = (span.start.line() as u64, span.start.col() as u64 + 1);
        Ok((event, span))
    }

    /// Reads the node that begins with an event.
    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<ComposedNode, YamlError> {
        if depth > DEPTH {
            return Err(self.too_deep(span));
        }
        let before = self.size;
        self.grow(NodeSize { nodes: 1, bytes: 0 }, span)?;
        let (value, is_merge, anchor) = match event {
            Event::Alias(id) => return self.alias(id, span, depth),
            Event::Scalar(text, style, anchor, tag) => {
                self.check_indentation(&span)?;
                self.size.bytes += text.len();
                let is_merge = text == "<<" && style == ScalarStyle::Plain && tag.is_none();
                (self.scalar(&text, style, tag.as_deref(), span)?, is_merge, anchor)
            }
            Event::SequenceStart(style, anchor, _) => {
                if style == StructureStyle::Block {
                    self.check_indentation(&span)?;
                }
                (self.sequence(depth)?, false, anchor)
            }
            Event::MappingStart(style, anchor, _) => {
                if style == StructureStyle::Block {
                    self.check_indentation(&span)?;
                }
                (self.mapping(depth)?, false, anchor)
            }
            _ => return Err(self.error(span, "did not find expected node content".to_owned())),
        };
        let size = NodeSize { nodes: self.size.nodes - before.nodes, bytes: self.size.bytes - before.bytes };
        let node = ComposedNode { value, is_merge, size };
        if anchor != 0 {
            self.copy(size, span)?;
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, span: Span, depth: usize) -> Result<ComposedNode, YamlError> {
        let Some(node) = self.anchors.get(&id).cloned() else {
            return Err(self.error(span, "an anchor contains itself".to_owned()));
        };
        self.aliases += 1;
        self.replayed += node.size.nodes;
        if self.aliases > self.version.most_aliases() || self.replayed > REPLAYED {
            return Err(self.excessive(span));
        }
        if node.value.as_ref().is_ok_and(|value| is_nested_deeper(value, DEPTH.saturating_sub(depth))) {
            return Err(self.too_deep(span));
        }
        self.copy(node.size, span)?;
        self.grow(node.size, span)?;
        Ok(ComposedNode { is_merge: false, ..node })
    }

    /// Adds a size to that of all nodes.
    fn grow(&mut self, size: NodeSize, span: Span) -> Result<(), YamlError> {
        self.size.nodes += size.nodes;
        self.size.bytes += size.bytes;
        if self.size.nodes > NODES {
            return Err(self.error(span, format!("the text has more than {NODES} nodes")));
        }
        Ok(())
    }

    /// Counts a node that is about to be copied.
    fn copy(&mut self, size: NodeSize, span: Span) -> Result<(), YamlError> {
        self.copied += size.memory();
        if self.copied > COPIED { Err(self.excessive(span)) } else { Ok(()) }
    }

    fn sequence(&mut self, depth: usize) -> Result<ComposedValue, YamlError> {
        let mut items = Ok(Vec::new());
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd) {
                return Ok(items.map(Value::Array));
            }
            let item = self.node(event, span, depth + 1)?;
            match (&mut items, item.value) {
                (Ok(items), Ok(value)) => items.push(value),
                (Ok(_), Err(error)) => items = Err(error),
                (Err(_), _) => {}
            }
        }
    }

    fn mapping(&mut self, depth: usize) -> Result<ComposedValue, YamlError> {
        let (mut fields, mut merged) = (Map::new(), Map::new());
        let mut failure = None;
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                merged.append(&mut fields);
                return Ok(failure.map_or(Ok(Value::Object(merged)), Err));
            }
            let written = match (&event, self.version) {
                (Event::Scalar(text, ..), GoYaml::V3) => Some(text.to_string()),
                _ => None,
            };
            let key = self.node(event, span, depth + 1)?;
            let (event, value_span) = self.next()?;
            let value = self.node(event, value_span, depth + 1)?;
            if key.is_merge {
                let target = if self.version == GoYaml::V2 { &mut fields } else { &mut merged };
                self.merge(target, value, value_span)?;
                continue;
            }
            let key = written.map_or_else(|| key_text(key.value), Ok).map_err(|reason| self.error(span, reason))?;
            if self.version == GoYaml::V3 && fields.contains_key(&key) {
                return Err(self.error(span, format!("mapping key {key:?} already defined")));
            }
            match value.value {
                Ok(value) => {
                    fields.insert(key, value);
                }
                Err(error) => failure = Some(error),
            }
        }
    }

    /// Merges a mapping, or a sequence of them in which earlier ones precede later ones, into fields, which are overwritten.
    fn merge(&self, fields: &mut Map<String, Value>, node: ComposedNode, span: Span) -> Result<(), YamlError> {
        let sources = match node.value {
            Ok(Value::Object(source)) => vec![Value::Object(source)],
            Ok(Value::Array(sources)) => sources,
            _ => Vec::from([Value::Null]),
        };
        for source in sources.into_iter().rev() {
            let Value::Object(mut source) = source else {
                return Err(self.error(span, "map merge requires map or sequence of maps as the value".to_owned()));
            };
            fields.append(&mut source);
        }
        Ok(())
    }

    fn scalar(&self, text: &str, style: ScalarStyle, tag: Option<&Tag>, span: Span) -> Result<ComposedValue, YamlError> {
        let tag = tag.map(|tag| {
            let name = format!("{}{}", tag.handle(), tag.suffix());
            name.strip_prefix("tag:yaml.org,2002:").unwrap_or("?").to_owned()
        });
        let resolved = match (tag.as_deref(), style) {
            (Some("binary"), _) => {
                let compact: String = text.split_whitespace().collect();
                return match STANDARD.decode(compact) {
                    Ok(bytes) => Ok(Ok(String::from_utf8_lossy(&bytes).into())),
                    Err(_) => Err(self.error(span, "!!binary value contains invalid base64 data".to_owned())),
                };
            }
            (Some("bool" | "int" | "float" | "null" | "timestamp"), _) | (None, ScalarStyle::Plain) => self.version.resolve(text),
            _ => PlainScalar::Text,
        };
        let fits = match (tag.as_deref(), &resolved) {
            (Some("bool"), found) => matches!(found, PlainScalar::Bool(_)),
            (Some("int"), found) => matches!(found, PlainScalar::Integer(_)),
            (Some("float"), found) => matches!(found, PlainScalar::Float(_) | PlainScalar::Integer(_)),
            (Some("null"), found) => matches!(found, PlainScalar::Null),
            (Some("timestamp"), found) => matches!(found, PlainScalar::Timestamp),
            _ => true,
        };
        if !fits {
            let tag = tag.unwrap_or_default();
            return Err(self.error(span, format!("cannot decode the scalar as a !!{tag}")));
        }
        Ok(resolved.value(text))
    }

    /// Refuses a tab before a node of a block: go-yaml takes no tabs for indentation.
    fn check_indentation(&self, span: &Span) -> Result<(), YamlError> {
        if !self.has_tabs {
            return Ok(());
        }
        let before = span.start.byte_offset().and_then(|start| self.text.get(..start)).unwrap_or_default();
        let line = before.trim_end_matches([' ', '\t', '-', '?', ':']);
        let indentation = before.strip_prefix(line).unwrap_or_default();
        if (line.is_empty() || line.ends_with('\n')) && indentation.contains('\t') {
            return Err(self.error(*span, "found character that cannot start any token".to_owned()));
        }
        Ok(())
    }

    fn too_deep(&self, span: Span) -> YamlError {
        self.error(span, format!("the document is nested more than {DEPTH} levels deep"))
    }

    fn excessive(&self, span: Span) -> YamlError {
        self.error(span, "document contains excessive aliasing".to_owned())
    }

    fn error(&self, span: Span, reason: String) -> YamlError {
        let (line, column) =
            if span.start.line() == 0 { self.end } else { (span.start.line() as u64, span.start.col() as u64 + 1) };
        YamlError::Invalid { line, column, reason }
    }
}

/// Returns the options with which the parser reads as go-yaml does.
fn parser_options() -> Options {
    granit_parser::options! {
        emit_comments: false,
        block_scalar_eof_without_line_feed: true,
    }
}

fn scan_error(error: &ScanError) -> YamlError {
    let place = error.marker();
    YamlError::Invalid { line: place.line() as u64, column: place.col() as u64 + 1, reason: error.info() }
}
