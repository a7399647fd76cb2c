//! A certificate authority with the lifetime of its server.

use std::net::IpAddr;

use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};

use super::ListenError;

/// The authority that signs the certificates of one server and its clients.
pub(super) struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

/// A certificate with its private key.
pub(super) struct Leaf {
    pub(super) certificate: rcgen::Certificate,
    pub(super) key: KeyPair,
}

impl Authority {
    pub(super) fn new() -> Result<Self, ListenError> {
        let of = |source| ListenError::Certificate { subject: "the authority".into(), source };
        let key = KeyPair::generate().map_err(of)?;
        let mut params = CertificateParams::default();
        params.distinguished_name = name("kubewright-ca");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign, KeyUsagePurpose::DigitalSignature];
        let certificate = params.self_signed(&key).map_err(of)?;
        Ok(Self { issuer: Issuer::new(params, key), certificate })
    }

    /// Returns the certificate of the authority, which clients must trust.
    pub(super) fn pem(&self) -> String {
        self.certificate.pem()
    }

    pub(super) fn der(&self) -> CertificateDer<'static> {
        self.certificate.der().clone()
    }

    /// Returns a certificate for a server on an address.
    pub(super) fn server(&self, address: IpAddr) -> Result<Leaf, ListenError> {
        let names = ["localhost", "127.0.0.1", "::1", "10.0.0.1", "kubernetes", "kubernetes.default", "kubernetes.default.svc"];
        let of = |source| ListenError::Certificate { subject: "the server".into(), source };
        let mut params = CertificateParams::new(names.map(String::from)).map_err(of)?;
        if !address.is_loopback() && !address.is_unspecified() {
            params.subject_alt_names.push(SanType::IpAddress(address));
        }
        params.distinguished_name = name("kube-apiserver");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        self.sign(&params).map_err(of)
    }

    /// Returns a client certificate for a user.
    pub(super) fn client(&self, user: &str, groups: &[String]) -> Result<Leaf, ListenError> {
        let mut params = CertificateParams::default();
        params.distinguished_name = name(user);
        // The certificate names only the first group; the server knows the others by the certificate's fingerprint.
        if let Some(group) = groups.iter().find(|group| *group != "system:authenticated") {
            params.distinguished_name.push(DnType::OrganizationName, group.as_str());
        }
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        self.sign(&params).map_err(|source| ListenError::Certificate { subject: format!("user {user:?}"), source })
    }

    fn sign(&self, params: &CertificateParams) -> Result<Leaf, rcgen::Error> {
        let key = KeyPair::generate()?;
        Ok(Leaf { certificate: params.signed_by(&key, &self.issuer)?, key })
    }
}

impl Leaf {
    pub(super) fn der(&self) -> CertificateDer<'static> {
        self.certificate.der().clone()
    }

    pub(super) fn key_der(&self) -> PrivateKeyDer<'static> {
        PrivateKeyDer::Pkcs8(self.key.serialize_der().into())
    }
}

fn name(common_name: &str) -> DistinguishedName {
    let mut name = DistinguishedName::new();
    name.push(DnType::CommonName, common_name);
    name
}
