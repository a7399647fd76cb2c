//! JSON values as rules see them: typed by the schema, members under names that CEL can write.

use std::collections::HashMap;
use std::sync::Arc;

use base64::Engine as _;
use kube_cel::cel::objects::{Key, Map};
use kube_cel::cel::{Context, Program, Value as Cel};
use serde_json::{Number, Value};

use crate::schema::node::{Node, Type};

/// Converts a value; `node` is absent where the schema says nothing.
pub(super) fn convert(value: &Value, node: Option<&Node>, context: &Context<'_>) -> Cel {
    match value {
        Value::Null => Cel::Null,
        Value::Bool(value) => Cel::Bool(*value),
        Value::Number(value) => number(value, node),
        Value::String(value) => text(value, node, context),
        Value::Array(items) => {
            let node = node.and_then(|node| node.items.as_deref());
            Cel::List(Arc::new(items.iter().map(|item| convert(item, node, context)).collect()))
        }
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| {
                // The keys of a map are data; the members of an object are names.
                let declared = node.is_none_or(|node| node.additional.is_none());
                let key = if declared { escaped(name) } else { name.clone() };
                (Key::String(Arc::new(key)), convert(value, node.and_then(|node| node.member(name)), context))
            });
            Cel::Map(Map { map: Arc::new(members.collect::<HashMap<_, _>>()) })
        }
    }
}

fn number(value: &Number, node: Option<&Node>) -> Cel {
    let float = value.as_f64().unwrap_or(f64::NAN);
    match (node.and_then(|node| node.type_), value.as_i64(), value.as_u64()) {
        (Some(Type::Number), ..) => Cel::Float(float),
        (_, Some(value), _) => Cel::Int(value),
        (_, None, Some(value)) => Cel::UInt(value),
        (Some(Type::Integer), None, None) => Cel::Int(float as i64),
        (_, None, None) => Cel::Float(float),
    }
}

fn text(value: &str, node: Option<&Node>, context: &Context<'_>) -> Cel {
    let plain = || Cel::String(Arc::new(value.to_owned()));
    let format = node.filter(|node| !node.int_or_string).and_then(|node| node.checks.format.as_deref());
    match format {
        Some("date-time") => call("timestamp(text)", value, context).unwrap_or_else(plain),
        Some("date") => call("timestamp(text)", &format!("{value}T00:00:00Z"), context).unwrap_or_else(plain),
        Some("duration") => call("duration(text)", value, context).unwrap_or_else(plain),
        Some("byte") => {
            base64::engine::general_purpose::STANDARD.decode(value).map_or_else(|_| plain(), |bytes| Cel::Bytes(Arc::new(bytes)))
        }
        _ => plain(),
    }
}

/// Times and durations are made by the library's own functions, so that their types stay its business.
fn call(expression: &str, argument: &str, context: &Context<'_>) -> Option<Cel> {
    let mut scope = context.new_inner_scope();
    scope.add_variable_from_value("text", Cel::String(Arc::new(argument.to_owned())));
    Program::compile(expression).ok()?.execute(&scope).ok()
}

/// The name of a member as a rule writes it.
///
/// See <https://kubernetes.io/docs/reference/using-api/cel/#escaping>.
pub(super) fn escaped(name: &str) -> String {
    const RESERVED: [&str; 21] = [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ];
    if RESERVED.contains(&name) {
        return format!("__{name}__");
    }
    if !name.contains("__") && !name.contains(['.', '-', '/']) {
        return name.to_owned();
    }
    name.replace("__", "__underscores__").replace('.', "__dot__").replace('-', "__dash__").replace('/', "__slash__")
}
