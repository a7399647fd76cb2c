//! Checks of literals that would fail whenever they are evaluated.

use kubewright_machinery::pattern;

use super::checker::{Checked, ExpressionError};
use super::types::CelType;
use crate::cel::syntax::{Expression, ExpressionKind, Literal, ParsedExpression};
use crate::format;

/// Reports texts that are no duration, time or regular expression, and lists and maps of mixed types.
pub(super) fn check(parsed: &ParsedExpression, checked: &Checked<'_>) -> Vec<ExpressionError> {
    let mut problems = Vec::new();
    parsed.root.visit(&mut |expression| {
        let mut report = |at: &Expression, text: String| problems.push(ExpressionError { at: parsed.positions[at.id], text });
        match &expression.kind {
            ExpressionKind::Call { function, arguments, .. } => {
                if let Some(first) = arguments.first()
                    && let ExpressionKind::Literal(literal) = &first.kind
                    && !is_valid(function, literal)
                {
                    report(first, format!("invalid {function} argument"));
                }
            }
            ExpressionKind::List(elements) => {
                let mut types = elements.iter().map(|(element, optional)| (element, content(checked, element, *optional)));
                if let Some((_, wanted)) = types.next()
                    && let Some((element, found)) = types.find(|(_, found)| *found != wanted)
                {
                    report(element, format!("expected type '{wanted}' but found '{found}'"));
                }
            }
            ExpressionKind::Map(entries) => {
                let Some((key, value, optional)) = entries.first() else {
                    return;
                };
                let wanted = (content(checked, key, false), content(checked, value, *optional));
                for (key, value, optional) in &entries[1..] {
                    let found = (content(checked, key, false), content(checked, value, *optional));
                    if found.0 != wanted.0 {
                        report(key, format!("expected type '{}' but found '{}'", wanted.0, found.0));
                    }
                    if found.1 != wanted.1 {
                        report(value, format!("expected type '{}' but found '{}'", wanted.1, found.1));
                    }
                }
            }
            _ => {}
        }
    });
    problems.sort();
    problems.dedup();
    problems
}

fn content(checked: &Checked<'_>, element: &Expression, optional: bool) -> CelType {
    let found = checked.type_of(element).clone();
    if optional { found.unwrapped().0 } else { found }
}

fn is_valid(function: &str, literal: &Literal) -> bool {
    let Literal::Text(text) = literal else {
        return true;
    };
    match function {
        "duration" => format::go_duration(text),
        "timestamp" => text.parse::<jiff::Timestamp>().is_ok(),
        "matches" => pattern::compile(text).is_ok(),
        _ => true,
    }
}
