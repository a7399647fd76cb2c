//! Operands and pipelines, by the type of their values.

use super::literals::{FLOATS, INTEGERS, SMALL_INTEGERS, TEXTS};
use super::part::TextPart;
use super::statements::GrammarScope;

const PATHS: [&str; 14] =
    [".", "$", "$.e", "$.x", ".a", ".m.a", "$.x.a", "$.missing", ".s", "$.m.key", "$.mm", "$.l", "$.b", "$.missing.a"];
const TEXT_PATHS: [&str; 4] = ["$.s", "$.m.s", "$.mm.s", ".s"];
const LIST_PATHS: [&str; 4] = ["$.l", "$.ls", "$.mm.l", ".l"];
const MAP_PATHS: [&str; 5] = ["$", "$.m", "$.mm.m", "$.mm", ".m"];
/// Functions whose results are texts.
const TEXT_FUNCTIONS: [&str; 22] = [
    "upper",
    "lower",
    "title",
    "trim",
    "quote",
    "squote",
    "toString",
    "printf",
    "print",
    "cat",
    "trunc",
    "replace",
    "join",
    "toYaml",
    "toJson",
    "b64enc",
    "snakecase",
    "camelcase",
    "kebabcase",
    "indent",
    "nindent",
    "typeOf",
];
/// Functions whose results are lists.
const LIST_FUNCTIONS: [&str; 14] = [
    "list",
    "append",
    "prepend",
    "concat",
    "rest",
    "initial",
    "reverse",
    "uniq",
    "compact",
    "without",
    "splitList",
    "until",
    "seq",
    "toStrings",
];
/// Functions whose results are maps.
const MAP_FUNCTIONS: [&str; 6] = ["dict", "pick", "omit", "deepCopy", "split", "fromYaml"];
const NUMBER_FUNCTIONS: [&str; 9] = ["add", "sub", "mul", "len", "int", "int64", "float64", "round", "max"];
const BOOLEAN_FUNCTIONS: [&str; 10] = ["eq", "ne", "lt", "not", "empty", "hasKey", "contains", "has", "kindIs", "regexMatch"];

impl GrammarScope {
    /// Returns a pipeline: a value, or calls behind each other.
    pub(super) fn pipeline(&mut self, depth: usize) -> TextPart {
        if depth > 0 && self.dice.one_in(2) {
            let name = self.function();
            return self.call(name, depth - 1);
        }
        self.any(depth)
    }

    /// Returns an operand of any type.
    pub(super) fn any(&mut self, depth: usize) -> TextPart {
        match self.dice.roll(if depth == 0 { 8 } else { 14 }) {
            0 | 1 => self.literal(),
            2 | 3 => TextPart::operand(vec![TextPart::text(self.dice.pick(&PATHS))]),
            4 => self.variable(),
            5 => self.text("", 0, 0),
            6 => self.number(0),
            7 => self.list(0),
            8 => self.text("", 0, depth),
            9 => self.number(depth),
            10 => self.list(depth),
            11 => self.map(depth),
            12 => {
                let inner = self.map(depth - 1);
                let field = self.dice.pick(&[".a", ".s", ".missing.b", ".m"]);
                TextPart::operand(vec![TextPart::text("("), inner, TextPart::text(format!("){field}"))])
            }
            _ => {
                let name = self.function();
                self.nested_call(name, depth)
            }
        }
    }

    /// Returns a literal, which has no part of the data.
    pub(super) fn literal(&mut self) -> TextPart {
        let text = match self.dice.roll(8) {
            0..=2 => self.dice.pick(&TEXTS),
            3 | 4 => self.dice.pick(&INTEGERS),
            5 => self.dice.pick(&FLOATS),
            6 => self.dice.pick(&["true", "false"]),
            _ => self.dice.pick(&["nil", "\"x\"", "3", "'é'", "'\\n'"]),
        };
        TextPart::operand(vec![TextPart::text(text)])
    }

    fn variable(&mut self) -> TextPart {
        // A variable that is not declared is an error of the text.
        if self.dice.one_in(150) {
            return TextPart::operand(vec![TextPart::text("$undeclared")]);
        }
        let index = self.dice.roll(self.variables.len().max(1));
        let name = self.variables.get(index).map_or("$", String::as_str).to_owned();
        let field = self.dice.pick(&["", "", "", ".a"]);
        TextPart::operand(vec![TextPart::text(name + field)])
    }

