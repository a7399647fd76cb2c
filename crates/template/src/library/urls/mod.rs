//! Functions of URLs, as Go's `net/url` reads and writes them.

mod encoding;
mod parse;
mod print;
#[cfg(test)]
mod tests;

use self::parse::{ParsedUrl, UserInfo};
use super::limits;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::{GoMap, GoString, GoValue};

/// Adds the functions of URLs.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("urlParse", Signature::of(&[Parameter::String]), |call| {
        let text = call.string(0);
        let url =
            ParsedUrl::parse(text.as_bytes()).map_err(|problem| FunctionError::new(format!("unable to parse url: {problem}")))?;
        Ok(parts(&url).into())
    });
    functions.add("urlJoin", Signature::of(&[Parameter::Map]), |call| {
        let GoValue::Map(map) = call.take(0) else { return Ok("".into()) };
        joined(&map)
    });
}

/// Returns the map of a URL's parts, without escapes but in the user and the query.
fn parts(url: &ParsedUrl) -> GoMap {
    let parts = [
        ("scheme", url.scheme.clone()),
        ("host", url.host.clone()),
        ("hostname", url.host_name().to_vec()),
        ("path", url.path.clone()),
        ("query", url.query.clone()),
        ("opaque", url.opaque.clone()),
        ("fragment", url.fragment.clone()),
        ("userinfo", url.user.as_ref().map(UserInfo::print).unwrap_or_default()),
    ];
    GoMap::from_pairs(parts.map(|(key, part)| (key, GoValue::string(part))))
}

/// Returns the URL of a map of parts.
fn joined(map: &GoMap) -> Result<GoValue, FunctionError> {
    let part = |key: &str| match map.get(&GoString::from(key)) {
        None => Ok(Vec::new()),
        Some(GoValue::String(text)) => Ok(text.as_bytes().to_vec()),
        Some(GoValue::Nil) => Err(limits::nil_pointer()),
        Some(other) => {
            let kind = other.kind();
            Err(FunctionError::new(format!("unable to parse {key} key, must be of type string, but {kind} found")))
        }
    };
    let mut url = ParsedUrl {
        scheme: part("scheme")?,
        host: part("host")?,
        path: part("path")?,
        query: part("query")?,
        opaque: part("opaque")?,
        fragment: part("fragment")?,
        ..ParsedUrl::default()
    };
    let user = part("userinfo")?;
    if !user.is_empty() {
        let example = [b"proto://", &user[..], b"@host"].concat();
        let example = ParsedUrl::parse(&example)
            .map_err(|problem| FunctionError::new(format!("unable to parse userinfo in dict: {problem}")))?;
        url.user = example.user;
    }
    Ok(GoValue::string(url.print()))
}
