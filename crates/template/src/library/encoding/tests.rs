//! Tests of encodings and checksums.

use serde_json::json;

use super::super::fake::{check_results, printed};
use super::{base32, base64};
use crate::value::GoString;

type Decoder = fn(&[u8]) -> Result<Vec<u8>, String>;

fn check_decoder(decode: Decoder, kind: &str, cases: &[(&str, Result<&str, usize>)]) {
    for (text, expected) in cases {
        let result = decode(text.as_bytes()).map(|bytes| GoString::from(bytes).to_text().into_owned());
        let expected = expected.map(ToOwned::to_owned);
        assert_eq!(result, expected.map_err(|at| format!("illegal {kind} data at input byte {at}")), "{text:?}");
    }
}

#[test]
fn base64_errors_name_the_byte() {
    check_decoder(
        base64::decode,
        "base64",
        &[
            ("", Ok("")),
            ("aGVsbG8=", Ok("hello")),
            ("aGVs\nbG8=\r\n", Ok("hello")),
            ("aG=\n=", Ok("h")),
            ("aGVsbG8", Err(4)),
            ("!!", Err(0)),
            ("aG=", Err(3)),
            ("aG=x", Err(2)),
            ("aG==x", Err(4)),
            ("a===", Err(1)),
            ("=", Err(0)),
            ("aGVsbG8==", Err(8)),
            ("aGVsb\nG8", Err(5)),
            ("aG\n=x", Err(3)),
            ("abcd=", Err(4)),
            ("a\nG", Err(1)),
        ],
    );
}

#[test]
fn base32_errors_name_the_byte() {
    check_decoder(
        base32::decode,
        "base32",
        &[
            ("", Ok("")),
            ("NBSW\nY3DP", Ok("hello")),
            ("NBSWY3A=", Ok("hell")),
            ("NA======", Ok("h")),
            ("NBSWY3DPNA======", Ok("helloh")),
            ("nope!", Err(0)),
            ("NBSWY3D", Err(0)),
            ("NBS=====", Err(3)),
            ("NBSWY3==", Err(6)),
            ("NA=====", Err(7)),
            ("NA====x=", Err(5)),
            ("NA====A=NBSWY3DP", Err(2)),
            ("N=======", Err(1)),
            ("=", Err(0)),
            ("NBSWY3DPN", Err(8)),
            ("NBSWY3DP!", Err(8)),
            ("NA====", Err(6)),
            ("NA===A==", Err(4)),
        ],
    );
}

#[test]
fn texts_are_encoded_and_summed() {
    check_results([
        ("b64enc", json!(["é☃"]), "w6nimIM="),
        ("b64dec", json!(["!!"]), "illegal base64 data at input byte 0"),
        ("b32enc", json!(["hello"]), "NBSWY3DP"),
        ("b32dec", json!(["nope!"]), "illegal base32 data at input byte 0"),
        ("sha1sum", json!(["hello"]), "aaf4c61ddcc5e8a2dabede0f3b482cd9aea9434d"),
        ("sha256sum", json!([""]), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("adler32sum", json!(["hello world"]), "436929629"),
        ("adler32sum", json!([""]), "1"),
    ]);
    let sum = printed("sha512sum", &json!(["hello"])).unwrap();
    assert!(sum.starts_with("9b71d224bd62f378") && sum.len() == 128);
}
