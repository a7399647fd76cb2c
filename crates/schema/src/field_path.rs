//! Paths to a field of a schema, such as `.spec.a` or `.spec['a.b']`, in rules and selectable fields.

use serde_json::{Map, Value};

/// A resolved path.
#[derive(Clone, Debug)]
pub struct FieldOfSchema<'s> {
    /// The path as errors print it: `spec.a`, `spec.labels[x]`.
    pub path: String,
    /// The schema at the path.
    pub schema: &'s Map<String, Value>,
}

/// Resolves a path, which may contain brackets if `brackets` is true.
///
/// # Errors
///
/// A path that does not lead to a field is an error with the text of the real server.
pub fn resolve<'s>(path: &str, schema: &'s Map<String, Value>, brackets: bool) -> Result<FieldOfSchema<'s>, String> {
    let mut found = FieldOfSchema { path: String::new(), schema };
    let mut tokens = tokens(path).into_iter();
    let ended = || "unexpected end of JSON path".to_owned();
    while let Some(token) = tokens.next() {
        match token.as_str() {
            "[" if !brackets => return Err("array notation is not allowed".to_owned()),
            "[" => {
                let token = tokens.next().ok_or_else(ended)?;
                let quoted = token.strip_prefix('\'').and_then(|token| token.strip_suffix('\''));
                let Some(quoted) = quoted.filter(|_| token.len() >= 2) else {
                    return Err(format!("expected single quoted string but got {token}"));
                };
                found.step(&unescaped(quoted)?)?;
                let token = tokens.next().ok_or_else(ended)?;
                if token != "]" {
                    return Err(format!("expected ] but got {token}"));
                }
            }
            "." => found.step(&tokens.next().ok_or_else(ended)?)?,
            other => return Err(format!("expected [ or . but got: {other}")),
        }
    }
    Ok(found)
}

impl FieldOfSchema<'_> {
    fn step(&mut self, name: &str) -> Result<(), String> {
        let members = |field: &str| self.schema.get(field).and_then(Value::as_object);
        let next = if let Some(properties) = members("properties").filter(|properties| !properties.is_empty()) {
            if !self.path.is_empty() {
                self.path.push('.');
            }
            self.path.push_str(name);
            properties.get(name).and_then(Value::as_object)
        } else {
            self.path.extend(["[", name, "]"]);
            members("additionalProperties")
        };
        self.schema = next.ok_or("does not refer to a valid field")?;
        Ok(())
    }
}

/// Splits a path into dots, brackets, quoted texts, and the text between them.
fn tokens(path: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut quoted = false;
    for c in path.chars() {
        if quoted {
            quoted = c != '\'' || token.ends_with('\\');
            token.push(c);
            if !quoted {
                tokens.push(std::mem::take(&mut token));
            }
            continue;
        }
        if matches!(c, '.' | '[' | ']') {
            if !token.is_empty() {
                tokens.push(std::mem::take(&mut token));
            }
            tokens.push(c.to_string());
        } else {
            quoted = c == '\'' && token.is_empty();
            token.push(c);
        }
    }
    if !token.is_empty() {
        tokens.push(token);
    }
    tokens
}

fn unescaped(text: &str) -> Result<String, String> {
    let mut result = String::new();
    let mut characters = text.chars();
    while let Some(c) = characters.next() {
        if c != '\\' {
            result.push(c);
            continue;
        }
        result.push(match characters.next() {
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('v') => '\u{b}',
            Some(c @ ('\'' | '\\')) => c,
            Some(other) => return Err(format!("invalid string literal: invalid escape char \\{other}")),
            None => '\\',
        });
    }
    Ok(result)
}
