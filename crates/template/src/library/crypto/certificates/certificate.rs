//! Certificates with the fields and extensions that Go writes.

use std::net::IpAddr;
use std::time::Duration;

use jiff::Timestamp;
use rand_core::RngCore as _;
use sha2::{Digest, Sha256};
use x509_cert::attr::AttributeTypeAndValue;
use x509_cert::certificate::{Certificate, TbsCertificate, Version};
use x509_cert::der::asn1::{
    BitString, GeneralizedTime, Ia5String, ObjectIdentifier, OctetString, PrintableStringRef, SetOfVec, UtcTime, Utf8StringRef,
};
use x509_cert::der::oid::AssociatedOid;
use x509_cert::der::{Any, Decode as _, Encode};
use x509_cert::ext::Extension;
use x509_cert::ext::pkix::name::GeneralName;
use x509_cert::ext::pkix::{
    AuthorityKeyIdentifier, BasicConstraints, ExtendedKeyUsage, KeyUsage, KeyUsages, SubjectAltName, SubjectKeyIdentifier,
};
use x509_cert::name::{Name, RdnSequence, RelativeDistinguishedName};
use x509_cert::serial_number::SerialNumber;
use x509_cert::spki::SubjectPublicKeyInfoOwned;
use x509_cert::time::{Time, Validity};

use super::generator::SeededGenerator;
use super::key::PrivateKey;

const COMMON_NAME: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.5.4.3");
const SERVER_AUTHENTICATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.1");
const CLIENT_AUTHENTICATION: ObjectIdentifier = ObjectIdentifier::new_unwrap("1.3.6.1.5.5.7.3.2");
/// The length of the identifiers of keys, in bytes.
const KEY_ID: usize = 20;

/// The content of a certificate that is to be made.
pub(super) struct CertificateRequest {
    /// The common name of the subject.
    pub(super) common_name: String,
    /// The IP addresses for which the certificate is valid.
    pub(super) addresses: Vec<IpAddr>,
    /// The DNS names for which the certificate is valid.
    pub(super) names: Vec<String>,
    /// The days for which the certificate is valid.
    pub(super) days: i64,
    /// True for the certificate of an authority.
    pub(super) is_authority: bool,
    /// The time from which on the certificate is valid.
    pub(super) now: Timestamp,
}

/// The certificate of an authority.
pub(super) struct Issuer {
    certificate: Certificate,
}

impl Issuer {
    /// Reads a certificate.
    pub(super) fn read(content: &[u8]) -> Result<Self, String> {
        Certificate::from_der(content).map(|certificate| Self { certificate }).map_err(|error| error.to_string())
    }

    /// Returns the identifier of the key, if the certificate has one.
    fn key_id(&self) -> Option<OctetString> {
        let extension = self.certificate.tbs_certificate.get::<SubjectKeyIdentifier>();
        extension.ok().flatten().map(|(_, id)| id.0)
    }
}

/// Makes a certificate of a key's public part, signed by an authority, or by the key itself.
pub(super) fn issue(
    request: &CertificateRequest,
    key: &PrivateKey,
    authority: Option<(&Issuer, &PrivateKey)>,
    generator: &mut SeededGenerator,
) -> Result<Vec<u8>, String> {
    let signer = authority.map_or(key, |(_, signer)| signer);
    let algorithm = signer.algorithm()?;
    let public_key = key.public_key()?;
    let subject = subject(&request.common_name).map_err(|error| error.to_string())?;
    let mut extensions = own_extensions(request, &public_key).map_err(|error| error.to_string())?;
    let mut issuer = subject.clone();
    if let Some((authority, signer)) = authority {
        let parent = &authority.certificate.tbs_certificate;
        let parent_key = parent.subject_public_key_info.to_der().map_err(|error| error.to_string())?;
        if parent_key != signer.public_key()? {
            return Err("x509: provided PrivateKey doesn't match parent's PublicKey".to_owned());
        }
        issuer = parent.subject.clone();
        if let Some(id) = authority.key_id().filter(|_| issuer != subject) {
            let id = AuthorityKeyIdentifier { key_identifier: Some(id), ..AuthorityKeyIdentifier::default() };
            extensions.push(extension(&id, false).map_err(|error| error.to_string())?);
        }
    }
    let alternatives = alternative_names(request)?;
    if !alternatives.0.is_empty() {
        extensions.push(extension(&alternatives, subject.is_empty()).map_err(|error| error.to_string())?);
    }
    let mut serial = [0; 16];
    generator.fill_bytes(&mut serial);
    let content = TbsCertificate {
        version: Version::V3,
        serial_number: SerialNumber::new(&serial).map_err(|error| error.to_string())?,
        signature: algorithm.clone(),
        issuer,
        validity: validity(request)?,
        subject,
        subject_public_key_info: SubjectPublicKeyInfoOwned::from_der(&public_key).map_err(|error| error.to_string())?,
        issuer_unique_id: None,
        subject_unique_id: None,
        extensions: Some(extensions),
    };
    let signature = signer.sign(&content.to_der().map_err(|error| error.to_string())?)?;
    let certificate = Certificate {
        tbs_certificate: content,
        signature_algorithm: algorithm,
        signature: BitString::from_bytes(&signature).map_err(|error| error.to_string())?,
    };
    certificate.to_der().map_err(|error| error.to_string())
}

