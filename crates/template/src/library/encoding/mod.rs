//! Functions of encodings and checksums.

mod base32;
pub(super) mod base64;
#[cfg(test)]
mod tests;

use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::{GoString, GoValue};

const TEXT: Signature = Signature::of(&[Parameter::String]);

/// Adds the functions of encodings and checksums. The error of a text that cannot be decoded is the result.
pub(super) fn add(functions: &mut FunctionSet) {
    functions.add("b64enc", TEXT, |call| Ok(GoValue::string(base64::encode(call.string(0).as_bytes()))));
    functions
        .add("b64dec", TEXT, |call| Ok(base64::decode(call.string(0).as_bytes()).map_or_else(GoValue::string, GoValue::string)));
    functions.add("b32enc", TEXT, |call| Ok(GoValue::string(base32::encode(call.string(0).as_bytes()))));
    functions
        .add("b32dec", TEXT, |call| Ok(base32::decode(call.string(0).as_bytes()).map_or_else(GoValue::string, GoValue::string)));
    add_checksum(functions, "sha1sum", hexadecimal::<Sha1>);
    add_checksum(functions, "sha256sum", hexadecimal::<Sha256>);
    add_checksum(functions, "sha512sum", hexadecimal::<Sha512>);
    add_checksum(functions, "adler32sum", |text| adler32(text).to_string());
}

fn add_checksum(functions: &mut FunctionSet, name: &'static str, checksum: fn(&[u8]) -> String) {
    functions.add(name, TEXT, move |call| Ok(GoString::from(checksum(call.string(0).as_bytes())).into()));
}

fn hexadecimal<D: Digest>(text: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(&D::digest(text))
}

/// Returns the checksum of RFC 1950: the sum of the bytes, and the sum of these sums.
fn adler32(text: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (sum, sum_of_sums) = text.iter().fold((1, 0), |(sum, sum_of_sums), byte| {
        let sum = (sum + u32::from(*byte)) % MODULUS;
        (sum, (sum_of_sums + sum) % MODULUS)
    });
    sum_of_sums << 16 | sum
}
