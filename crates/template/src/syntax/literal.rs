//! The values of strings and of character constants.

use super::tree::NumberLiteral;
use crate::value::GoString;

const INVALID: &str = "invalid syntax";

/// A character of a literal, after its escape is resolved.
enum Unescaped {
    /// A byte that an escape names by its number; it need not be UTF-8.
    Byte(u8),
    Char(char),
}

/// Returns the value of a string in double quotes or in back quotes.
pub(super) fn unquote(literal: &str) -> Result<GoString, &'static str> {
    let content = literal.get(1..literal.len().saturating_sub(1)).ok_or(INVALID)?;
    if literal.starts_with('`') {
        return Ok(if content.contains('\r') { content.replace('\r', "").into() } else { content.into() });
    }
    if !content.contains('\\') {
        return Ok(content.into());
    }
    let mut value = Vec::with_capacity(content.len());
    let mut rest = content;
    while !rest.is_empty() {
        match unescape(&mut rest, '"').ok_or(INVALID)? {
            Unescaped::Byte(byte) => value.push(byte),
            Unescaped::Char(character) => value.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    Ok(value.into())
}

/// Returns the value of a character constant.
pub(super) fn character(literal: &str) -> Result<NumberLiteral, String> {
    let mut rest = literal.get(1..).unwrap_or_default();
    let value = match unescape(&mut rest, '\'').ok_or(INVALID)? {
        Unescaped::Byte(byte) => u32::from(byte),
        Unescaped::Char(character) => u32::from(character),
    };
    if rest != "'" {
        return Err(format!("malformed character constant: {literal}"));
    }
    Ok(NumberLiteral {
        integer: Some(i64::from(value)),
        unsigned: Some(u64::from(value)),
        float: Some(f64::from(value)),
        complex: None,
        is_character: true,
        literal: literal.into(),
    })
}

/// Takes a character from the front of a text. A quote must be escaped, and only the given one can be.
fn unescape(rest: &mut &str, quote: char) -> Option<Unescaped> {
    let first = take(rest)?;
    if first == quote {
        return None;
    }
    if first != '\\' {
        return Some(Unescaped::Char(first));
    }
    Some(Unescaped::Char(match take(rest)? {
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\u{b}',
        '\\' => '\\',
        'x' => return u8::try_from(digits(rest, 2, 16)?).ok().map(Unescaped::Byte),
        'u' => char::from_u32(digits(rest, 4, 16)?)?,
        'U' => char::from_u32(digits(rest, 8, 16)?)?,
        high @ '0'..='7' => {
            let number = high.to_digit(8)? * 64 + digits(rest, 2, 8)?;
            return u8::try_from(number).ok().map(Unescaped::Byte);
        }
        other if other == quote => quote,
        _ => return None,
    }))
}

fn take(rest: &mut &str) -> Option<char> {
    let first = rest.chars().next()?;
    *rest = &rest[first.len_utf8()..];
    Some(first)
}

fn digits(rest: &mut &str, count: usize, radix: u32) -> Option<u32> {
    let number = rest.get(..count)?;
    *rest = &rest[count..];
    // The conversion alone would accept a sign.
    if number.starts_with('+') { None } else { u32::from_str_radix(number, radix).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_give_bytes_and_characters() {
        for (literal, expected) in [
            (r#""plain é""#, "plain é".as_bytes()),
            (r#""\a\b\f\n\r\t\v\\\"""#, b"\x07\x08\x0c\n\r\t\x0b\\\""),
            (r#""\x41\xff\101\377\u00e9\U0001F600""#, b"A\xffA\xff\xc3\xa9\xf0\x9f\x98\x80"),
            ("`a\\n\r\nb\"`", b"a\\n\nb\""),
            (r#""""#, b""),
        ] {
            assert_eq!(unquote(literal).unwrap().as_bytes(), expected, "{literal}");
        }
    }

    #[test]
    fn malformed_escapes_are_refused() {
        for literal in [
            r#""\z""#,
            r#""\'""#,
            r#""\x4""#,
            r#""\xg0""#,
            r#""\x+1""#,
            r#""\ud800""#,
            r#""\U00110000""#,
            r#""\400""#,
            r#""\08""#,
            r#""\uéa""#,
        ] {
            assert_eq!(unquote(literal), Err("invalid syntax"), "{literal}");
        }
    }

    #[test]
    fn character_constants_are_numbers() {
        for (literal, expected) in
            [("'a'", 97), ("'é'", 233), (r"'\n'", 10), (r"'\''", 39), (r"'\xff'", 255), (r"'\u4e16'", 0x4e16)]
        {
            let number = character(literal).unwrap();
            assert_eq!((number.integer, number.is_character), (Some(expected), true), "{literal}");
        }
        for (literal, expected) in
            [("''", "invalid syntax"), ("'ab'", "malformed character constant: 'ab'"), (r#"'\"'"#, "invalid syntax")]
        {
            assert_eq!(character(literal).unwrap_err(), expected);
        }
    }
}
