//! Throw-away certificates of one control plane.

use rcgen::{BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose};

use super::RealError;

/// A certificate and its private key, both PEM.
#[derive(Clone)]
pub(super) struct Pair {
    pub(super) certificate: String,
    pub(super) key: String,
}

/// All keys of one control plane.
pub(super) struct Certificates {
    pub(super) ca: String,
    pub(super) serving: Pair,
    pub(super) admin: Pair,
    /// The ECDSA P-256 key of service accounts, so that their tokens are ES256.
    pub(super) service_account_private: String,
    pub(super) service_account_public: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Certificates {
    pub(super) fn generate() -> Result<Self, RealError> {
        let of = |subject| move |source| RealError::Certificate { subject, source };
        let ca_key = KeyPair::generate().map_err(of("the CA"))?;
        let mut ca = CertificateParams::default();
        ca.distinguished_name.push(DnType::CommonName, "kubewright-test-ca");
        ca.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let ca_certificate = ca.self_signed(&ca_key).map_err(of("the CA"))?.pem();
        let issuer = Issuer::new(ca, ca_key);

        let names = ["localhost", "127.0.0.1", "10.0.0.1", "kubernetes.default.svc"].map(String::from);
        let mut serving = CertificateParams::new(names).map_err(of("kube-apiserver"))?;
        serving.distinguished_name.push(DnType::CommonName, "kube-apiserver");
        serving.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let serving = sign(&serving, &issuer).map_err(of("kube-apiserver"))?;

        let service_account = KeyPair::generate().map_err(of("service accounts"))?;
        let mut certificates = Self {
            ca: ca_certificate,
            serving,
            admin: Pair { certificate: String::new(), key: String::new() },
            service_account_private: service_account.serialize_pem(),
            service_account_public: service_account.public_key_pem(),
            issuer,
        };
        certificates.admin = certificates.client("admin", &["system:masters"])?;
        Ok(certificates)
    }

    /// Issues a client certificate: the common name is the user, the organisations are the groups.
    pub(super) fn client(&self, user: &str, groups: &[&str]) -> Result<Pair, RealError> {
        let mut client = CertificateParams::default();
        client.distinguished_name.push(DnType::CommonName, user);
        for group in groups {
            client.distinguished_name.push(DnType::OrganizationName, *group);
        }
        client.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
        sign(&client, &self.issuer).map_err(|source| RealError::Certificate { subject: "a client", source })
    }
}

fn sign(params: &CertificateParams, issuer: &Issuer<'static, KeyPair>) -> Result<Pair, rcgen::Error> {
    let key = KeyPair::generate()?;
    Ok(Pair { certificate: params.signed_by(&key, issuer)?.pem(), key: key.serialize_pem() })
}
