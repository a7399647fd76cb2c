//! AES-256 in CBC mode, with the password itself as the key, and an initialisation vector before the encrypted text.

use ::aes::Aes256;
use ::aes::cipher::block_padding::{NoPadding, Pkcs7};
use ::aes::cipher::{BlockDecryptMut, BlockEncryptMut, KeyIvInit};

use super::base64;

/// The size of a block, and of the initialisation vector.
const BLOCK: usize = 16;

/// Encrypts a text; the empty text stays empty. The result is base64.
pub(super) fn encrypt(password: &[u8], text: &[u8], vector: [u8; BLOCK]) -> String {
    if text.is_empty() {
        return String::new();
    }
    let encryptor = cbc::Encryptor::<Aes256>::new(&key(password).into(), &vector.into());
    let encrypted = encryptor.encrypt_padded_vec_mut::<Pkcs7>(text);
    base64::encode(&[vector.as_slice(), &encrypted].concat())
}

/// Decrypts a text. The last byte counts the bytes of padding, whatever their values are.
pub(super) fn decrypt(password: &[u8], text: &[u8]) -> Result<Vec<u8>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let bytes = base64::decode(text)?;
    let Some((vector, encrypted)) = bytes.split_first_chunk::<BLOCK>() else {
        return Err(format!("runtime error: slice bounds out of range [:{BLOCK}] with capacity {}", bytes.len()));
    };
    if encrypted.len() % BLOCK != 0 {
        return Err("crypto/cipher: input not full blocks".to_owned());
    }
    let decryptor = cbc::Decryptor::<Aes256>::new(&key(password).into(), vector.into());
    let mut decrypted = decryptor.decrypt_padded_vec_mut::<NoPadding>(encrypted).map_err(|error| error.to_string())?;
    let Some(padding) = decrypted.last().copied() else {
        return Err("runtime error: index out of range [-1]".to_owned());
    };
    let length = decrypted.len().checked_sub(padding.into());
    let negative = || format!("runtime error: slice bounds out of range [:{}]", decrypted.len() as i64 - i64::from(padding));
    let length = length.ok_or_else(negative)?;
    decrypted.truncate(length);
    Ok(decrypted)
}

/// Returns the password as a key: cut, or filled up with zeros.
fn key(password: &[u8]) -> [u8; 32] {
    let mut key = [0; 32];
    let length = password.len().min(key.len());
    key[..length].copy_from_slice(&password[..length]);
    key
}
