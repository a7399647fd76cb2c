//! Passwords of sites, derived from a main password by the algorithm of Master Password (version 2, <https://masterpassword.app>).

use hmac::{Hmac, Mac};
use sha2::Sha256;

use crate::error::FunctionError;
use crate::function::{FunctionSet, Parameter, Signature};
use crate::value::{GoString, GoValue};

/// The name of the algorithm, with which all salts begin.
const SCOPE: &[u8] = b"com.lyndir.masterpassword";

/// The forms of passwords by their names. Each letter stands for a class of characters.
const FORMS: [(&str, &[&str]); 6] = [
    ("maximum", &["anoxxxxxxxxxxxxxxxxx", "axxxxxxxxxxxxxxxxxno"]),
    (
        "long",
        &[
            "CvcvnoCvcvCvcv",
            "CvcvCvcvnoCvcv",
            "CvcvCvcvCvcvno",
            "CvccnoCvcvCvcv",
            "CvccCvcvnoCvcv",
            "CvccCvcvCvcvno",
            "CvcvnoCvccCvcv",
            "CvcvCvccnoCvcv",
            "CvcvCvccCvcvno",
            "CvcvnoCvcvCvcc",
            "CvcvCvcvnoCvcc",
            "CvcvCvcvCvccno",
            "CvccnoCvccCvcv",
            "CvccCvccnoCvcv",
            "CvccCvccCvcvno",
            "CvcvnoCvccCvcc",
            "CvcvCvccnoCvcc",
            "CvcvCvccCvccno",
            "CvccnoCvcvCvcc",
            "CvccCvcvnoCvcc",
            "CvccCvcvCvccno",
        ],
    ),
    ("medium", &["CvcnoCvc", "CvcCvcno"]),
    ("short", &["Cvcn"]),
    ("basic", &["aaanaaan", "aannaaan", "aaannaaa"]),
    ("pin", &["nnnn"]),
];

/// Adds the function.
pub(super) fn add(functions: &mut FunctionSet) {
    const TEXT: Parameter = Parameter::String;
    functions.add("derivePassword", Signature::of(&[Parameter::Uint64, TEXT, TEXT, TEXT, TEXT]), |call| {
        let counter = u32::try_from(call.int(0)).map_err(|_| FunctionError::new("counter does not fit into 32 bits"))?;
        let (form, password, user, site) = (call.string(1), call.string(2), call.string(3), call.string(4));
        let Some((_, forms)) = FORMS.iter().find(|(name, _)| name.as_bytes() == form.as_bytes()) else {
            return Ok(GoValue::string(format!("cannot find password template {}", form.to_text())));
        };
        derived(counter, forms, &password, &user, &site).map(GoValue::string)
    });
}

fn derived(counter: u32, forms: &[&str], password: &GoString, user: &GoString, site: &GoString) -> Result<String, FunctionError> {
    let failed = |reason: String| FunctionError::new(format!("failed to derive password: {reason}"));
    let salt = |name: &GoString| [SCOPE, &(name.len() as u32).to_be_bytes(), name.as_bytes()].concat();
    let mut key = [0; 64];
    let parameters = scrypt::Params::new(15, 8, 2, key.len()).map_err(|error| failed(error.to_string()))?;
    scrypt::scrypt(password.as_bytes(), &salt(user), &parameters, &mut key).map_err(|error| failed(error.to_string()))?;
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).map_err(|error| failed(error.to_string()))?;
    mac.update(&salt(site));
    mac.update(&counter.to_be_bytes());
    let seed = mac.finalize().into_bytes();
    let form = forms[usize::from(seed[0]) % forms.len()];
    let character = |(class, byte): (u8, &u8)| {
        let characters = characters(class);
        char::from(characters[usize::from(*byte) % characters.len()])
    };
    Ok(form.bytes().zip(&seed[1..]).map(character).collect())
}

/// Returns the characters of a class: vowels, consonants, digits, others, and sums of these.
const fn characters(class: u8) -> &'static [u8] {
    match class {
        b'V' => b"AEIOU",
        b'C' => b"BCDFGHJKLMNPQRSTVWXYZ",
        b'v' => b"aeiou",
        b'c' => b"bcdfghjklmnpqrstvwxyz",
        b'a' => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz",
        b'n' => b"0123456789",
        b'o' => b"@&%?,=[]_:-+*$#!'^~;()/.",
        _ => b"AEIOUaeiouBCDFGHJKLMNPQRSTVWXYZbcdfghjklmnpqrstvwxyz0123456789!@#$%^&*()",
    }
}
