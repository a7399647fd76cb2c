//! Texts, actions, control structures and definitions.
//!
//! Left out: templates that execute themselves. Go allows a depth that the limits refuse. A template calls those only that were complete before it.

use std::sync::Arc;

use kubewright_template::FunctionSet;

use super::calls;
use super::dice::SeededDice;
use super::part::TextPart;

/// The functions, variables and templates that a random template may use at a place.
pub(super) struct GrammarScope {
    pub(super) dice: SeededDice,
    pub(super) functions: Arc<FunctionSet>,
    /// The functions that are called.
    pub(super) names: Vec<&'static str>,
    /// The declared variables.
    pub(super) variables: Vec<String>,
    /// The templates that are complete.
    complete: Vec<String>,
    /// The number of names that are given.
    count: usize,
}

const TEXTS: [&str; 14] =
    ["text", " ", "\n", "  \n\t", "é日", "}}", "{ ", "a: b\n", "\"q\"", "-", " x ", "{ { ", "<no value>", "\r\n"];
const STARTS: [&str; 6] = ["{{ ", "{{ ", "{{ ", "{{", "{{- ", "{{-\n"];
const ENDS: [&str; 6] = [" }}", " }}", " }}", "}}", " -}}", "\n}}"];

impl GrammarScope {
    pub(super) fn new(dice: SeededDice, functions: Arc<FunctionSet>) -> Self {
        let names = calls::names(&functions);
        Self { dice, functions, names, variables: Vec::new(), complete: Vec::new(), count: 0 }
    }

    /// Returns a file of definitions.
    pub(super) fn file(&mut self) -> TextPart {
        let definitions = 1 + self.dice.roll(2);
        TextPart::sequence((0..definitions).map(|_| self.definition()).collect())
    }

    /// Returns the template that is rendered.
    pub(super) fn main(&mut self) -> TextPart {
        let mut parts = Vec::new();
        if self.dice.one_in(6) {
            parts.push(self.definition());
        }
        parts.push(self.body(3, 4));
        // A text that is cut is no template.
        if self.dice.one_in(100) {
            parts.push(TextPart::content(vec![TextPart::text(self.dice.pick(&[
                "{{ end }}",
                "{{ if .s }}",
                "{{",
                "{{ \"a }}",
                "{{/* x",
                "{{ .s |",
                "{{ else }}",
                "{{ ( }}",
                "{{ break }}",
                "{{ /* c */}}",
            ]))]));
        }
        TextPart::sequence(parts)
    }

    /// Returns the quoted name of a template: of one that is complete, or seldom of none.
    pub(super) fn callee(&mut self) -> String {
        if self.complete.is_empty() || self.dice.one_in(20) {
            return "\"absent\"".to_owned();
        }
        let index = self.dice.roll(self.complete.len());
        format!("\"{}\"", self.complete[index])
    }

    fn action(&mut self, inner: Vec<TextPart>) -> Vec<TextPart> {
        let mut parts = vec![TextPart::text(self.dice.pick(&STARTS))];
        parts.extend(inner);
        parts.push(TextPart::text(self.dice.pick(&ENDS)));
        parts
    }

    fn keyword(&mut self, text: &str) -> TextPart {
        TextPart::sequence(self.action(vec![TextPart::text(text)]))
    }

    fn new_name(&mut self, prefix: &str) -> String {
        self.count += 1;
        format!("{prefix}{}", self.count)
    }

    fn definition(&mut self) -> TextPart {
        // A second definition of a name, which has no calls.
        let is_second = !self.complete.is_empty() && self.dice.one_in(40);
        let name = if is_second { self.complete[0].clone() } else { self.new_name("part-") };
        let complete = if is_second { std::mem::take(&mut self.complete) } else { Vec::new() };
        let head = self.keyword(&format!("define \"{name}\""));
        let body = self.template_body(2);
        let end = self.keyword("end");
        if is_second {
            self.complete = complete;
        } else {
            self.complete.push(name);
        }
        TextPart::content(vec![head, body, end])
    }

    /// Returns the body of a template of its own, which sees no variables.
    fn template_body(&mut self, depth: usize) -> TextPart {
        let outer = std::mem::take(&mut self.variables);
        let body = self.body(depth, 3);
        self.variables = outer;
        body
    }

    fn body(&mut self, depth: usize, most: usize) -> TextPart {
        let declared = self.variables.len();
        let count = 1 + self.dice.roll(most);
        let parts = (0..count).map(|_| self.statement(depth)).collect();
        self.variables.truncate(declared);
        TextPart::sequence(parts)
    }

