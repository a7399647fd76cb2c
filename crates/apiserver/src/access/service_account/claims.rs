//! The claims of a service account token.

use kubewright_middleware::Identity;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ISSUER;

/// The claims of a token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TokenClaims {
    /// The audiences that the token is valid for.
    #[serde(rename = "aud")]
    pub(crate) audiences: Vec<String>,
    #[serde(rename = "exp")]
    pub(crate) expires: i64,
    #[serde(rename = "iat")]
    pub(crate) issued: i64,
    #[serde(rename = "iss")]
    pub(crate) issuer: String,
    /// The id of the token.
    #[serde(rename = "jti")]
    pub(crate) id: String,
    #[serde(rename = "kubernetes.io")]
    pub(crate) bound: Bound,
    #[serde(rename = "nbf")]
    pub(crate) not_before: i64,
    #[serde(rename = "sub")]
    pub(crate) subject: String,
}

/// The objects that a token is bound to: it is valid only while they exist.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bound {
    pub(crate) namespace: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) node: Option<ObjectId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) pod: Option<ObjectId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) secret: Option<ObjectId>,
    #[serde(rename = "serviceaccount")]
    pub(crate) account: ObjectId,
}

/// The identity of one object by name and uid, so that a later object of the same name does not match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ObjectId {
    pub(crate) name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) uid: String,
}

impl TokenClaims {
    /// Returns the claims of a new token.
    pub(crate) fn new(bound: Bound, audiences: Vec<String>, id: String, issued: i64, seconds: i64) -> Self {
        let subject = format!("system:serviceaccount:{}:{}", bound.namespace, bound.account.name);
        let expires = issued.saturating_add(seconds);
        Self { audiences, expires, issued, issuer: ISSUER.into(), id, bound, not_before: issued, subject }
    }

    /// Returns the claims as JSON, in the form that is signed.
    pub(crate) fn to_value(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// Reads claims that this server issued and that are valid at `now`, in seconds since the epoch.
    pub(crate) fn read(value: Value, now: i64) -> Option<Self> {
        let claims: Self = serde_json::from_value(value).ok()?;
        let holds = claims.issuer == ISSUER && claims.not_before <= now && now < claims.expires;
        Some(claims).filter(|_| holds)
    }

    /// Returns the user behind the token.
    pub(crate) fn identity(&self) -> Identity {
        let Bound { namespace, node, pod, account, .. } = &self.bound;
        let mut identity = Identity::service_account(namespace, &account.name).with_uid(&account.uid);
        let mut tell = |key: &str, value: &str| {
            if !value.is_empty() {
                let told = std::mem::replace(&mut identity, Identity::anonymous());
                identity = told.with_extra(format!("authentication.kubernetes.io/{key}"), vec![value.to_owned()]);
            }
        };
        tell("credential-id", &format!("JTI={}", self.id));
        for (what, object) in [("node", node), ("pod", pod)] {
            if let Some(object) = object {
                tell(&format!("{what}-name"), &object.name);
                tell(&format!("{what}-uid"), &object.uid);
            }
        }
        identity
    }
}
