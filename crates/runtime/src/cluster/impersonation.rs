use std::sync::Arc;

use http::header::HeaderName;
use http::{HeaderMap, HeaderValue, Request};
use kube::client::Body;

use super::ConnectError;

/// The identity that requests impersonate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // the identity has the two parts that this crate sends
pub struct ImpersonatedIdentity {
    /// The user; a service account is `system:serviceaccount:<namespace>:<name>`.
    pub user: String,
    /// The groups. The server adds those that every user and service account belongs to.
    pub groups: Vec<String>,
}

const USER: HeaderName = HeaderName::from_static("impersonate-user");
const GROUP: HeaderName = HeaderName::from_static("impersonate-group");
/// The prefix of all headers that change the identity of a request.
const PREFIX: &str = "impersonate-";

impl ImpersonatedIdentity {
    /// Returns a user without groups of their own.
    pub fn user(name: impl Into<String>) -> Self {
        Self { user: name.into(), groups: Vec::new() }
    }

    /// Returns the user of a service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::user(format!("system:serviceaccount:{namespace}:{name}"))
    }

    /// Creates a client whose requests, and those of all its clones, impersonate this user regardless of the requests' own headers. It shares the connections
    /// of `client`.
    pub(super) fn client(&self, client: &kube::Client) -> Result<kube::Client, ConnectError> {
        let identity = Arc::new(self.headers()?);
        let below = client.clone();
        let service = tower::service_fn(move |mut request: Request<Body>| {
            let client = below.clone();
            identify(request.headers_mut(), &identity);
            async move { client.send(request).await }
        });
        Ok(kube::Client::new(service, client.default_namespace()).with_valid_until(*client.valid_until()))
    }

    fn headers(&self) -> Result<HeaderMap, ConnectError> {
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

/// Replaces the identity in the headers of a request.
fn identify(headers: &mut HeaderMap, identity: &HeaderMap) {
    let others: Vec<HeaderName> = headers.keys().filter(|name| name.as_str().starts_with(PREFIX)).cloned().collect();
    for name in others {
        headers.remove(name);
    }
    headers.extend(identity.clone());
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use http::Response;
    use parking_lot::Mutex;

    use super::*;

    // TGT-1
    #[tokio::test]
    async fn every_request_of_the_client_has_the_identity_and_no_other() {
        let seen: Arc<Mutex<Vec<HeaderMap>>> = Arc::default();
        let server = {
            let seen = Arc::clone(&seen);
            tower::service_fn(move |request: Request<Body>| {
                seen.lock().push(request.headers().clone());
                async { Ok::<_, Infallible>(Response::new(Body::from(b"{}".to_vec()))) }
            })
        };
        let own = kube::Client::new(server, "home");
        let who = ImpersonatedIdentity {
            groups: vec!["a".to_owned(), "b".to_owned()],
            ..ImpersonatedIdentity::service_account("ns", "sa")
        };
        let theirs = who.client(&own).unwrap();
        assert_eq!(theirs.default_namespace(), "home");
        let request = || Request::get("/version");
        theirs.request_text(request().body(Vec::new()).unwrap()).await.unwrap();
        let pretending = request()
            .header("Impersonate-User", "root")
            .header("Impersonate-Group", "system:masters")
            .header("Impersonate-Uid", "1")
            .header("Impersonate-Extra-Scopes", "all")
            .header("X-Other", "kept");
        theirs.clone().request_text(pretending.body(Vec::new()).unwrap()).await.unwrap();
        own.request_text(request().body(Vec::new()).unwrap()).await.unwrap();
        let seen = seen.lock();
        for headers in &seen[..2] {
            assert_eq!(headers.get_all(&USER).iter().collect::<Vec<_>>(), ["system:serviceaccount:ns:sa"]);
            assert_eq!(headers.get_all(&GROUP).iter().collect::<Vec<_>>(), ["a", "b"]);
            assert_eq!(headers.keys().filter(|name| name.as_str().starts_with(PREFIX)).count(), 2);
        }
        assert_eq!(seen[1]["x-other"], "kept");
        assert!(seen[2].get(&USER).is_none() && seen[2].get(&GROUP).is_none());
    }

    // TGT-1
    #[test]
    fn the_headers_name_the_user_and_each_group() {
        let who = ImpersonatedIdentity {
            groups: vec!["a".to_owned(), "b".to_owned()],
            ..ImpersonatedIdentity::service_account("ns", "sa")
        };
        let headers = who.headers().unwrap();
        assert_eq!(headers[&USER], "system:serviceaccount:ns:sa");
        assert_eq!(headers.get_all(&GROUP).iter().collect::<Vec<_>>(), ["a", "b"]);
        let error = ImpersonatedIdentity::user("a\nb").headers().unwrap_err().to_string();
        assert!(error.contains("impersonate \"a\\nb\""), "{error}");
        assert!(ImpersonatedIdentity::default().headers().is_err());
    }
}
