//! Texts of templates as trees, so that a failing case can be made smaller.

use std::fmt;

/// A part of the text of a template.
#[derive(Clone)]
pub(super) enum TextPart {
    /// Text that stays as it is.
    Text(String),
    /// Parts behind each other.
    Node(TextPartKind, Vec<TextPart>),
}

/// The ways in which a part can become smaller.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TextPartKind {
    /// Only the parts inside can.
    Sequence,
    /// It can be left out, or be replaced by contents inside of it.
    Content,
    /// It can be replaced by operands inside of it, or by a zero.
    Operand,
}

impl TextPart {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    pub(super) const fn sequence(parts: Vec<Self>) -> Self {
        Self::Node(TextPartKind::Sequence, parts)
    }

    pub(super) const fn content(parts: Vec<Self>) -> Self {
        Self::Node(TextPartKind::Content, parts)
    }

    pub(super) const fn operand(parts: Vec<Self>) -> Self {
        Self::Node(TextPartKind::Operand, parts)
    }

    /// Returns the parts that this one can become in one step, the smallest first.
    pub(super) fn smaller(&self) -> Vec<Self> {
        let Self::Node(kind, parts) = self else { return Vec::new() };
        let mut results = Vec::new();
        match kind {
            TextPartKind::Sequence => {}
            TextPartKind::Content => results.push(Self::text("")),
            TextPartKind::Operand if self.to_string() == "0" => {}
            TextPartKind::Operand => results.push(Self::text("0")),
        }
        if *kind != TextPartKind::Sequence {
            for part in parts {
                part.collect(*kind, &mut results);
            }
        }
        for (index, part) in parts.iter().enumerate() {
            for smaller in part.smaller() {
                let mut parts = parts.clone();
                parts[index] = smaller;
                results.push(Self::Node(*kind, parts));
            }
        }
        results
    }

    /// Collects the outermost parts of a kind.
    fn collect(&self, wanted: TextPartKind, into: &mut Vec<Self>) {
        match self {
            Self::Node(kind, _) if *kind == wanted => into.push(self.clone()),
            Self::Node(_, parts) => {
                for part in parts {
                    part.collect(wanted, into);
                }
            }
            Self::Text(_) => {}
        }
    }
}

impl fmt::Display for TextPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Node(_, parts) => parts.iter().try_for_each(|part| part.fmt(f)),
        }
    }
}