/// Returns the name of the subject, which is empty if the common name is.
fn subject(common_name: &str) -> Result<Name, x509_cert::der::Error> {
    if common_name.is_empty() {
        return Ok(RdnSequence::default());
    }
    let value = match PrintableStringRef::new(common_name) {
        Ok(text) => Any::from(text),
        Err(_) => Any::from(Utf8StringRef::new(common_name)?),
    };
    let attribute = AttributeTypeAndValue { oid: COMMON_NAME, value };
    Ok(RdnSequence(vec![RelativeDistinguishedName(SetOfVec::try_from(vec![attribute])?)]))
}

/// Returns the extensions that do not depend on the issuer and on alternative names.
fn own_extensions(request: &CertificateRequest, public_key: &[u8]) -> Result<Vec<Extension>, x509_cert::der::Error> {
    let mut usage = KeyUsages::DigitalSignature | KeyUsages::KeyEncipherment;
    if request.is_authority {
        usage |= KeyUsages::KeyCertSign;
    }
    let constraints = BasicConstraints { ca: request.is_authority, path_len_constraint: None };
    let mut extensions = vec![
        extension(&KeyUsage(usage), true)?,
        extension(&ExtendedKeyUsage(vec![SERVER_AUTHENTICATION, CLIENT_AUTHENTICATION]), false)?,
        extension(&constraints, true)?,
    ];
    if request.is_authority {
        let info = SubjectPublicKeyInfoOwned::from_der(public_key)?;
        let id = OctetString::new(&Sha256::digest(info.subject_public_key.raw_bytes())[..KEY_ID])?;
        extensions.push(extension(&SubjectKeyIdentifier(id), false)?);
    }
    Ok(extensions)
}

fn extension<E: Encode + AssociatedOid>(value: &E, critical: bool) -> Result<Extension, x509_cert::der::Error> {
    Ok(Extension { extn_id: E::OID, critical, extn_value: OctetString::new(value.to_der()?)? })
}

fn alternative_names(request: &CertificateRequest) -> Result<SubjectAltName, String> {
    let name = |name: &String| {
        let text = Ia5String::new(name).map_err(|_| format!("x509: {name:?} cannot be encoded as an IA5String"))?;
        Ok(GeneralName::DnsName(text))
    };
    let address = |address: &IpAddr| {
        let bytes = match address {
            IpAddr::V4(address) => address.octets().to_vec(),
            IpAddr::V6(address) => address.octets().to_vec(),
        };
        OctetString::new(bytes).map(GeneralName::IpAddress).map_err(|error| error.to_string())
    };
    let names = request.names.iter().map(name).chain(request.addresses.iter().map(address));
    names.collect::<Result<Vec<_>, String>>().map(SubjectAltName)
}

fn validity(request: &CertificateRequest) -> Result<Validity, String> {
    let start = request.now.as_second();
    let end = request.days.checked_mul(86_400).and_then(|seconds| seconds.checked_add(start));
    let end = end.ok_or_else(|| format!("{} days are too many", request.days))?;
    Ok(Validity { not_before: time(start)?, not_after: time(end)? })
}

/// Returns a time with two digits of the year up to 2049, and with four after it, as RFC 5280 demands.
fn time(seconds: i64) -> Result<Time, String> {
    let since_1970 = u64::try_from(seconds).map(Duration::from_secs).map_err(|_| "the time is before 1970".to_owned())?;
    if let Ok(time) = UtcTime::from_unix_duration(since_1970) {
        return Ok(Time::UtcTime(time));
    }
    GeneralizedTime::from_unix_duration(since_1970).map(Time::GeneralTime).map_err(|error| error.to_string())
}
