//! Functions of passwords, encryption, random bytes, keys and certificates. All randomness is that of the host.

mod aes;
mod certificates;
mod derive;
#[cfg(test)]
mod tests;

use super::encoding::base64;
use super::limits;
use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature, TemplateHost};
use crate::value::GoValue;

const TEXT: Signature = Signature::of(&[Parameter::String]);
const TWO_TEXTS: Signature = Signature::of(&[Parameter::String, Parameter::String]);
/// The cost of hashes of passwords, the default of Go's package.
const HASH_COST: u32 = 10;
/// The longest password that bcrypt takes, in bytes.
const LONGEST_PASSWORD: usize = 72;

/// Adds the functions.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("bcrypt", TEXT, |call| Ok(hashed(call.string(0).as_bytes(), call.host).into()));
    functions.add("htpasswd", TWO_TEXTS, |call| {
        let name = call.string(0);
        if name.as_bytes().contains(&b':') {
            return Ok(GoValue::string([b"invalid username: ", name.as_bytes()].concat()));
        }
        let hash = hashed(call.string(1).as_bytes(), call.host);
        Ok(GoValue::string([name.as_bytes(), b":", hash.as_bytes()].concat()))
    });
    functions.add("encryptAES", TWO_TEXTS, |call| {
        let (password, text) = (call.string(0), call.string(1));
        Ok(GoValue::string(aes::encrypt(password.as_bytes(), text.as_bytes(), random(call.host))))
    });
    functions.add("decryptAES", TWO_TEXTS, |call| {
        let (password, text) = (call.string(0), call.string(1));
        aes::decrypt(password.as_bytes(), text.as_bytes()).map(GoValue::string).map_err(FunctionError::new)
    });
    functions.add("randBytes", Signature::of(&[Parameter::Int]), |call| {
        let count = usize::try_from(call.int(0)).map_err(|_| FunctionError::new("runtime error: makeslice: len out of range"))?;
        let mut bytes = vec![0; limits::text_size(count, 1)?];
        call.host.fill_random(&mut bytes);
        Ok(GoValue::string(base64::encode(&bytes)))
    });
    functions.add("uuidv4", Signature::of(&[]), |call| Ok(uuid(random(call.host)).into()));
    derive::add(functions);
    certificates::add(functions);
}

fn random(host: &dyn TemplateHost) -> [u8; 16] {
    let mut bytes = [0; 16];
    host.fill_random(&mut bytes);
    bytes
}

/// Returns the hash of a password, or the text of the error.
fn hashed(password: &[u8], host: &dyn TemplateHost) -> String {
    if password.len() > LONGEST_PASSWORD {
        let reason = format!("bcrypt: password length exceeds {LONGEST_PASSWORD} bytes");
        return format!("failed to encrypt string with bcrypt: {reason}");
    }
    match bcrypt::hash_with_salt(password, HASH_COST, random(host)) {
        Ok(hash) => hash.format_for_version(bcrypt::Version::TwoA),
        Err(error) => format!("failed to encrypt string with bcrypt: {error}"),
    }
}

/// Returns a random UUID of version 4.
fn uuid(mut bytes: [u8; 16]) -> String {
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits = data_encoding::HEXLOWER.encode(&bytes);
    [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]).join("-")
}
