//! Checks of defaults and bounds of primitive types at compile time. Those of other types are checked by each call of `from_data`, and so by any
//! test.

use std::str::FromStr;

use syn::Type;

/// Returns the problem of a text as a value of a type; none for types that are not primitive.
pub(super) fn fault(ty: &Type, text: &str) -> Option<String> {
    let Type::Path(path) = ty else { return None };
    let ident = path.path.get_ident()?.to_string();
    let valid = match ident.as_str() {
        "bool" => matches!(text, "1" | "t" | "T" | "TRUE" | "true" | "True" | "0" | "f" | "F" | "FALSE" | "false" | "False"),
        "i8" => is::<i8>(text),
        "i16" => is::<i16>(text),
        "i32" => is::<i32>(text),
        "i64" | "isize" => is::<i64>(text),
        "i128" => is::<i128>(text),
        "u8" => is_unsigned::<u8>(text),
        "u16" => is_unsigned::<u16>(text),
        "u32" => is_unsigned::<u32>(text),
        "u64" | "usize" => is_unsigned::<u64>(text),
        "u128" => is_unsigned::<u128>(text),
        "f32" => text.parse().is_ok_and(f32::is_finite),
        "f64" => text.parse().is_ok_and(f64::is_finite),
        _ => true,
    };
    if valid { None } else { Some(format!("{text:?} is no value of type `{ident}`")) }
}

fn is<T: FromStr>(text: &str) -> bool {
    text.parse::<T>().is_ok()
}

fn is_unsigned<T: FromStr>(text: &str) -> bool {
    !text.starts_with('+') && is::<T>(text)
}
