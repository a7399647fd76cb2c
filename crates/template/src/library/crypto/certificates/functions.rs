//! The calls of the functions.

use std::net::IpAddr;

use super::certificate::{CertificateRequest, Issuer, issue};
use super::generator::SeededGenerator;
use super::key::PrivateKey;
use super::pem;
use super::value::CertificateValue;
use crate::function::FunctionCall;
use crate::library::encoding::base64;
use crate::library::printing;
use crate::value::{GoList, GoValue};

/// Calls a function of the table in the parent module. The error is Go's text, as far as it is not that of a parser.
pub(super) fn call(name: &str, call: &mut FunctionCall<'_>) -> Result<GoValue, String> {
    match name {
        "genPrivateKey" => {
            let kind = call.string(0);
            let kind = kind.to_text();
            let key = PrivateKey::generate(&kind, &mut SeededGenerator::new(call.host));
            // The error is the output, as that of `htpasswd` is.
            Ok(key.and_then(|key| key.to_pem()).unwrap_or_else(|error| error).into())
        }
        "buildCustomCert" => custom(call),
        _ => generated(name, call),
    }
}

/// Returns a certificate and a key that are given, after both have been read.
fn custom(call: &mut FunctionCall<'_>) -> Result<GoValue, String> {
    let decoded = |text: &[u8], what| base64::decode(text).map_err(|_| format!("unable to decode base64 {what}"));
    let certificate = decoded(call.string(0).as_bytes(), "certificate")?;
    let key = decoded(call.string(1).as_bytes(), "private key")?;
    let block = pem::decode(&certificate).ok_or("unable to decode certificate")?;
    Issuer::read(&block.content).map_err(|error| format!("error parsing certificate: decodedCert.Bytes: {error}"))?;
    PrivateKey::from_pem(&key).map_err(|error| format!("error parsing private key: {error}"))?;
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Ok(GoValue::object(CertificateValue { certificate: text(certificate), key: text(key) }))
}

fn generated(name: &str, call: &mut FunctionCall<'_>) -> Result<GoValue, String> {
    let is_authority = name.starts_with("genCA");
    let common_name = call.string(0).to_text().into_owned();
    let (days, authority_index) = if is_authority { (call.int(1), 2) } else { (call.int(3), 4) };
    let is_signed = name.starts_with("genSigned");
    let key_index = authority_index + usize::from(is_signed);
    let mut generator = SeededGenerator::new(call.host);
    let key = if name.ends_with("WithKey") {
        PrivateKey::from_pem(call.string(key_index).as_bytes()).map_err(|error| format!("parsing private key: {error}"))?
    } else {
        PrivateKey::generate_rsa(2048, &mut generator).map_err(|error| format!("error generating rsa key: {error}"))?
    };
    let issuer = if is_signed { Some(authority(&call.take(authority_index))?) } else { None };
    let (addresses, names) =
        if is_authority { (Vec::new(), Vec::new()) } else { (addresses(&call.list(1))?, names(&call.list(2))?) };
    let request = CertificateRequest { common_name, addresses, names, days, is_authority, now: call.host.now() };
    let signer = issuer.as_ref().map(|(issuer, key)| (issuer, key));
    let certificate =
        issue(&request, &key, signer, &mut generator).map_err(|error| format!("error creating certificate: {error}"))?;
    let key = key.to_pem()?;
    Ok(GoValue::object(CertificateValue { certificate: pem::encode("CERTIFICATE", &certificate), key }))
}

/// Returns the authority that signs a certificate.
fn authority(value: &GoValue) -> Result<(Issuer, PrivateKey), String> {
    let value = CertificateValue::of(value).ok_or("unable to decode certificate")?;
    let block = pem::decode(value.certificate.as_bytes()).ok_or("unable to decode certificate")?;
    let issuer = Issuer::read(&block.content);
    let issuer = issuer.map_err(|error| format!("error parsing certificate: decodedSignerCert.Bytes: {error}"))?;
    let key = PrivateKey::from_pem(value.key.as_bytes()).map_err(|error| format!("error parsing private key: {error}"))?;
    Ok((issuer, key))
}

fn addresses(list: &GoList) -> Result<Vec<IpAddr>, String> {
    let address = |item: &GoValue| match item {
        GoValue::String(text) => text.to_text().parse().map_err(|_| format!("error parsing ip: {}", text.to_text())),
        other => Err(format!("error parsing ip: {} is not a string", printing::display(other).to_text())),
    };
    list.iter().map(address).collect()
}

fn names(list: &GoList) -> Result<Vec<String>, String> {
    let name = |item: &GoValue| match item {
        GoValue::String(text) => Ok(text.to_text().into_owned()),
        other => Err(format!("error processing alternate dns name: {} is not a string", printing::display(other).to_text())),
    };
    list.iter().map(name).collect()
}
