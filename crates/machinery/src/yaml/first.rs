//! The first document of a text, read as programs of Go read it.

use std::borrow::Cow;
use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Span, StrInput, StructureStyle, Tag};
use serde_json::{Map, Number, Value};

use super::key::key_text;
use super::read::{ALIASES, DEPTH, NODES, REPLAYED, YamlError};
use super::scalar::PlainScalar;

/// The largest number of lines that are indented for the parser.
const REPAIRS: usize = 100;

/// Reads the first document of a text as programs of Go do that read one value, such as Helm: what comes after it is not looked at, of a repeated key
/// the last value counts, and keys that are booleans or numbers become texts (`yes: 1` is the key `true`). Null if there is none.
pub fn first_document(text: &str) -> Result<Value, YamlError> {
    let mut text = Cow::Borrowed(text.strip_prefix('\u{feff}').unwrap_or(text));
    // The parser asks for more indentation of quoted texts with several lines than go-yaml does. Blanks there have no meaning.
    let too_far_left = ErrorKind::InvalidQuotedScalarIndent.to_string();
    for _ in 0..REPAIRS {
        match compose(&text) {
            Err(YamlError::Invalid { line, reason, .. }) if reason == too_far_left => text = Cow::Owned(indented(&text, line)),
            result => return result,
        }
    }
    compose(&text)
}

/// Returns the text with blanks before a line, as many as the line before it is long.
fn indented(text: &str, line: u64) -> String {
    let start = text.split_inclusive('\n').take(line.saturating_sub(1) as usize).map(str::len).sum();
    let (before, rest) = text.split_at(start);
    let width = before.lines().next_back().map_or(0, str::len);
    format!("{before}{}{rest}", " ".repeat(width.min(1000) + 1))
}

fn compose(text: &str) -> Result<Value, YamlError> {
    let mut composer = Composer {
        text,
        parser: Parser::new_from_str(text),
        nodes: 0,
        aliases: 0,
        replayed: 0,
        anchors: HashMap::new(),
        end: (1, 1),
    };
    loop {
        match composer.next()? {
            (Event::StreamEnd, _) => return Ok(Value::Null),
            (Event::DocumentStart(..), _) => {
                let (event, span) = composer.next()?;
                if matches!(event, Event::DocumentEnd) {
                    return Ok(Value::Null);
                }
                let node = composer.node(event, span, 0)?;
                composer.next()?;
                return node.value.map_err(|number| composer.error(span, format!("json: unsupported value: {number}")));
            }
            _ => {}
        }
    }
}

/// A node and its value, or the text of a number that JSON does not have.
#[derive(Clone, Debug)]
struct ComposedNode {
    value: Result<Value, &'static str>,
    /// True for a plain `<<`, whose value is merged.
    is_merge: bool,
    /// The number of nodes in it.
    size: usize,
}

struct Composer<'a> {
    text: &'a str,
    parser: Parser<'a, StrInput<'a>>,
    nodes: usize,
    aliases: usize,
    replayed: usize,
    anchors: HashMap<usize, ComposedNode>,
    /// The place of the last event.
    end: (u64, u64),
}

impl<'a> Composer<'a> {
    fn next(&mut self) -> Result<(Event<'a>, Span), YamlError> {
        loop {
            let Some(event) = self.parser.next_event() else { return Ok((Event::StreamEnd, Span::default())) };
            let (event, span) = event.map_err(|error| scan_error(&error))?;
            if !matches!(event, Event::Comment(..)) {
                self.end = (span.start.line() as u64, span.start.col() as u64 + 1);
                return Ok((event, span));
            }
        }
    }

