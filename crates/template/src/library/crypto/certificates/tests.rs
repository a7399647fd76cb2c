//! Tests of keys and certificates.

use p256::ecdsa::signature::Verifier as _;
use serde_json::json;
use x509_cert::Certificate;
use x509_cert::der::{Decode as _, Encode as _};
use x509_cert::ext::pkix::SubjectAltName;

use super::super::super::fake::{call, check_errors, printed, shown};
use super::key::PrivateKey;
use super::pem;
use crate::value::GoValue;

fn field(value: &GoValue, name: &str) -> String {
    match value {
        GoValue::Object(object) => shown(&object.field(name).unwrap()),
        other => panic!("{other:?} is an object"),
    }
}

fn certificate(value: &GoValue) -> Certificate {
    Certificate::from_der(&pem::decode(field(value, "Cert").as_bytes()).unwrap().content).unwrap()
}

fn ec_key() -> String {
    printed("genPrivateKey", &json!(["ecdsa"])).unwrap()
}

#[test]
fn keys_repeat_and_are_read_again() {
    for (kind, label) in [("ecdsa", "EC PRIVATE KEY"), ("ed25519", "PRIVATE KEY")] {
        let key = printed("genPrivateKey", &json!([kind])).unwrap();
        assert!(key.starts_with(&format!("-----BEGIN {label}-----\n")), "{key}");
        assert_eq!(printed("genPrivateKey", &json!([kind])).unwrap(), key);
        assert_eq!(PrivateKey::from_pem(key.as_bytes()).unwrap().to_pem().unwrap(), key);
    }
    assert_eq!(printed("genPrivateKey", &json!(["nope"])).unwrap(), "Unknown type nope");
}

#[test]
fn certificates_cannot_have_dsa_keys() {
    let key = printed("genPrivateKey", &json!(["dsa"])).unwrap();
    assert_eq!(PrivateKey::from_pem(key.as_bytes()).unwrap().to_pem().unwrap(), key);
    check_errors([(
        "genCAWithKey",
        json!(["ca", 1, key]),
        "error creating certificate: x509: certificate private key does not implement crypto.Signer",
    )]);
}

#[test]
fn authorities_sign_certificates() {
    let authority = call("genCAWithKey", ["ca".into(), GoValue::int(365), ec_key().into()]).unwrap();
    let arguments = [
        "server".into(),
        GoValue::list(["10.0.0.1".into()]),
        GoValue::list(["a.b".into(), "c.d".into()]),
        GoValue::int(10),
        authority.clone(),
        printed("genPrivateKey", &json!(["ed25519"])).unwrap().into(),
    ];
    let signed = certificate(&call("genSignedCertWithKey", arguments).unwrap());
    let authority = certificate(&authority);
    assert_eq!(authority.tbs_certificate.issuer, authority.tbs_certificate.subject);
    assert_eq!(signed.tbs_certificate.issuer, authority.tbs_certificate.subject);
    assert_eq!(signed.tbs_certificate.subject.to_string(), "CN=server");
    let (_, names) = signed.tbs_certificate.get::<SubjectAltName>().unwrap().unwrap();
    assert_eq!(names.0.len(), 3);
    let key = authority.tbs_certificate.subject_public_key_info.subject_public_key.raw_bytes();
    let key = p256::ecdsa::VerifyingKey::from_sec1_bytes(key).unwrap();
    for certificate in [signed, authority] {
        let signature = p256::ecdsa::Signature::from_der(certificate.signature.raw_bytes()).unwrap();
        key.verify(&certificate.tbs_certificate.to_der().unwrap(), &signature).unwrap();
    }
}

#[test]
fn certificates_need_addresses_names_and_keys() {
    check_errors([
        ("genSelfSignedCertWithKey", json!(["cn", [], [], 1, "x"]), "parsing private key: no PEM data in input"),
        ("genSelfSignedCertWithKey", json!(["cn", ["notanip"], [], 1, ec_key()]), "error parsing ip: notanip"),
        ("genSelfSignedCertWithKey", json!(["cn", [1], [], 1, ec_key()]), "error parsing ip: 1 is not a string"),
        (
            "genSelfSignedCertWithKey",
            json!(["cn", [], [1], 1, ec_key()]),
            "error processing alternate dns name: 1 is not a string",
        ),
        ("buildCustomCert", json!(["x", "y"]), "unable to decode base64 certificate"),
        ("buildCustomCert", json!(["eA==", "eA=="]), "unable to decode certificate"),
    ]);
}

#[test]
fn an_rsa_key_is_made_for_certificates_without_a_key() {
    let value = call("genSelfSignedCert", ["cn".into(), GoValue::Nil, GoValue::Nil, GoValue::int(10)]).unwrap();
    assert!(field(&value, "Key").starts_with("-----BEGIN RSA PRIVATE KEY-----\n"));
    assert_eq!(certificate(&value).tbs_certificate.subject.to_string(), "CN=cn");
    assert_eq!(value.kind(), "struct");
}