    /// Returns a text; those of the function with this argument, if it expects texts of a form.
    pub(super) fn text(&mut self, name: &str, index: usize, depth: usize) -> TextPart {
        if let Some(pool) = super::calls::texts_of(name, index) {
            return TextPart::operand(vec![TextPart::text(self.dice.pick(pool))]);
        }
        if depth > 0 && self.dice.one_in(2) {
            return self.one_of(&TEXT_FUNCTIONS, depth);
        }
        let text = if self.dice.one_in(3) { self.dice.pick(&TEXT_PATHS) } else { self.dice.pick(&TEXTS) };
        TextPart::operand(vec![TextPart::text(text)])
    }

    /// Returns a number of any type.
    pub(super) fn number(&mut self, depth: usize) -> TextPart {
        if depth > 0 && self.dice.one_in(2) {
            return self.one_of(&NUMBER_FUNCTIONS, depth);
        }
        let text = match self.dice.roll(4) {
            0 => "$.n",
            1 => self.dice.pick(&FLOATS),
            2 => self.dice.pick(&SMALL_INTEGERS),
            _ => self.dice.pick(&INTEGERS),
        };
        TextPart::operand(vec![TextPart::text(text)])
    }

    /// Returns an integer that is no danger as a count.
    pub(super) fn small_integer(&mut self) -> TextPart {
        let text = match self.dice.roll(12) {
            0 => "(len $.l)",
            1 => "\"1\"",
            2 => "1.5",
            3 => "$.missing",
            _ => self.dice.pick(&SMALL_INTEGERS),
        };
        TextPart::operand(vec![TextPart::text(text)])
    }

    /// Returns a boolean.
    pub(super) fn boolean(&mut self, depth: usize) -> TextPart {
        if depth > 0 && self.dice.one_in(2) {
            return self.one_of(&BOOLEAN_FUNCTIONS, depth);
        }
        TextPart::operand(vec![TextPart::text(self.dice.pick(&["true", "false", "$.b"]))])
    }

    /// Returns a list.
    pub(super) fn list(&mut self, depth: usize) -> TextPart {
        if depth > 0 && self.dice.one_in(2) {
            return self.one_of(&LIST_FUNCTIONS, depth);
        }
        TextPart::operand(vec![TextPart::text(self.dice.pick(&LIST_PATHS))])
    }

    /// Returns a map.
    pub(super) fn map(&mut self, depth: usize) -> TextPart {
        if depth > 0 && self.dice.one_in(2) {
            return self.one_of(&MAP_FUNCTIONS, depth);
        }
        TextPart::operand(vec![TextPart::text(self.dice.pick(&MAP_PATHS))])
    }

    /// Returns a map that no other value refers to, which a function may change without making it a part of itself: neither Go nor the comparison
    /// would survive such a map.
    pub(super) fn fresh_map(&mut self, depth: usize) -> TextPart {
        if depth > 0 && self.dice.one_in(3) {
            let map = self.map(depth - 1);
            return TextPart::operand(vec![TextPart::text("(deepCopy "), map, TextPart::text(")")]);
        }
        let (first, second) = (self.literal(), self.literal());
        TextPart::operand(vec![
            TextPart::text("(dict \"a\" "),
            first,
            TextPart::text(" \"s\" "),
            second,
            TextPart::text(" \"m\" (dict \"b\" 1))"),
        ])
    }

    /// Returns a call of one of the functions, or a field if the templates have none.
    fn one_of(&mut self, names: &[&'static str], depth: usize) -> TextPart {
        let name = self.dice.pick(names);
        let name = if self.is_known(name) { name } else { self.function() };
        self.nested_call(name, depth)
    }

    fn nested_call(&mut self, name: &'static str, depth: usize) -> TextPart {
        let call = self.call(name, depth - 1);
        TextPart::operand(vec![TextPart::text("("), call, TextPart::text(")")])
    }

    /// Returns an operand over which `range` goes, mostly. Large integers would take too long.
    pub(super) fn rangeable(&mut self, depth: usize) -> TextPart {
        match self.dice.roll(6) {
            0 => TextPart::operand(vec![TextPart::text(self.dice.pick(&[
                "3",
                "0",
                "-1",
                "(len $.l)",
                "nil",
                "\"abc\"",
                "1.5",
                "$.e",
                "$.x",
            ]))]),
            1 | 2 => self.map(depth),
            _ => self.list(depth),
        }
    }
}
