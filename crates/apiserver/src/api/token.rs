//! Continue tokens of lists (LIST-2, VEC-1).

use base64::alphabet::URL_SAFE;
use base64::engine::GeneralPurpose;
use base64::engine::general_purpose::NO_PAD;
use base64::{DecodeError, Engine as _};
use kubewright_middleware::Status;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json;
use crate::status::StatusExt as _;
use crate::store::ObjectName;

/// The only version of tokens.
const VERSION: &str = "meta.k8s.io/v1";

/// The encoding of tokens; bits beyond the last byte are ignored.
const TOKENS: GeneralPurpose = GeneralPurpose::new(&URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));

/// The position and version at which a list continues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Continue {
    v: String,
    /// The revision of the first page; -1 for the current state.
    pub(crate) rv: i64,
    start: String,
}

impl Continue {
    /// Returns the token for the objects after `last`. `in_namespace` is true for a list of one namespace.
    pub(crate) fn after(revision: i64, last: &ObjectName, in_namespace: bool) -> Self {
        let key = if in_namespace || last.namespace.is_empty() {
            last.name.to_string()
        } else {
            format!("{}/{}", last.namespace, last.name)
        };
        Self { v: VERSION.into(), rv: revision, start: format!("/{key}\0") }
    }

    /// Returns the text that clients send back.
    pub(crate) fn encode(&self) -> String {
        TOKENS.encode(serde_json::to_vec(self).unwrap_or_default())
    }

    /// Reads a token.
    pub(crate) fn decode(text: &str) -> Result<Self, Status> {
        let invalid =
            |problem: String| Status::bad_request(format!("invalid continue token: continue key is not valid: {problem}"));
        let bytes = TOKENS.decode(text.trim_end_matches('=')).map_err(|error| invalid(go_base64(text, &error)))?;
        let fields = json::parse(&bytes).map_err(|error| invalid(json::problem(&bytes, &error)))?.value;
        let version = fields.get("v").and_then(Value::as_str).unwrap_or_default();
        if version != VERSION {
            return Err(invalid(format!("server does not recognize this encoded version {version}")));
        }
        serde_json::from_value(fields).map_err(|error| invalid(error.to_string()))
    }

    /// Returns the last object of the previous page. `namespace` is that of a list of one namespace.
    pub(crate) fn last(&self, namespace: Option<&str>) -> ObjectName {
        let key = self.start.trim_start_matches('/').trim_end_matches('\0');
        match (namespace, key.split_once('/')) {
            (Some(namespace), _) => ObjectName::new(namespace, key),
            (None, Some((namespace, name))) => ObjectName::new(namespace, name),
            (None, None) => ObjectName::new("", key),
        }
    }
}

fn go_base64(text: &str, error: &DecodeError) -> String {
    let at = match error {
        DecodeError::InvalidByte(at, _) | DecodeError::InvalidLastSymbol(at, _) => *at,
        _ => text.trim_end_matches('=').len(),
    };
    format!("illegal base64 data at input byte {at}")
}

#[cfg(test)]
mod tests {
    use super::*;

    // VEC-1
    #[test]
    fn a_token_is_the_one_of_the_real_server() {
        let token = Continue::after(281, &ObjectName::new("lw", "p00"), true);
        assert_eq!(token.encode(), "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MjgxLCJzdGFydCI6Ii9wMDBcdTAwMDAifQ");
        assert_eq!(Continue::decode(&token.encode()).unwrap().last(Some("lw")), ObjectName::new("lw", "p00"));
    }

    #[test]
    fn a_token_of_a_list_of_all_namespaces_names_the_namespace() {
        let token = Continue::after(5, &ObjectName::new("ns", "a"), false);
        assert_eq!(token.last(None), ObjectName::new("ns", "a"));
    }
}
