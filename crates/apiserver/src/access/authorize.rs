//! Who may do what.
//!
//! Without role-based access control everybody who is known may do everything (DIF-8). Who is not known only learns that the server lives.

use http::Method;

use super::Identity;
use crate::{
    middleware::{ResourceTarget, Target},
    status::{Details, Status},
};

/// What anybody may read (DISC-13).
const OPEN: [&str; 4] = ["/healthz", "/livez", "/readyz", "/version"];

/// Whether the user may make this request; otherwise the refusal.
pub(crate) fn authorize(user: &Identity, method: &Method, target: &Target) -> Result<(), Status> {
    if !user.is_anonymous() {
        return Ok(());
    }
    match target {
        Target::Other { path, .. } if is_open(path) => Ok(()),
        Target::Other { path, .. } => {
            let verb = method.as_str().to_ascii_lowercase();
            let message = format!("forbidden: User {:?} cannot {verb} path {path:?}", user.name());
            Err(Status::new(403, "Forbidden", message).with_details(Details::default()))
        }
        Target::Resource(target) => Err(refusal(user, target)),
    }
}

fn is_open(path: &str) -> bool {
    OPEN.iter().any(|open| path.strip_prefix(open).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

fn refusal(user: &Identity, target: &ResourceTarget) -> Status {
    let resource = if target.subresource.is_empty() {
        target.resource.clone()
    } else {
        format!("{}/{}", target.resource, target.subresource)
    };
    let scope = match target.namespace.as_str() {
        "" => "at the cluster scope".to_owned(),
        namespace => format!("in the namespace {namespace:?}"),
    };
    let (user, verb, group) = (user.name(), target.verb, &target.group);
    let why = format!("User {user:?} cannot {verb} resource {resource:?} in API group {group:?} {scope}");
    Status::forbidden(&target.group, &target.resource, &target.name, &why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(method: &str, uri: &str) -> Option<String> {
        let method = method.parse().unwrap();
        let target = Target::of(&method, &uri.parse().unwrap());
        authorize(&Identity::anonymous(), &method, &target).err().map(|status| status.message)
    }

    // AUTH-1
    #[test]
    fn who_is_not_known_only_learns_that_the_server_lives() {
        for open in ["/version", "/livez", "/readyz/ping", "/healthz"] {
            assert_eq!(refused("GET", open), None, "{open}");
        }
        let pods =
            "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
        assert_eq!(refused("GET", "/api/v1/pods").as_deref(), Some(pods));
        let scale = "deployments.apps \"d\" is forbidden: User \"system:anonymous\" cannot patch resource \"deployments/scale\" in API group \
                     \"apps\" in the namespace \"n\"";
        assert_eq!(refused("PATCH", "/apis/apps/v1/namespaces/n/deployments/d/scale").as_deref(), Some(scale));
        let path = "forbidden: User \"system:anonymous\" cannot get path \"/apis\"";
        assert_eq!(refused("GET", "/apis").as_deref(), Some(path));
    }

    // DIF-8
    #[test]
    fn who_is_known_may_do_everything() {
        let target = Target::of(&Method::DELETE, &"/api/v1/nodes".parse().unwrap());
        assert_eq!(authorize(&Identity::user("alice"), &Method::DELETE, &target), Ok(()));
    }
}
