//! A grammar of random templates, for comparisons with Go.
//!
//! The parts of the language and of the functions that are left out, because their results are not those of Go on purpose or not the same twice, are
//! named where they are left out: in `calls` and `special_calls` (functions), in `literals` (verbs and numbers) and in `statements` (recursion).

mod calls;
mod dice;
mod literals;
mod operands;
mod part;
mod special_calls;
mod statements;
mod values;

use std::sync::Arc;

use kubewright_template::FunctionSet;
use serde_json::{Value, json};

use self::dice::SeededDice;
use self::part::TextPart;
use self::statements::GrammarScope;
use crate::broken_text::break_text;

/// One rendering: templates, the last of which is rendered, and its data.
#[derive(Clone)]
pub(crate) struct RandomCase {
    templates: Vec<(String, TextPart)>,
    values: Value,
    /// True if the templates have no functions but those of the language.
    pub(crate) is_plain: bool,
}

impl RandomCase {
    /// Creates the case of a number. The functions are those that templates may call.
    pub(crate) fn new(seed: u64, functions: &Arc<FunctionSet>) -> Self {
        let mut dice = SeededDice::new(seed);
        let is_plain = dice.one_in(10);
        let mut scope = GrammarScope::new(dice, if is_plain { Arc::default() } else { functions.clone() });
        let mut templates = Vec::new();
        for index in 0..scope.dice.roll(3) {
            templates.push((format!("file-{index}"), scope.file()));
        }
        templates.push(("t".to_owned(), scope.main()));
        let values = values::root(&mut scope.dice);
        Self { templates, values, is_plain }
    }

    /// Returns the names and texts of the templates.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        self.templates.iter().map(|(name, part)| (name.clone(), part.to_string())).collect()
    }

    /// Returns the data.
    pub(crate) const fn values(&self) -> &Value {
        &self.values
    }

    /// Returns the case as the program in Go reads it.
    pub(crate) fn to_json(&self) -> Value {
        json!({"templates": self.texts(), "values": self.values, "plain": self.is_plain})
    }

    /// Returns cases that are a little smaller.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let mut cases = Vec::new();
        for (index, (_, part)) in self.templates.iter().enumerate() {
            if index + 1 < self.templates.len() {
                let mut case = self.clone();
                case.templates.remove(index);
                cases.push(case);
            }
            for smaller in part.smaller() {
                let mut case = self.clone();
                case.templates[index].1 = smaller;
                cases.push(case);
            }
        }
        cases.extend(values::smaller(&self.values).into_iter().map(|values| Self { values, ..self.clone() }));
        cases
    }
}

/// Returns the text of a random template with some changes, most of which make it none.
pub(crate) fn broken_text(seed: u64, functions: &Arc<FunctionSet>) -> Vec<u8> {
    const PIECES: [&str; 14] = ["{{", "}}", "-}}", "(", ")", "|", ".", "$", "\"", "`", ":=", "{{ end }}", "{{ else }}", "/*"];
    let case = RandomCase::new(seed, functions);
    let mut text = case.texts().into_iter().map(|(_, text)| text).collect::<String>().into_bytes();
    let mut dice = SeededDice::new(!seed);
    break_text(&mut text, &PIECES, |below| dice.roll(below));
    text
}
