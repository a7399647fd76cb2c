use http::header::HeaderName;
use http::{HeaderMap, HeaderValue};

use super::ConnectError;

/// For whom requests are made, when not for oneself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // what the API server knows
pub struct Impersonation {
    /// The user; a service account is `system:serviceaccount:<namespace>:<name>`.
    pub user: String,
    /// The groups. The server adds those that every user and service account is in.
    pub groups: Vec<String>,
}

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");

impl Impersonation {
    /// A user without groups of their own.
    pub fn user(name: impl Into<String>) -> Self {
        Self { user: name.into(), groups: Vec::new() }
    }

    /// A service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::user(format!("system:serviceaccount:{namespace}:{name}"))
    }

    pub(super) fn headers(&self) -> Result<HeaderMap, ConnectError> {
        let value =
            |text: &str| HeaderValue::from_str(text).map_err(|_| ConnectError::InvalidIdentity { found: text.to_owned() });
        if self.user.is_empty() {
            return Err(ConnectError::InvalidIdentity { found: String::new() });
        }
        let mut headers = HeaderMap::new();
        headers.insert(USER, value(&self.user)?);
        for group in &self.groups {
            headers.append(GROUP, value(group)?);
        }
        Ok(headers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // TGT-1
    #[test]
    fn the_headers_name_the_user_and_each_group() {
        let who = Impersonation { groups: vec!["a".to_owned(), "b".to_owned()], ..Impersonation::service_account("ns", "sa") };
        let headers = who.headers().unwrap();
        assert_eq!(headers[&USER], "system:serviceaccount:ns:sa");
        assert_eq!(headers.get_all(&GROUP).iter().collect::<Vec<_>>(), ["a", "b"]);
        let error = Impersonation::user("a\nb").headers().unwrap_err().to_string();
        assert!(error.contains("impersonate \"a\\nb\""), "{error}");
        assert!(Impersonation::default().headers().is_err());
    }
}
