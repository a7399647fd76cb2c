//! Authentication of users by their token: a static one, or that of a service account (AUTH-1 to AUTH-4).

use kubewright_machinery::object::ObjectExt as _;
use kubewright_middleware::Identity;

use super::ObjectApi;
use crate::access::BadToken;
use crate::access::service_account::{Bound, ISSUER, ObjectId, TokenClaims};
use crate::store::{ObjectName, Resource};

impl ObjectApi {
    /// Returns the user of a token that is valid for one of the audiences, and those of the audiences that it is valid for.
    pub(crate) fn identify(&self, token: &str, audiences: &[String]) -> Result<(Identity, Vec<String>), BadToken> {
        let shared = |known: &[String]| -> Vec<String> { audiences.iter().filter(|one| known.contains(one)).cloned().collect() };
        if let Some(identity) = self.access.credentials.by_token(token) {
            // A static token is valid for the server itself only.
            let shared = shared(&[ISSUER.to_owned()]);
            return if shared.is_empty() { Err(BadToken::Unknown) } else { Ok((identity, shared)) };
        }
        let signed = self.access.verify(token).ok_or(BadToken::Unknown)?;
        let claims = TokenClaims::read(signed, self.clock.now().as_second()).ok_or(BadToken::Unknown)?;
        let shared = shared(&claims.audiences);
        if shared.is_empty() {
            return Err(BadToken::ForOthers { audiences: claims.audiences, wanted: audiences.to_vec() });
        }
        if self.still_there(&claims.bound) { Ok((claims.identity(), shared)) } else { Err(BadToken::Unknown) }
    }

    /// Returns true if the objects that a token is bound to still exist.
    fn still_there(&self, bound: &Bound) -> bool {
        let snapshot = self.store.snapshot();
        let exists = |plural: &str, namespace: &str, object: &ObjectId| {
            let found = snapshot.get(&Resource::new("", plural), &ObjectName::new(namespace, &object.name));
            found.is_some_and(|stored| stored.value().uid() == object.uid)
        };
        let in_namespace = |plural: &str, object: &Option<ObjectId>| {
            object.as_ref().is_none_or(|object| exists(plural, &bound.namespace, object))
        };
        // A token of a pod also names the pod's node, but only the pod's existence counts.
        let node = bound.node.as_ref().is_none_or(|node| bound.pod.is_some() || exists("nodes", "", node));
        exists("serviceaccounts", &bound.namespace, &bound.account)
            && in_namespace("pods", &bound.pod)
            && in_namespace("secrets", &bound.secret)
            && node
    }
}
