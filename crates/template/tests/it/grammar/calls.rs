//! Calls of functions, with arguments that mostly fit.
//!
//! Left out: functions of randomness, of the present time and of the environment; `derivePassword`, which is slow on purpose. The results of `keys` and
//! `values` have a random order in Go, therefore they are sorted or counted. `sortAlpha` gets a list that no variable holds, since Go sorts it in
//! place. Times and versions are printed and asked by their methods only: other verbs print addresses.

use kubewright_template::{FunctionSet, Parameter, Signature};

use super::literals::*;
use super::part::TextPart;
use super::statements::GrammarScope;

const LEFT_OUT: [&str; 42] = [
    "ago",
    "bcrypt",
    "buildCustomCert",
    "encryptAES",
    "genCA",
    "genCAWithKey",
    "genPrivateKey",
    "genSelfSignedCert",
    "genSelfSignedCertWithKey",
    "genSignedCert",
    "genSignedCertWithKey",
    "htpasswd",
    "now",
    "randAlpha",
    "randAlphaNum",
    "randAscii",
    "randBytes",
    "randInt",
    "randNumeric",
    "shuffle",
    "uuidv4",
    "derivePassword",
    "semver",
    "toDate",
    "mustToDate",
    "dateModify",
    "date_modify",
    "mustDateModify",
    "must_date_modify",
    "unixEpoch",
    "mustToDuration",
    "mustToToml",
    "mustFromYaml",
    "mustFromToml",
    "mustFromYamlArray",
    "mustFromJsonArray",
    "fromJsonArray",
    "date_in_zone",
    "trimall",
    "biggest",
    "hello",
    "fail",
];
const OF_LANGUAGE: [&str; 18] = [
    "and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge", "len", "index", "slice", "html", "js", "urlquery", "print",
    "println", "printf",
];
const MAYBE: [&str; 3] = ["call", "fail", "fromJsonArray"];
const NUMERIC: [&str; 24] = [
    "add",
    "add1",
    "sub",
    "mul",
    "div",
    "mod",
    "max",
    "min",
    "addf",
    "add1f",
    "subf",
    "divf",
    "mulf",
    "maxf",
    "minf",
    "floor",
    "ceil",
    "round",
    "int",
    "int64",
    "float64",
    "toDecimal",
    "lt",
    "le",
];
/// The functions of lists, and the index of the list.
const OF_LISTS: [(&str, usize); 23] = [
    ("first", 0),
    ("last", 0),
    ("rest", 0),
    ("initial", 0),
    ("reverse", 0),
    ("uniq", 0),
    ("compact", 0),
    ("without", 0),
    ("has", 1),
    ("append", 0),
    ("push", 0),
    ("prepend", 0),
    ("chunk", 1),
    ("join", 1),
    ("toStrings", 0),
    ("mustFirst", 0),
    ("mustHas", 1),
    ("mustUniq", 0),
    ("mustRest", 0),
    ("mustChunk", 1),
    ("concat", 0),
    ("concat", 1),
    ("concat", 2),
];

/// Returns the functions that random templates call.
pub(super) fn names(functions: &FunctionSet) -> Vec<&'static str> {
    functions.names().filter(|name| !LEFT_OUT.contains(name)).chain(OF_LANGUAGE).collect()
}

/// Returns the texts that an argument of a function expects, if they have a form.
pub(super) fn texts_of(name: &str, index: usize) -> Option<&'static [&'static str]> {
    match (name, index) {
        ("semverCompare", 0) => Some(&CONSTRAINTS),
        ("semverCompare", 1) => Some(&VERSIONS),
        ("urlParse", _) => Some(&URLS),
        ("fromYaml", _) => Some(&YAML_TEXTS),
        ("fromYamlArray", _) => Some(&YAML_LISTS),
        ("fromJson" | "mustFromJson", _) => Some(&JSON_TEXTS),
        ("fromJsonArray", _) => Some(&JSON_LISTS),
        ("fromToml", _) => Some(&TOML_TEXTS),
        ("tpl", 0) => Some(&NESTED_TEMPLATES),
        ("kindIs" | "typeIs" | "typeIsLike", 0) => {
            Some(&["\"map\"", "\"slice\"", "\"string\"", "\"int\"", "\"float64\"", "\"bool\""])
        }
        _ => None,
    }
}

impl GrammarScope {
    /// Returns the name of a function.
    pub(super) fn function(&mut self) -> &'static str {
        if self.dice.one_in(60) {
            let name = self.dice.pick(&MAYBE);
            if self.is_known(name) {
                return name;
            }
        }
        let index = self.dice.roll(self.names.len());
        self.names[index]
    }

    /// Returns true if templates may call the function.
    pub(super) fn is_known(&self, name: &str) -> bool {
        OF_LANGUAGE.contains(&name) || name == "call" || self.functions.get(name).is_some()
    }

    /// Returns a call without parentheses. The last argument may come through a pipe.
    pub(super) fn call(&mut self, name: &'static str, depth: usize) -> TextPart {
        if let Some(call) = self.special_call(name, depth) {
            return call;
        }
        let mut arguments = self.arguments(name, depth);
        if self.dice.one_in(3)
            && let Some(last) = arguments.pop()
        {
            return TextPart::operand(vec![last, TextPart::text(format!(" | {name}")), spaced(arguments)]);
        }
        TextPart::operand(vec![TextPart::text(name), spaced(arguments)])
    }

    fn arguments(&mut self, name: &'static str, depth: usize) -> Vec<TextPart> {
        const OF_LANGUAGE: Signature = Signature::variadic(&[Parameter::Any], Parameter::Any);
        let signature = self.functions.get(name).map_or(OF_LANGUAGE, |function| function.signature);
        let mut parameters = signature.fixed.to_vec();
        if let Some(rest) = signature.rest {
            let count = if self.functions.get(name).is_some() { self.dice.roll(3) } else { 1 };
            parameters.extend(std::iter::repeat_n(rest, count));
        }
        if matches!(name, "not" | "len") {
            parameters.truncate(1);
        }
        // A wrong number of arguments is an error.
        if self.dice.one_in(60) {
            parameters.pop();
        }
        parameters.into_iter().enumerate().map(|(index, parameter)| self.argument(name, index, parameter, depth)).collect()
    }

    fn argument(&mut self, name: &str, index: usize, parameter: Parameter, depth: usize) -> TextPart {
        if self.dice.one_in(30) && parameter != Parameter::Int && texts_of(name, index).is_none() {
            return self.any(depth);
        }
        match parameter {
            Parameter::Bool => self.boolean(depth),
            Parameter::Int => self.small_integer(),
            Parameter::Int64 | Parameter::Uint64 => TextPart::operand(vec![TextPart::text(self.dice.pick(&INTEGERS))]),
            Parameter::Float => TextPart::operand(vec![TextPart::text(self.dice.pick(&["1.5", "$.n", "0.5", "3"]))]),
            Parameter::String | Parameter::Bytes => self.text(name, index, depth),
            Parameter::Strings | Parameter::List => self.list(depth),
            Parameter::Map => self.map(depth),
            _ if NUMERIC.contains(&name) => self.number(depth),
            _ if OF_LISTS.contains(&(name, index)) => self.list(depth),
            _ if name == "len" => {
                if self.dice.one_in(2) {
                    self.list(depth)
                } else {
                    self.map(depth)
                }
            }
            _ => self.any(depth),
        }
    }
}

fn spaced(arguments: Vec<TextPart>) -> TextPart {
    TextPart::sequence(arguments.into_iter().map(|argument| TextPart::content(vec![TextPart::text(" "), argument])).collect())
}
