//! Patterns of `.Files.Glob`: `*` and `?` within a directory, `**` across directories, `[…]`, `{…,…}` and `\`.

use regex::Regex;

/// Compiles a pattern; None for a malformed one.
pub(super) fn compile(pattern: &str) -> Option<Regex> {
    let mut expression = String::from("(?s)^");
    let mut characters = pattern.chars().peekable();
    let mut open = 0_usize;
    while let Some(character) = characters.next() {
        match character {
            '*' => {
                if characters.next_if_eq(&'*').is_some() {
                    while characters.next_if_eq(&'*').is_some() {}
                    expression.push_str(".*");
                } else {
                    expression.push_str("[^/]*");
                }
            }
            '?' => expression.push_str("[^/]"),
            '\\' => push_literal(&mut expression, characters.next()?),
            '[' => {
                expression.push('[');
                if characters.next_if_eq(&'!').is_some() {
                    expression.push('^');
                }
                let mut members: Vec<(char, bool)> = Vec::new();
                loop {
                    match characters.next()? {
                        ']' => break,
                        '\\' => members.push((characters.next()?, true)),
                        member => members.push((member, false)),
                    }
                }
                push_class(&mut expression, &members)?;
                expression.push(']');
            }
            '{' => {
                open += 1;
                expression.push_str("(?:");
            }
            '}' if open > 0 => {
                open -= 1;
                expression.push(')');
            }
            ',' if open > 0 => expression.push('|'),
            other => push_literal(&mut expression, other),
        }
    }
    if open > 0 {
        return None;
    }
    expression.push('$');
    Regex::new(&expression).ok()
}

/// Writes the members of a class: one range, or single characters.
fn push_class(expression: &mut String, members: &[(char, bool)]) -> Option<()> {
    match members {
        [] => return None,
        [(first, _), ('-', false), (last, _)] => {
            push_literal(expression, *first);
            expression.push('-');
            push_literal(expression, *last);
        }
        members => members.iter().for_each(|(member, _)| push_literal(expression, *member)),
    }
    Some(())
}

fn push_literal(expression: &mut String, character: char) {
    expression.push_str(&regex::escape(character.encode_utf8(&mut [0; 4])));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_helm_documents_them() {
        for (pattern, text, expected) in [
            ("*.txt", "a.txt", true),
            ("*.txt", "a/b.txt", false),
            ("**.txt", "a/b.txt", true),
            ("a/**", "a/b/c", true),
            ("**/c", "a/b/c", true),
            ("a?c", "a/c", false),
            ("[a-c].x", "b.x", true),
            ("[!a-c].x", "b.x", false),
            ("[abc].x", "c.x", true),
            ("a.{x,y*}", "a.yz", true),
            ("a.{x,y}", "a.z", false),
            ("a\\*", "a*", true),
            ("a,b", "a,b", true),
            ("a<b>^$", "a<b>^$", true),
            ("[a^&~<]", "<", true),
            ("[a^&~<]", "x", false),
        ] {
            assert_eq!(compile(pattern).unwrap().is_match(text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn malformed_patterns_are_none() {
        for pattern in ["[", "[]", "{a", "\\"] {
            assert!(compile(pattern).is_none(), "{pattern}");
        }
    }
}
