//! Block collections.

use std::borrow::Cow;

use super::form::NodeForm;
use super::lines::BlockReader;

impl<'a> BlockReader<'a> {
    /// Reads a collection that is a document.
    pub(super) fn collection<N: NodeForm>(&mut self) -> Option<N> {
        self.node(0, 0)
    }

    /// Reads the node at the present column, which is greater than that of the collection around it, or that of an item in a field of the same column.
    fn node<N: NodeForm>(&mut self, parent: usize, depth: usize) -> Option<N> {
        if self.is_at_item() {
            self.count(depth)?;
            return self.sequence(self.column, depth);
        }
        let start = self.at;
        if let Some(key) = self.key() {
            self.count(depth)?;
            return self.mapping(key, self.column, depth);
        }
        self.at = start;
        self.scalar(parent, depth)
    }

    fn mapping<N: NodeForm>(&mut self, first: Cow<'a, str>, column: usize, depth: usize) -> Option<N> {
        let mut fields = N::Fields::default();
        self.fields(first, column, depth, |reader, key| {
            let value = reader.field_value(column, depth + 1)?;
            let is_repeated = N::insert(&mut fields, key, value);
            (!is_repeated || reader.version.allows_repeated_keys()).then_some(())
        })?;
        Some(N::mapping(fields))
    }

    /// Reads the fields of a mapping behind its first key; `each` reads the value of a key.
    pub(super) fn fields(
        &mut self,
        first: Cow<'a, str>,
        column: usize,
        depth: usize,
        mut each: impl FnMut(&mut Self, Cow<'a, str>) -> Option<()>,
    ) -> Option<()> {
        let mut key = first;
        loop {
            self.count(depth + 1)?;
            each(self, key)?;
            if self.column != column {
                return (self.column < column).then_some(());
            }
            key = self.key()?;
        }
    }

    /// Reads the value behind the colon of a key.
    pub(super) fn field_value<N: NodeForm>(&mut self, column: usize, depth: usize) -> Option<N> {
        self.pass_spaces();
        if !self.is_at_line_end() {
            return self.scalar(column, depth);
        }
        self.end_line()?;
        if self.column > column || (self.column == column && self.is_at_item()) {
            return self.node(column, depth);
        }
        self.null(depth)
    }

    fn sequence<N: NodeForm>(&mut self, column: usize, depth: usize) -> Option<N> {
        let mut items = N::Items::default();
        loop {
            self.at += 1;
            self.pass_spaces();
            let item = if self.is_at_line_end() {
                self.end_line()?;
                if self.column > column { self.node(column, depth + 1)? } else { self.null(depth + 1)? }
            } else {
                self.column = self.at - self.line + 1;
                self.node(column, depth + 1)?
            };
            N::push(&mut items, item);
            if self.column != column || !self.is_at_item() {
                return (self.column <= column).then(|| N::sequence(items));
            }
        }
    }

    fn null<N: NodeForm>(&mut self, depth: usize) -> Option<N> {
        self.count(depth)?;
        self.resolved("")
    }

    fn is_at_item(&self) -> bool {
        self.byte() == Some(b'-') && self.is_blank_at(self.at + 1)
    }

    /// Reads a scalar, or a flow collection, inside a collection of this column, and goes to the next node.
    fn scalar<N: NodeForm>(&mut self, parent: usize, depth: usize) -> Option<N> {
        let byte = self.byte()?;
        if parent == 0 && !matches!(byte, b'[' | b'{') {
            return None;
        }
        match byte {
            b'|' => self.count(depth).and_then(|()| self.literal(parent)).map(|text| N::text(text.into())),
            b'>' => self.count(depth).and_then(|()| self.folded(parent)).map(|text| N::text(text.into())),
            b'"' | b'\'' => {
                self.count(depth)?;
                let text = self.quoted(true)?;
                self.end_line()?;
                Some(N::text(text))
            }
            b'[' | b'{' => {
                let node = self.flow(parent, depth)?;
                self.end_line()?;
                Some(node)
            }
            _ => {
                self.count(depth)?;
                let text = self.plain(parent)?;
                self.resolved(&text)
            }
        }
    }

    /// Returns the node of a plain scalar.
    pub(super) fn resolved<N: NodeForm>(&self, text: &str) -> Option<N> {
        N::plain(&self.version.resolve(text), text)
    }
}
