//! Functions of `kube-cel`: quantities, versions, addresses, URLs, formats, and the parts of times.

use std::sync::LazyLock;

use kube_cel::KubeCelExt as _;
use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr};
use kube_cel::cel::{Context, Value as Cel};

use super::failure::EvaluationFailure;
use super::values::{as_optional, none, some};

/// The functions of the library, registered once.
static FUNCTIONS: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_all());

/// The names of the variables that hold the arguments of a call.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Calls a function of the library.
pub(crate) fn call(name: &str, member: bool, arguments: &[Cel]) -> Result<Cel, EvaluationFailure> {
    let mut scope = FUNCTIONS.new_inner_scope();
    let mut parts = Vec::new();
    for (name, argument) in NAMES.into_iter().zip(arguments) {
        scope.add_variable_from_value(name, argument.clone());
        parts.push(IdedExpr { id: 0, expr: Expr::Ident(name.to_owned()) });
    }
    let target = if member && !parts.is_empty() { Some(Box::new(parts.remove(0))) } else { None };
    // The library expects the namespace of a function in the place of a target.
    let (target, function) = match name.rsplit_once('.') {
        Some((space, function)) if target.is_none() => {
            (Some(Box::new(IdedExpr { id: 0, expr: Expr::Ident(space.to_owned()) })), function)
        }
        _ => (target, name),
    };
    let call = CallExpr { func_name: function.to_owned(), target, args: parts };
    let result = scope
        .resolve(&IdedExpr { id: 0, expr: Expr::Call(call) })
        .map_err(|error| explained(name, arguments, EvaluationFailure::from(error)))?;
    Ok(match name {
        // The library returns the content itself or null instead of an optional.
        "format.named" if as_optional(&result).is_none() => match result {
            Cel::Null => none(),
            found => some(found),
        },
        _ => result,
    })
}

/// Replaces the failure for a text that is no quantity or address by that of the real server.
fn explained(name: &str, arguments: &[Cel], failure: EvaluationFailure) -> EvaluationFailure {
    const CIDR: &str = "network address parse error during conversion from string";
    let Some(Cel::String(text)) = arguments.first() else {
        return failure;
    };
    EvaluationFailure::new(match name {
        "quantity" => "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'".to_owned(),
        "ip" | "ip.isCanonical" if text.starts_with("::ffff:") => format!("IPv4-mapped IPv6 address {text:?} is not allowed"),
        "ip" | "ip.isCanonical" => {
            format!("IP Address {text:?} parse error during conversion from string: ParseAddr({text:?}): unable to parse IP")
        }
        "cidr" if !text.contains('/') => format!("{CIDR}: {CIDR}: netip.ParsePrefix({text:?}): no '/'"),
        "url" if text.is_empty() => "URL parse error during conversion from string: parse \"\": empty url".to_owned(),
        "url" => format!("URL parse error during conversion from string: parse {text:?}: invalid URI for request"),
        "semver" | "isSemver" if text.is_empty() => "Version string empty".to_owned(),
        _ => return failure,
    })
}
