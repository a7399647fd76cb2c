//! Warnings about addresses, of services and of pods.

use std::net::IpAddr;

use serde_json::Value;

/// Warns about an address that is not in canonical form.
pub(super) fn address(warnings: &mut Vec<String>, path: &str, address: &Value) {
    let text = address.as_str().unwrap_or_default();
    match text.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) => match address.to_ipv4_mapped() {
            Some(mapped) => {
                warnings.push(format!("{path}: non-standard IP address {text:?} is invalid: use {:?}", mapped.to_string()))
            }
            None if address.to_string() != text => warnings.push(format!(
                "{path}: IPv6 address {text:?} should be in RFC 5952 canonical format ({:?})",
                address.to_string()
            )),
            None => {}
        },
        Ok(IpAddr::V4(_)) | Err(_) => {}
    }
}
