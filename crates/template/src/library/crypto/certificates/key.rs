//! Private keys.

use dsa::{Components, KeySize};
use ed25519_dalek::Signer as _;
use p256::SecretKey;
use p256::ecdsa::Signature;
use rand_core::RngCore as _;
use rsa::RsaPrivateKey;
use rsa::pkcs1::{DecodeRsaPrivateKey as _, EncodeRsaPrivateKey as _};
use rsa::pkcs1v15::SigningKey;
use rsa::pkcs8::{DecodePrivateKey as _, EncodePublicKey as _};
use rsa::signature::SignatureEncoding as _;
use sha2::Sha256;
use x509_cert::der::asn1::{AnyRef, ObjectIdentifier, UintRef};
use x509_cert::der::{Any, Decode as _, Encode as _, Tag};
use x509_cert::spki::AlgorithmIdentifierOwned;

use super::generator::SeededGenerator;
use super::pem;

/// The size of the keys that `genPrivateKey "rsa"` makes, in bits.
const LARGE_RSA: usize = 4096;
/// The beginning of an Ed25519 key in PKCS #8, before its 32 bytes.
const ED25519_PREFIX: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
/// The parts of a P-256 key in the form of RFC 5915: before the key, and between it and the public point.
const EC_PREFIX: [u8; 7] = [0x30, 0x77, 2, 1, 1, 4, 0x20];
const EC_CURVE: [u8; 18] = [0xa0, 0x0a, 6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7, 0xa1, 0x44, 3, 0x42, 0, 4];

/// A private key.
pub(super) enum PrivateKey {
    /// RSA.
    Rsa(Box<RsaPrivateKey>),
    /// ECDSA with the curve P-256.
    Ec(SecretKey),
    /// Ed25519.
    Ed25519(Box<ed25519_dalek::SigningKey>),
    /// DSA in its encoded form: no certificate can be made with it.
    Dsa(Vec<u8>),
}

impl PrivateKey {
    /// Makes a key of a kind: `rsa`, which is also the kind of the empty text, `dsa`, `ecdsa`, or `ed25519`.
    pub(super) fn generate(kind: &str, generator: &mut SeededGenerator) -> Result<Self, String> {
        let failed = |error: String| format!("failed to generate private key: {error}");
        match kind {
            "" | "rsa" => Self::generate_rsa(LARGE_RSA, generator).map_err(failed),
            "ecdsa" => Ok(Self::Ec(SecretKey::random(generator))),
            "ed25519" => {
                let mut seed = [0; 32];
                generator.fill_bytes(&mut seed);
                Ok(Self::Ed25519(Box::new(ed25519_dalek::SigningKey::from_bytes(&seed))))
            }
            "dsa" => generate_dsa(generator).map(Self::Dsa).map_err(failed),
            other => Err(format!("Unknown type {other}")),
        }
    }

    /// Makes an RSA key of a size.
    pub(super) fn generate_rsa(bits: usize, generator: &mut SeededGenerator) -> Result<Self, String> {
        RsaPrivateKey::new(generator, bits).map(|key| Self::Rsa(Box::new(key))).map_err(|error| error.to_string())
    }

    /// Reads a key from PEM.
    pub(super) fn from_pem(text: &[u8]) -> Result<Self, String> {
        let block = pem::decode(text).ok_or("no PEM data in input")?;
        let content = &block.content;
        match &*block.label {
            "PRIVATE KEY" => Self::from_pkcs8(content),
            "RSA PRIVATE KEY" => RsaPrivateKey::from_pkcs1_der(content)
                .map(|key| Self::Rsa(Box::new(key)))
                .map_err(|error| format!("parsing RSA private key from PEM: {error}")),
            "EC PRIVATE KEY" => SecretKey::from_sec1_der(content)
                .map(Self::Ec)
                .map_err(|error| format!("parsing EC private key from PEM: {error} (curves other than P-256 are not supported)")),
            "DSA PRIVATE KEY" => match Any::from_der(content) {
                Ok(_) => Ok(Self::Dsa(block.content)),
                Err(error) => Err(format!("parsing DSA private key from PEM: {error}")),
            },
            label => Err(match label.strip_suffix(" PRIVATE KEY") {
                Some(kind) => format!("invalid private key type {kind}"),
                None => format!("no private key data in PEM block of type {label}"),
            }),
        }
    }

