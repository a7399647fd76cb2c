//! Functions of `kube-cel`: quantities, versions, addresses, web addresses, formats, and the parts of times.

use std::sync::LazyLock;

use kube_cel::KubeCelExt as _;
use kube_cel::cel::common::ast::{CallExpr, Expr, IdedExpr};
use kube_cel::cel::{Context, Value as Cel};

use super::failure::Failure;
use super::program::{as_optional, none, some};

/// All functions, registered once.
static FUNCTIONS: LazyLock<Context<'static>> = LazyLock::new(|| Context::default().with_all());

/// Names for arguments.
const NAMES: [&str; 4] = ["a", "b", "c", "d"];

/// Calls a function of the library.
pub(in crate::schema::cel) fn call(name: &str, member: bool, arguments: &[Cel]) -> Result<Cel, Failure> {
    let mut scope = FUNCTIONS.new_inner_scope();
    let mut parts = Vec::new();
    for (name, argument) in NAMES.into_iter().zip(arguments) {
        scope.add_variable_from_value(name, argument.clone());
        parts.push(IdedExpr { id: 0, expr: Expr::Ident(name.to_owned()) });
    }
    let target = if member && !parts.is_empty() { Some(Box::new(parts.remove(0))) } else { None };
    // A function of a name space is known by its whole name.
    let (target, function) = match name.rsplit_once('.') {
        Some((space, function)) if target.is_none() => {
            (Some(Box::new(IdedExpr { id: 0, expr: Expr::Ident(space.to_owned()) })), function)
        }
        _ => (target, name),
    };
    let call = CallExpr { func_name: function.to_owned(), target, args: parts };
    let result = scope.resolve(&IdedExpr { id: 0, expr: Expr::Call(call) })?;
    Ok(match name {
        // The library yields the content itself, or null.
        "format.named" if as_optional(&result).is_none() => match result {
            Cel::Null => none(),
            found => some(found),
        },
        _ => result,
    })
}
