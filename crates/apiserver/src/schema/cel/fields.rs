//! Checking the fields that a rule names against the schema.

use kube_cel::cel::common::ast::{ComprehensionExpr, EntryExpr, Expr};
use kube_cel::cel::parser::Expression;

use crate::schema::node::{Additional, Node, Type};

use super::convert::escaped;

/// The first field that cannot be there, as the compiler of the real server puts it.
pub(super) fn check(source: &str, expression: &Expression, root: &Node) -> Option<String> {
    let mut checker = Checker { root, problem: None };
    checker.walk(expression);
    let (path, message) = checker.problem?;
    Some(framed(source, &path, &message))
}

struct Checker<'n> {
    root: &'n Node,
    /// The chain of members up to the wrong one, and what is wrong with it.
    problem: Option<(String, String)>,
}

impl<'n> Checker<'n> {
    fn walk(&mut self, expression: &Expression) {
        match &expression.expr {
            Expr::Select(_) => {
                self.resolve(expression);
            }
            Expr::Call(call) => call.target.iter().map(Box::as_ref).chain(&call.args).for_each(|part| self.walk(part)),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
            Expr::List(list) => list.elements.iter().for_each(|element| self.walk(element)),
            Expr::Map(map) => {
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        self.walk(&entry.key);
                        self.walk(&entry.value);
                    }
                }
            }
            Expr::Struct(_) | Expr::Ident(_) | Expr::Literal(_) | Expr::Unspecified => {}
        }
    }

    fn comprehension(&mut self, comprehension: &ComprehensionExpr) {
        // A variable that hides `self` would need scopes; rules like that are left to evaluation.
        if [Some(&comprehension.iter_var), comprehension.iter_var2.as_ref()].into_iter().flatten().any(|name| name == "self") {
            return;
        }
        for part in [
            &comprehension.iter_range,
            &comprehension.accu_init,
            &comprehension.loop_cond,
            &comprehension.loop_step,
            &comprehension.result,
        ] {
            self.walk(part);
        }
    }

    /// The schema behind a chain of members that starts at `self`, and the chain as text; nothing where the schema does not say.
    fn resolve(&mut self, expression: &Expression) -> Option<(&'n Node, String)> {
        match &expression.expr {
            Expr::Ident(name) if name == "self" || name == "oldSelf" => Some((self.root, name.clone())),
            Expr::Select(select) => {
                let (node, chain) = self.resolve(&select.operand)?;
                let chain = format!("{chain}.{}", select.field);
                match member(node, &select.field) {
                    Ok(member) => member.map(|member| (member, chain)),
                    Err(problem) => {
                        self.problem.get_or_insert((chain, problem));
                        None
                    }
                }
            }
            _ => {
                self.walk(expression);
                None
            }
        }
    }
}

fn member<'n>(node: &'n Node, name: &str) -> Result<Option<&'n Node>, String> {
    if node.int_or_string || node.preserve_unknown || node.embedded_resource {
        return Ok(node.properties.iter().find(|(property, _)| escaped(property) == name).map(|(_, node)| node));
    }
    let type_name = match node.type_ {
        None => return Ok(None),
        Some(Type::Object) => {
            if let Some((_, property)) = node.properties.iter().find(|(property, _)| escaped(property) == name) {
                return Ok(Some(property));
            }
            return match &node.additional {
                Some(Additional::Schema(node)) => Ok(Some(node)),
                Some(Additional::Any) => Ok(None),
                // Every object has these, whatever its schema says, and only objects do.
                None if matches!(name, "apiVersion" | "kind" | "metadata") => Ok(None),
                None => Err(format!("undefined field '{name}'")),
            };
        }
        Some(Type::Array) => "list",
        // Dates and durations have methods, which are no fields.
        Some(Type::String) => "string",
        Some(Type::Integer) => "int",
        Some(Type::Number) => "double",
        Some(Type::Boolean) => "bool",
    };
    Err(format!("type '{type_name}' does not support field selection"))
}

/// The message with an excerpt that points at the last dot of the chain.
fn framed(source: &str, chain: &str, message: &str) -> String {
    let dot = chain.rfind('.').unwrap_or_default();
    let at = source.find(chain).map_or(0, |start| start + dot);
    let before = &source[..at];
    let line_number = before.matches('\n').count() + 1;
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = source[line_start..].lines().next().unwrap_or_default();
    let column = at - line_start;
    format!("ERROR: <input>:{line_number}:{}: {message}\n | {line}\n | {}^", column + 1, ".".repeat(column))
}
