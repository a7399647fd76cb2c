//! The key that signs tokens: P-256, ES256.

use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use p256::ecdsa::signature::{Signer as _, Verifier as _};
use p256::ecdsa::{Signature, SigningKey, VerifyingKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The key of one server. It is derived from a number, so that equal seeds give equal tokens, and computed on first use.
pub(crate) struct TokenKey {
    seed: u64,
    pair: OnceLock<SigningKeyPair>,
}

struct SigningKeyPair {
    signing: SigningKey,
    verifying: VerifyingKey,
    id: String,
}

/// The prefix of a public key in DER form; an uncompressed point on P-256 follows it.
const DER_PREFIX: [u8; 26] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03,
    0x01, 0x07, 0x03, 0x42, 0x00,
];

impl TokenKey {
    /// Creates the key that is derived from a number.
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, pair: OnceLock::new() }
    }

    /// Returns the same key for another server.
    pub(crate) fn fork(&self) -> Self {
        Self::new(self.seed)
    }

    fn pair(&self) -> &SigningKeyPair {
        self.pair.get_or_init(|| SigningKeyPair::new(self.seed))
    }

    /// Signs claims as a compact JSON web token.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        let header = json!({"alg": "ES256", "kid": self.pair().id});
        let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
        let signed = format!("{}.{}", part(&header), part(claims));
        let signature: Signature = self.pair().signing.sign(signed.as_bytes());
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature.to_bytes()))
    }

    /// Returns the claims of a token that this key has signed.
    pub(crate) fn verify(&self, token: &str) -> Option<Value> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let read = |part: &str| serde_json::from_slice::<Value>(&BASE64_URL_SAFE_NO_PAD.decode(part).ok()?).ok();
        // The header is checked before anything expensive is computed.
        if read(header)?["alg"] != "ES256" {
            return None;
        }
        let signature = Signature::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
        self.pair().verifying.verify(signed.as_bytes(), &signature).ok()?;
        read(claims)
    }

    /// Returns the public key as a set of JSON web keys.
    pub(crate) fn published(&self) -> Value {
        let point = self.pair().verifying.to_encoded_point(false);
        let coordinate = |bytes: &[u8]| BASE64_URL_SAFE_NO_PAD.encode(bytes);
        let (x, y) = point.as_bytes()[1..].split_at(32);
        json!({"keys": [{
            "use": "sig", "kty": "EC", "kid": self.pair().id, "crv": "P-256", "alg": "ES256", "x": coordinate(x), "y": coordinate(y),
        }]})
    }
}

impl SigningKeyPair {
    fn new(seed: u64) -> Self {
        let mut attempt = 0_u64;
        // One in 2^32 hashes is not a valid key, so the next one is tried.
        let signing = loop {
            let secret = Sha256::new()
                .chain_update("kubewright service account key")
                .chain_update(seed.to_be_bytes())
                .chain_update(attempt.to_be_bytes())
                .finalize();
            if let Ok(key) = SigningKey::from_slice(&secret) {
                break key;
            }
            attempt += 1;
        };
        let verifying = *signing.verifying_key();
        let der = [&DER_PREFIX[..], verifying.to_encoded_point(false).as_bytes()].concat();
        let id = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(der));
        Self { signing, verifying, id }
    }
}

impl fmt::Debug for TokenKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("TokenKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // AUTH-8
    #[test]
    fn only_the_key_that_signed_a_token_accepts_it() {
        let (key, other) = (TokenKey::new(1), TokenKey::new(2));
        let claims = json!({"sub": "s"});
        let token = key.sign(&claims);
        assert_eq!(key.verify(&token), Some(claims));
        assert_eq!(other.verify(&token), None);
        assert_eq!(TokenKey::new(1).sign(&json!({"sub": "s"})), token);
    }

    // AUTH-2
    #[test]
    fn a_changed_token_is_not_accepted() {
        let key = TokenKey::new(1);
        let token = key.sign(&json!({"sub": "s"}));
        let parts: Vec<&str> = token.split('.').collect();
        let forged = BASE64_URL_SAFE_NO_PAD.encode(json!({"sub": "t"}).to_string());
        let unsigned = BASE64_URL_SAFE_NO_PAD.encode(json!({"alg": "none"}).to_string());
        for token in [
            format!("{}.{forged}.{}", parts[0], parts[2]),
            format!("{unsigned}.{}.{}", parts[1], parts[2]),
            format!("{}.{}.", parts[0], parts[1]),
            format!("{}.{}", parts[0], parts[1]),
            "a.b.c".to_owned(),
            String::new(),
        ] {
            assert_eq!(key.verify(&token), None, "{token}");
        }
    }
}