    fn from_pkcs8(content: &[u8]) -> Result<Self, String> {
        if let Ok(key) = RsaPrivateKey::from_pkcs8_der(content) {
            return Ok(Self::Rsa(Box::new(key)));
        }
        if let Ok(key) = SecretKey::from_pkcs8_der(content) {
            return Ok(Self::Ec(key));
        }
        let key = ed25519_dalek::SigningKey::from_pkcs8_der(content);
        key.map(|key| Self::Ed25519(Box::new(key)))
            .map_err(|_| "decoding PEM as PKCS#8: neither an RSA, nor a P-256, nor an Ed25519 key".to_owned())
    }

    /// Returns the key as PEM, each kind in the form that Go prefers.
    pub(super) fn to_pem(&self) -> Result<String, String> {
        Ok(match self {
            Self::Rsa(key) => pem::encode("RSA PRIVATE KEY", key.to_pkcs1_der().map_err(|error| error.to_string())?.as_bytes()),
            Self::Ec(key) => {
                let point = key.public_key().to_sec1_bytes();
                // The byte that marks an uncompressed point is part of the constant.
                let parts = [&EC_PREFIX, &*key.to_bytes(), &EC_CURVE, &point[1..]];
                pem::encode("EC PRIVATE KEY", &parts.concat())
            }
            Self::Ed25519(key) => pem::encode("PRIVATE KEY", &[ED25519_PREFIX.as_slice(), key.as_bytes()].concat()),
            Self::Dsa(content) => pem::encode("DSA PRIVATE KEY", content),
        })
    }

    /// Returns the public key in the form of certificates.
    pub(super) fn public_key(&self) -> Result<Vec<u8>, String> {
        let document = match self {
            Self::Rsa(key) => key.to_public_key().to_public_key_der(),
            Self::Ec(key) => key.public_key().to_public_key_der(),
            Self::Ed25519(key) => key.verifying_key().to_public_key_der(),
            Self::Dsa(_) => return Err("x509: unsupported public key type: *dsa.PublicKey".to_owned()),
        };
        document.map(|document| document.as_bytes().to_vec()).map_err(|error| error.to_string())
    }

    /// Returns the algorithm of the signatures.
    pub(super) fn algorithm(&self) -> Result<AlgorithmIdentifierOwned, String> {
        let (oid, parameters) = match self {
            Self::Rsa(_) => ("1.2.840.113549.1.1.11", Some(Any::from(AnyRef::NULL))),
            Self::Ec(_) => ("1.2.840.10045.4.3.2", None),
            Self::Ed25519(_) => ("1.3.101.112", None),
            Self::Dsa(_) => return Err("x509: certificate private key does not implement crypto.Signer".to_owned()),
        };
        Ok(AlgorithmIdentifierOwned { oid: ObjectIdentifier::new_unwrap(oid), parameters })
    }

    /// Signs a message.
    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, String> {
        match self {
            Self::Rsa(key) => {
                let key = SigningKey::<Sha256>::new((**key).clone());
                key.try_sign(message).map(|signature| signature.to_vec()).map_err(|error| error.to_string())
            }
            Self::Ec(key) => {
                let signature: Signature =
                    p256::ecdsa::SigningKey::from(key).try_sign(message).map_err(|error| error.to_string())?;
                Ok(signature.to_der().as_bytes().to_vec())
            }
            Self::Ed25519(key) => {
                key.try_sign(message).map(|signature| signature.to_bytes().to_vec()).map_err(|error| error.to_string())
            }
            Self::Dsa(_) => Err("x509: certificate private key does not implement crypto.Signer".to_owned()),
        }
    }
}

/// Makes a DSA key as a sequence of its version and numbers, which is the form of OpenSSL.
fn generate_dsa(generator: &mut SeededGenerator) -> Result<Vec<u8>, String> {
    let components = Components::generate(generator, KeySize::DSA_2048_256);
    let key = dsa::SigningKey::generate(generator, components);
    let components = key.verifying_key().components();
    let numbers = [components.p(), components.q(), components.g(), key.verifying_key().y(), key.x()];
    let mut content = vec![2, 1, 0];
    for number in numbers {
        let bytes = number.to_bytes_be();
        let number = UintRef::new(&bytes).and_then(|number| number.to_der());
        content.extend(number.map_err(|error| error.to_string())?);
    }
    let sequence = AnyRef::new(Tag::Sequence, &content);
    sequence.and_then(|sequence| sequence.to_der()).map_err(|error| error.to_string())
}
