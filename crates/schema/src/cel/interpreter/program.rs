//! Compiled expressions.

use kube_cel::cel::Value as Cel;
use kubewright_machinery::pattern;
use kubewright_machinery::stack::for_depth;
use regex::Regex;

use super::failure::EvaluationFailure;
use super::meter::Meter;
use super::scope::EvaluationScope;
use super::{functions, values};
use crate::cel::syntax::{self, Expression, ExpressionKind, ParsedExpression};
use crate::stack;

/// A compiled expression.
#[derive(Debug)]
pub(crate) struct CelProgram {
    parsed: ParsedExpression,
    /// The precomputed parts, by the id of the expression.
    known: Vec<Known>,
}

/// The precomputed result of a part of an expression.
#[derive(Debug, Default)]
pub(super) enum Known {
    #[default]
    Nothing,
    /// The part always has this value, which costs nothing.
    Value(Cel),
    /// The part calls a function of a text with a pattern that is always the same.
    Pattern(Regex),
}

/// The values of variables by name.
pub(crate) type Variables<'v> = &'v [(&'static str, Cel)];

/// The outcome of evaluating an expression.
#[derive(Debug)]
pub(crate) struct Evaluated {
    pub(crate) outcome: Result<Cel, EvaluationFailure>,
    /// The cost of the evaluation, in the units of the real server.
    pub(crate) cost: u64,
}

impl CelProgram {
    /// Compiles an expression; returns `None` if the text is not a valid one.
    pub(crate) fn compile(source: &str) -> Option<Self> {
        stack::for_text(source, || {
            let parsed = syntax::parse(source).ok()?;
            let mut known: Vec<_> = parsed.positions.iter().map(|_| Known::Nothing).collect();
            fold(&parsed.root, &mut known);
            Some(Self { parsed, known })
        })?
    }

    /// Returns true if a variable occurs in the expression.
    pub(crate) fn mentions(&self, variable: &str) -> bool {
        let mut found = false;
        let see = &mut |part: &Expression| found |= matches!(&part.kind, ExpressionKind::Ident(name) if name == variable);
        for_depth(self.parsed.root.extent.depth, || self.parsed.root.visit(see));
        found
    }

    /// Evaluates the expression, and fails if that costs more than the limit.
    pub(crate) fn evaluate(&self, variables: Variables<'_>, limit: u64) -> Evaluated {
        let root = &self.parsed.root;
        let evaluated = for_depth(root.extent.depth, || {
            let mut scope = EvaluationScope::new(self, variables, Meter::new(limit));
            let outcome = scope.evaluate(root);
            Evaluated { outcome, cost: scope.meter.cost() }
        });
        evaluated.unwrap_or(Evaluated { outcome: Err(EvaluationFailure::TooDear), cost: limit })
    }

    pub(super) fn known(&self, expression: &Expression) -> &Known {
        self.known.get(expression.id).unwrap_or(&Known::Nothing)
    }
}

/// Precomputes the constant parts of an expression.
fn fold(expression: &Expression, known: &mut [Known]) {
    expression.kind.parts(&mut |part| fold(part, known));
    let value = |part: &Expression| match &known[part.id] {
        Known::Value(value) => Some(value.clone()),
        _ => None,
    };
    let found = match &expression.kind {
        ExpressionKind::Literal(literal) => Known::Value(values::literal(literal)),
        ExpressionKind::List(elements) if elements.iter().all(|(_, optional)| !optional) => {
            let elements: Option<Vec<_>> = elements.iter().map(|(element, _)| value(element)).collect();
            elements.map_or(Known::Nothing, |elements| Known::Value(Cel::List(elements.into())))
        }
        ExpressionKind::Map(entries) if entries.iter().all(|(_, _, optional)| !optional) => {
            let entries: Option<Vec<_>> = entries.iter().map(|(key, member, _)| Some((value(key)?, value(member)?))).collect();
            entries.and_then(|entries| values::map(entries).ok()).map_or(Known::Nothing, Known::Value)
        }
        ExpressionKind::Call { function, target: None, arguments } if CONVERSIONS.contains(&function.as_str()) => {
            let [argument] = arguments.as_slice() else { return };
            let converted = value(argument).and_then(|value| functions::call(function, false, &[value]).ok());
            converted.map_or(Known::Nothing, Known::Value)
        }
        ExpressionKind::Call { function, target: None, arguments } if function == "@in" => {
            // An empty list contains no value.
            let empty =
                arguments.get(1).and_then(value).is_some_and(|list| matches!(&list, Cel::List(items) if items.is_empty()));
            if empty { Known::Value(Cel::Bool(false)) } else { Known::Nothing }
        }
        ExpressionKind::Call { function, target: Some(_), arguments }
            if matches!(function.as_str(), "matches" | "find" | "findAll") =>
        {
            match arguments.first().and_then(value) {
                Some(Cel::String(source)) => pattern::compile(&source).map_or(Known::Nothing, Known::Pattern),
                _ => Known::Nothing,
            }
        }
        _ => Known::Nothing,
    };
    known[expression.id] = found;
}

/// Conversion functions, which are precomputed if their argument is constant.
const CONVERSIONS: [&str; 10] = ["bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint"];