    fn node(&mut self, event: Event<'a>, span: Span, depth: usize) -> Result<ComposedNode, YamlError> {
        self.nodes += 1;
        if depth > DEPTH {
            return Err(self.error(span, format!("the document is nested more than {DEPTH} levels deep")));
        }
        if self.nodes > NODES {
            return Err(self.error(span, format!("the document has more than {NODES} nodes")));
        }
        let before = self.nodes;
        let (value, is_merge, anchor) = match event {
            Event::Alias(id) => return self.alias(id, span),
            Event::Scalar(text, style, anchor, tag) => {
                self.check_indentation(&span)?;
                let is_merge = text == "<<" && style == ScalarStyle::Plain && tag.is_none();
                let text = self.without_added_break(&text, style, &span);
                (self.scalar(text, style, tag.as_deref(), span)?, is_merge, anchor)
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
        let node = ComposedNode { value, is_merge, size: self.nodes - before + 1 };
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        Ok(node)
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<ComposedNode, YamlError> {
        self.aliases += 1;
        let Some(node) = self.anchors.get(&id).cloned() else {
            return Err(self.error(span, "an anchor contains itself".to_owned()));
        };
        self.replayed += node.size;
        if self.aliases > ALIASES * 100 || self.replayed > REPLAYED {
            return Err(self.error(span, "document contains excessive aliasing".to_owned()));
        }
        Ok(ComposedNode { is_merge: false, ..node })
    }

    fn sequence(&mut self, depth: usize) -> Result<Result<Value, &'static str>, YamlError> {
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

    fn mapping(&mut self, depth: usize) -> Result<Result<Value, &'static str>, YamlError> {
        let mut fields = Map::new();
        let mut failure = None;
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd) {
                return Ok(failure.map_or(Ok(Value::Object(fields)), Err));
            }
            let key = self.node(event, span, depth + 1)?;
            let (event, value_span) = self.next()?;
            let value = self.node(event, value_span, depth + 1)?;
            if key.is_merge {
                self.merge(&mut fields, value, value_span)?;
                continue;
            }
            let key = key_text(key.value).map_err(|reason| self.error(span, reason))?;
            match value.value {
                Ok(value) => {
                    fields.insert(key, value);
                }
                Err(error) => failure = Some(error),
            }
        }
    }

    /// Merges a mapping, or a sequence of them in which earlier ones precede later ones. Fields that stand before the merge key are overwritten.
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

    fn scalar(
        &self,
        text: &str,
        style: ScalarStyle,
        tag: Option<&Tag>,
        span: Span,
    ) -> Result<Result<Value, &'static str>, YamlError> {
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
            (Some("bool" | "int" | "float" | "null" | "timestamp"), _) | (None, ScalarStyle::Plain) => PlainScalar::resolve(text),
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
        Ok(Ok(match resolved {
            PlainScalar::Null => Value::Null,
            PlainScalar::Bool(value) => value.into(),
            PlainScalar::Integer(number) => match (i64::try_from(number), u64::try_from(number)) {
                (Ok(number), _) => number.into(),
                (_, Ok(number)) => number.into(),
                _ => text.into(),
            },
            PlainScalar::Float(number) => match Number::from_f64(number) {
                Some(number) => Value::Number(number),
                None if number.is_nan() => return Ok(Err("NaN")),
                None if number > 0.0 => return Ok(Err("+Inf")),
                None => return Ok(Err("-Inf")),
            },
            PlainScalar::Timestamp | PlainScalar::Text => text.into(),
        }))
    }

    /// Returns a text without its last line break, if it is that of a block scalar whose last line ends with the document: go-yaml adds none there.
    fn without_added_break<'b>(&self, text: &'b str, style: ScalarStyle, span: &Span) -> &'b str {
        let is_block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        let is_last = span.end.byte_offset() == Some(self.text.len());
        let has_content = self.text.rsplit('\n').next().is_some_and(|line| !line.trim().is_empty());
        if is_block && is_last && has_content { text.strip_suffix('\n').unwrap_or(text) } else { text }
    }

    /// Refuses a tab before a node of a block: go-yaml takes no tabs for indentation.
    fn check_indentation(&self, span: &Span) -> Result<(), YamlError> {
        let Some(start) = span.start.byte_offset() else { return Ok(()) };
        let line = self.text.get(..start).map_or("", |before| &before[before.rfind('\n').map_or(0, |end| end + 1)..]);
        if line.contains('\t') && line.bytes().all(|byte| b" \t-?:".contains(&byte)) {
            return Err(self.error(*span, "found character that cannot start any token".to_owned()));
        }
        Ok(())
    }

    fn error(&self, span: Span, reason: String) -> YamlError {
        let (line, column) =
            if span.start.line() == 0 { self.end } else { (span.start.line() as u64, span.start.col() as u64 + 1) };
        YamlError::Invalid { line, column, reason }
    }
}

fn scan_error(error: &ScanError) -> YamlError {
    let place = error.marker();
    YamlError::Invalid { line: place.line() as u64, column: place.col() as u64 + 1, reason: error.info() }
}
