//! Tests of passwords and encryption.

use serde_json::json;

use super::super::fake::{check_errors, check_results, printed};

#[test]
fn passwords_are_derived_from_all_arguments() {
    check_results([
        ("derivePassword", json!([1, "long", "password", "user", "example.com"]), "ZedaFaxcZaso9*"),
        ("derivePassword", json!([2, "pin", "password", "user", "example.com"]), "3882"),
        ("derivePassword", json!([1, "maximum", "password", "user", "example.com"]), "pf4zS1LjCg&LjhsZ7T2~"),
        ("derivePassword", json!([1, "nope", "password", "user", "example.com"]), "cannot find password template nope"),
    ]);
}

#[test]
fn hashes_of_passwords_verify_and_repeat() {
    let hash = printed("bcrypt", &json!(["secret"])).unwrap();
    assert!(hash.starts_with("$2a$10$") && hash.len() == 60);
    assert!(bcrypt::verify("secret", &hash).unwrap());
    assert_eq!(printed("bcrypt", &json!(["secret"])).unwrap(), hash);
    let line = printed("htpasswd", &json!(["user", "secret"])).unwrap();
    assert_eq!(line, format!("user:{hash}"));
    check_results([
        ("htpasswd", json!(["a:b", "p"]), "invalid username: a:b"),
        ("bcrypt", json!(["x".repeat(73)]), "failed to encrypt string with bcrypt: bcrypt: password length exceeds 72 bytes"),
    ]);
}

#[test]
fn decryption_reverses_encryption() {
    let encrypted = printed("encryptAES", &json!(["secretkey", "plaintext"])).unwrap();
    assert_eq!(encrypted.len(), 44);
    check_results([
        ("decryptAES", json!(["secretkey", encrypted]), "plaintext"),
        ("encryptAES", json!(["secretkey", ""]), ""),
        ("decryptAES", json!(["secretkey", ""]), ""),
        ("decryptAES", json!(["secretkey", "30tEfhuJSVRhpG97XCuWgz2okj7L8vQ1s6V9zVUPeDQ="]), "plaintext"),
    ]);
    check_errors([
        ("decryptAES", json!(["k", "!"]), "illegal base64 data at input byte 0"),
        ("decryptAES", json!(["k", "AAAA"]), "runtime error: slice bounds out of range [:16] with capacity 3"),
        ("decryptAES", json!(["k", "AAAAAAAAAAAAAAAAAAAAAAAA"]), "crypto/cipher: input not full blocks"),
    ]);
}

#[test]
fn random_texts_have_the_forms_of_sprig() {
    let uuid = printed("uuidv4", &json!([])).unwrap();
    let groups: Vec<usize> = uuid.split('-').map(str::len).collect();
    assert_eq!(groups, [8, 4, 4, 4, 12]);
    assert!(&uuid[14..15] == "4" && "89ab".contains(&uuid[19..20]), "{uuid}");
    assert_eq!(printed("randBytes", &json!([16])).unwrap().len(), 24);
    check_errors([("randBytes", json!([-1]), "runtime error: makeslice: len out of range")]);
}

#[cfg(not(feature = "certificates"))]
#[test]
fn certificates_need_a_feature_that_the_error_names() {
    check_errors([(
        "genCA",
        json!(["ca", 1]),
        "genCA is not available: kubewright-template was built without its cargo feature `certificates`",
    )]);
}
