//! Impersonation of other users (AUTH-5).

use std::borrow::Cow;
use std::collections::BTreeMap;

use http::{HeaderMap, Request};
use kubewright_middleware::target::path;
use kubewright_middleware::{Identity, Status};

use crate::access::{Attributes, UserAction};
use crate::api::ObjectApi;
use crate::status::StatusExt as _;

const USER: &str = "impersonate-user";
const GROUP: &str = "impersonate-group";
const UID: &str = "impersonate-uid";
const EXTRA: &str = "impersonate-extra-";

const AUTHENTICATED: &str = "system:authenticated";
const UNAUTHENTICATED: &str = "system:unauthenticated";

/// Returns the user that the headers of a request of this user name, if there are any.
pub(super) fn impersonated<B>(api: &ObjectApi, user: &Identity, request: &Request<B>) -> Result<Option<Identity>, Status> {
    if !request.headers().keys().any(|name| name.as_str().starts_with("impersonate-")) {
        return Ok(None);
    }
    let wanted = ImpersonatedUser::read(request.headers());
    if wanted.name.is_empty() {
        return Err(Status::bad_request(format!("requested {} without impersonating a user name", wanted.in_go())));
    }
    // The refusal names the constrained verb, since the real server checks that one first.
    let allowed = wanted.rights().iter().all(|right| api.may(user, right));
    if !allowed {
        let action = UserAction::of(request.method(), request.uri());
        return Err(action.with_verb(|verb| format!("impersonate-on:user-info:{verb}")).refusal(user));
    }
    Ok(Some(wanted.identity()))
}

/// The user to impersonate.
#[derive(Debug, Default)]
struct ImpersonatedUser {
    name: String,
    groups: Vec<String>,
    uid: String,
    extra: BTreeMap<String, Vec<String>>,
}

impl ImpersonatedUser {
    fn read(headers: &HeaderMap) -> Self {
        let mut wanted = Self::default();
        for (name, value) in headers {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            match name.as_str() {
                USER => wanted.name = value,
                GROUP => wanted.groups.push(value),
                UID => wanted.uid = value,
                other => {
                    if let Some(key) = other.strip_prefix(EXTRA) {
                        wanted.extra.entry(unescaped(key)).or_default().push(value);
                    }
                }
            }
        }
        wanted
    }

    /// Returns the actions that the caller must be authorized for to impersonate this user.
    fn rights(&self) -> Vec<UserAction> {
        let right = |group: &str, resource: &str, subresource: &str, namespace: &str, name: &str| {
            UserAction::Resource(Attributes {
                verb: "impersonate".into(),
                group: group.into(),
                resource: resource.into(),
                subresource: subresource.into(),
                namespace: namespace.into(),
                name: name.into(),
            })
        };
        let account = self.name.strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':'));
        let mut rights = vec![match account {
            Some((namespace, name)) => right("", "serviceaccounts", "", namespace, name),
            None => right("", "users", "", "", &self.name),
        }];
        rights.extend(self.groups.iter().map(|group| right("", "groups", "", "", group)));
        if !self.uid.is_empty() {
            rights.push(right("authentication.k8s.io", "uids", "", "", &self.uid));
        }
        let extra = self.extra.iter().flat_map(|(key, values)| values.iter().map(move |value| (key, value)));
        rights.extend(extra.map(|(key, value)| right("authentication.k8s.io", "userextras", key, "", value)));
        rights
    }

    fn identity(self) -> Identity {
        let mut groups = self.groups;
        let account = self.name.strip_prefix("system:serviceaccount:").and_then(|account| account.split_once(':'));
        if groups.is_empty() {
            match account {
                Some((namespace, _)) => {
                    groups = vec!["system:serviceaccounts".into(), format!("system:serviceaccounts:{namespace}")];
                }
                None if self.name.starts_with("system:node:") => groups = vec!["system:nodes".into()],
                None => {}
            }
        }
        let everybody = if self.name == "system:anonymous" { UNAUTHENTICATED } else { AUTHENTICATED };
        if !groups.iter().any(|group| [AUTHENTICATED, UNAUTHENTICATED].contains(&group.as_str())) {
            groups.push(everybody.into());
        }
        Identity::exactly(self.name, groups, Some(self.uid).filter(|uid| !uid.is_empty()), self.extra)
    }

    /// Returns the user in the form in which the real server's error prints it.
    fn in_go(&self) -> String {
        let list = |items: &[String]| {
            let items: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
            format!("[]string{{{}}}", items.join(", "))
        };
        let groups = if self.groups.is_empty() { "[]string(nil)".to_owned() } else { list(&self.groups) };
        let mut extra = "map[string][]string(nil)".to_owned();
        if !self.extra.is_empty() {
            let entries: Vec<String> = self.extra.iter().map(|(key, values)| format!("{key:?}:{}", list(values))).collect();
            extra = format!("map[string][]string{{{}}}", entries.join(", "));
        }
        format!("&user.DefaultInfo{{Name:{:?}, UID:{:?}, Groups:{groups}, Extra:{extra}}}", self.name, self.uid)
    }
}

/// Decodes the key of an extra attribute, which is percent-encoded like a path. A key with an invalid escape counts as it is.
fn unescaped(key: &str) -> String {
    path::decoded(key).map_or_else(|| key.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(headers: &[(&'static str, &'static str)]) -> ImpersonatedUser {
        ImpersonatedUser::read(
            &headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect::<HeaderMap>(),
        )
    }

    // AUTH-5
    #[test]
    fn an_impersonated_user_has_the_groups_of_its_kind() {
        let groups = |name: &'static str| wanted(&[("Impersonate-User", name)]).identity().groups().join(",");
        assert_eq!(groups("joe"), "system:authenticated");
        assert_eq!(groups("system:anonymous"), "system:unauthenticated");
        assert_eq!(groups("system:node:n"), "system:nodes,system:authenticated");
        assert_eq!(groups("system:serviceaccount:ns:a"), "system:serviceaccounts,system:serviceaccounts:ns,system:authenticated");
        let named =
            wanted(&[("Impersonate-User", "joe"), ("Impersonate-Group", "dev"), ("Impersonate-Extra-Acme.com%2FProject", "x")]);
        let identity = named.identity();
        assert_eq!(identity.groups(), ["dev", "system:authenticated"]);
        assert_eq!(identity.extra()["acme.com/project"], ["x"]);
    }

    // AUTH-5
    #[test]
    fn the_keys_of_extra_attributes_are_unescaped() {
        for (key, expected) in
            [("acme.com%2fproject", "acme.com/project"), ("a%zzb%2f", "a%zzb%2f"), ("%41", "A"), ("a+b", "a+b")]
        {
            assert_eq!(unescaped(key), expected);
        }
    }

    // AUTH-5
    #[test]
    fn an_impersonated_group_without_a_user_has_an_empty_user_name() {
        let text = wanted(&[("Impersonate-Group", "dev")]).in_go();
        assert_eq!(text, r#"&user.DefaultInfo{Name:"", UID:"", Groups:[]string{"dev"}, Extra:map[string][]string(nil)}"#);
    }
}