    fn statement(&mut self, depth: usize) -> TextPart {
        let parts = match self.dice.roll(if depth == 0 { 12 } else { 18 }) {
            0 | 1 => vec![TextPart::text(self.dice.pick(&TEXTS))],
            2..=6 => {
                let pipeline = self.pipeline(3);
                self.action(vec![pipeline])
            }
            7 => self.declaration(),
            8 => self.assignment(),
            9 => vec![TextPart::text(self.dice.pick(&["{{/* c */}}", "{{- /* }} \n */ -}}", "{{- /**/}}", "{{/*c*/ -}}"]))],
            10 if self.functions.names().next().is_some() => {
                let object = self.object();
                self.action(vec![object])
            }
            10 => vec![TextPart::text("plain")],
            11 => self.template_call(),
            12 | 13 => self.condition("if", depth - 1),
            14 => self.condition("with", depth - 1),
            15 | 16 => self.range(depth - 1),
            _ => self.block(depth - 1),
        };
        TextPart::content(parts)
    }

    fn declaration(&mut self) -> Vec<TextPart> {
        let value = self.pipeline(2);
        let name = self.dice.pick(&["$v", "$w", "$é1"]).to_owned();
        let parts = self.action(vec![TextPart::text(format!("{name} := ")), value]);
        self.variables.push(name);
        parts
    }

    fn assignment(&mut self) -> Vec<TextPart> {
        let value = self.pipeline(2);
        let Some(name) = self.variables.last().cloned() else { return vec![TextPart::text("=")] };
        self.action(vec![TextPart::text(format!("{name} = ")), value])
    }

    fn template_call(&mut self) -> Vec<TextPart> {
        if self.complete.is_empty() {
            return vec![TextPart::text("none")];
        }
        let callee = self.callee();
        let mut inner = vec![TextPart::text(format!("template {callee}"))];
        if !self.dice.one_in(5) {
            let data = if self.dice.one_in(3) { self.any(1) } else { TextPart::text(self.dice.pick(&["$", "."])) };
            inner.push(TextPart::content(vec![TextPart::text(" "), data]));
        }
        self.action(inner)
    }

    fn block(&mut self, depth: usize) -> Vec<TextPart> {
        let name = self.new_name("block-");
        let data = self.any(1);
        let mut parts = self.action(vec![TextPart::text(format!("block \"{name}\" ")), data]);
        parts.push(self.template_body(depth));
        parts.push(self.keyword("end"));
        self.complete.push(name);
        parts
    }

    fn condition(&mut self, keyword: &str, depth: usize) -> Vec<TextPart> {
        let declared = self.variables.len();
        let mut parts = self.head(keyword);
        parts.push(self.body(depth, 3));
        if self.dice.one_in(3) {
            let head = self.head(&format!("else {keyword}"));
            let body = self.body(depth, 2);
            parts.push(TextPart::content(vec![TextPart::sequence(head), body]));
        }
        self.otherwise(&mut parts, depth);
        self.variables.truncate(declared);
        parts.push(self.keyword("end"));
        parts
    }

    /// Returns the head of an `if` or `with`, which may declare a variable.
    fn head(&mut self, keyword: &str) -> Vec<TextPart> {
        let value = match self.dice.roll(3) {
            0 => self.boolean(2),
            1 => self.any(1),
            _ => self.pipeline(2),
        };
        if self.dice.one_in(5) {
            let parts = self.action(vec![TextPart::text(format!("{keyword} $c := ")), value]);
            self.variables.push("$c".to_owned());
            return parts;
        }
        self.action(vec![TextPart::text(format!("{keyword} ")), value])
    }

    fn otherwise(&mut self, parts: &mut Vec<TextPart>, depth: usize) {
        if self.dice.one_in(3) {
            let (head, body) = (self.keyword("else"), self.body(depth, 2));
            parts.push(TextPart::content(vec![head, body]));
        }
    }

    fn range(&mut self, depth: usize) -> Vec<TextPart> {
        let declared = self.variables.len();
        let over = self.rangeable(2);
        let form = self.dice.roll(5);
        let prefix = match (form, self.variables.last()) {
            (0, _) => "range $i, $e := ".to_owned(),
            (1, _) => "range $e := ".to_owned(),
            (2, Some(last)) => format!("range {last} = "),
            _ => "range ".to_owned(),
        };
        let mut parts = self.action(vec![TextPart::text(&prefix), over]);
        if prefix.contains("$i") {
            self.variables.push("$i".to_owned());
        }
        if prefix.contains("$e") {
            self.variables.push("$e".to_owned());
        }
        parts.push(self.body(depth, 3));
        if self.dice.one_in(4) {
            let mut condition = self.head("if");
            condition.push(self.keyword(["break", "continue"][usize::from(form > 2)]));
            condition.push(self.keyword("end"));
            parts.push(TextPart::content(condition));
            parts.push(self.body(0, 2));
        }
        self.variables.truncate(declared);
        self.otherwise(&mut parts, depth);
        parts.push(self.keyword("end"));
        parts
    }
}
