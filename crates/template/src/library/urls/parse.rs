//! URLs from text.

use std::net::Ipv6Addr;

use super::encoding::UrlPart;
use crate::format;

/// A URL in its parts, without escapes but in the query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ParsedUrl {
    pub(super) scheme: Vec<u8>,
    /// The text between the scheme and the query if it does not begin with a slash.
    pub(super) opaque: Vec<u8>,
    pub(super) user: Option<UserInfo>,
    /// The host with its port.
    pub(super) host: Vec<u8>,
    pub(super) path: Vec<u8>,
    pub(super) query: Vec<u8>,
    pub(super) fragment: Vec<u8>,
}

/// The user of a URL, without escapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UserInfo {
    pub(super) name: Vec<u8>,
    pub(super) password: Option<Vec<u8>>,
}

/// Splits bytes at the first occurrence of a byte; the second part is None if there is none.
fn cut(bytes: &[u8], at: u8) -> (&[u8], Option<&[u8]>) {
    match bytes.iter().position(|byte| *byte == at) {
        Some(position) => (&bytes[..position], Some(&bytes[position + 1..])),
        None => (bytes, None),
    }
}

impl ParsedUrl {
    /// Parses a URL. An error has the text of Go.
    pub(super) fn parse(text: &[u8]) -> Result<Self, String> {
        let (address, fragment) = cut(text, b'#');
        let problem = |text: &[u8], problem: String| format!("parse {}: {problem}", format::quote(text));
        let mut url = Self::parse_address(address).map_err(|reason| problem(address, reason))?;
        let fragment = fragment.unwrap_or_default();
        url.fragment = UrlPart::Fragment.unescape(fragment).map_err(|reason| problem(text, reason))?;
        Ok(url)
    }

    /// Parses a URL without its fragment.
    fn parse_address(text: &[u8]) -> Result<Self, String> {
        if text.iter().any(u8::is_ascii_control) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        let mut url = Self::default();
        if text == b"*" {
            url.path = text.to_vec();
            return Ok(url);
        }
        let (scheme, rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (rest, query) = cut(rest, b'?');
        url.query = query.unwrap_or_default().to_vec();
        if !rest.starts_with(b"/") {
            if !scheme.is_empty() {
                url.opaque = rest.to_vec();
                return Ok(url);
            }
            if cut(rest, b'/').0.contains(&b':') {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let mut path = rest;
        let has_authority = !scheme.is_empty() || !rest.starts_with(b"///");
        if let Some(authority) = rest.strip_prefix(b"//").filter(|_| has_authority) {
            let end = authority.iter().position(|byte| *byte == b'/').unwrap_or(authority.len());
            url.parse_authority(&authority[..end])?;
            path = &authority[end..];
        }
        url.path = UrlPart::Path.unescape(path)?;
        Ok(url)
    }

    fn parse_authority(&mut self, authority: &[u8]) -> Result<(), String> {
        let at = authority.iter().rposition(|byte| *byte == b'@');
        self.host = parse_host(&self.scheme, at.map_or(authority, |at| &authority[at + 1..]))?;
        if let Some(at) = at {
            self.user = Some(UserInfo::parse(&authority[..at])?);
        }
        Ok(())
    }

    /// Returns the host without its port, and without the brackets of an IPv6 address.
    pub(super) fn host_name(&self) -> &[u8] {
        let colon = self.host.iter().rposition(|byte| *byte == b':').filter(|at| is_port(&self.host[*at..]));
        let host = &self.host[..colon.unwrap_or(self.host.len())];
        host.strip_prefix(b"[").and_then(|host| host.strip_suffix(b"]")).unwrap_or(host)
    }
}

impl UserInfo {
    fn parse(text: &[u8]) -> Result<Self, String> {
        let is_valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(byte);
        if !text.iter().all(is_valid) {
            return Err("net/url: invalid userinfo".to_owned());
        }
        let (name, password) = cut(text, b':');
        let name = UrlPart::User.unescape(name)?;
        let password = password.map(|password| UrlPart::User.unescape(password)).transpose()?;
        Ok(Self { name, password })
    }
}

/// Returns the scheme, which is empty if there is none, and the text behind it.
fn split_scheme(text: &[u8]) -> Result<(&[u8], &[u8]), String> {
    for (index, byte) in text.iter().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index > 0 => return Ok((&text[..index], &text[index + 1..])),
            b':' => return Err("missing protocol scheme".to_owned()),
            _ => break,
        }
    }
    Ok((&[], text))
}

/// Returns true for a colon with digits behind it, or nothing.
fn is_port(text: &[u8]) -> bool {
    match text {
        [] => true,
        [b':', digits @ ..] => digits.iter().all(u8::is_ascii_digit),
        _ => false,
    }
}

fn invalid_port(port: &[u8]) -> String {
    format!("invalid port {} after host", format::quote(port))
}

/// Returns a host without escapes, with its port.
fn parse_host(scheme: &[u8], host: &[u8]) -> Result<Vec<u8>, String> {
    match host.iter().rposition(|byte| *byte == b'[') {
        Some(0) => return parse_address_in_brackets(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Databases have lists of hosts with ports, of which the last port counts.
    let is_strict = scheme == b"http" || scheme == b"https";
    let colon = if is_strict { host.iter().position(|byte| *byte == b':') } else { host.iter().rposition(|byte| *byte == b':') };
    if let Some(port) = colon.map(|at| &host[at..]).filter(|port| !is_port(port)) {
        return Err(invalid_port(port));
    }
    UrlPart::Host.unescape(host)
}

/// Parses an IPv6 address in brackets, with a port.
fn parse_address_in_brackets(host: &[u8]) -> Result<Vec<u8>, String> {
    let end = host.iter().rposition(|byte| *byte == b']').ok_or("missing ']' in host")?;
    let port = &host[end + 1..];
    if !is_port(port) {
        return Err(invalid_port(port));
    }
    let address = &host[1..end];
    let zone = memchr::memmem::find(address, b"%25").unwrap_or(address.len());
    let mut name = UrlPart::Host.unescape(&address[..zone])?;
    name.extend(UrlPart::Zone.unescape(&address[zone..])?);
    check_address(&name)?;
    Ok([b"[", &name[..], b"]", port].concat())
}

/// Checks that a host in brackets is an IPv6 address, with or without a zone.
fn check_address(name: &[u8]) -> Result<(), String> {
    let (address, zone) = cut(name, b'%');
    let invalid = |reason: &str| {
        let shown = format::quote(name);
        Err(format!("invalid host: ParseAddr({shown}): {reason}"))
    };
    let text = String::from_utf8_lossy(address);
    if text.parse::<std::net::Ipv4Addr>().is_ok() && zone.is_none() {
        return Err("invalid IP-literal".to_owned());
    }
    match (text.parse::<Ipv6Addr>(), zone) {
        (Ok(_), Some([])) => invalid("zone must be a non-empty string"),
        (Ok(_), _) => Ok(()),
        (Err(_), _) => invalid("unable to parse IP"),
    }
}
