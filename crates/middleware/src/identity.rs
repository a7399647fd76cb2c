//! The user on whose behalf a request is made.

use std::collections::BTreeMap;
use std::sync::Arc;

/// A user with groups. A server that authenticates puts it into the extensions of each request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity(Arc<UserAttributes>);

/// The attributes of a user. Every request carries them, so copies are shared.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UserAttributes {
    user: String,
    groups: Vec<String>,
    uid: Option<String>,
    extra: BTreeMap<String, Vec<String>>,
}

impl Identity {
    fn new(user: String, group: &str) -> Self {
        Self(Arc::new(UserAttributes { user, groups: vec![group.to_owned()], uid: None, extra: BTreeMap::new() }))
    }

    /// Returns an authenticated user without further groups.
    pub fn user(name: impl Into<String>) -> Self {
        Self::new(name.into(), "system:authenticated")
    }

    /// Returns a member of `system:masters`, who may do everything.
    pub fn admin() -> Self {
        Self::user("kubernetes-admin").with_group("system:masters")
    }

    /// Returns the user of requests without credentials, `system:anonymous`.
    pub fn anonymous() -> Self {
        Self::new("system:anonymous".into(), "system:unauthenticated")
    }

    /// Returns true for the user of requests without credentials.
    pub fn is_anonymous(&self) -> bool {
        self.0.user == "system:anonymous"
    }

    /// Returns the user of a service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::user(format!("system:serviceaccount:{namespace}:{name}"))
            .with_group("system:serviceaccounts")
            .with_group(format!("system:serviceaccounts:{namespace}"))
    }

    /// Returns a user with exactly these attributes; no group is added.
    pub fn exactly(user: String, groups: Vec<String>, uid: Option<String>, extra: BTreeMap<String, Vec<String>>) -> Self {
        Self(Arc::new(UserAttributes { user, groups, uid, extra }))
    }

    /// Adds a group before the last one, which all authenticated users share.
    pub fn with_group(mut self, group: impl Into<String>) -> Self {
        let group = group.into();
        let groups = &mut Arc::make_mut(&mut self.0).groups;
        if !groups.contains(&group) {
            let at = groups.len().saturating_sub(1);
            groups.insert(at, group);
        }
        self
    }

    /// Sets the unique id by which the authenticator knows the user.
    pub fn with_uid(mut self, uid: impl Into<String>) -> Self {
        Arc::make_mut(&mut self.0).uid = Some(uid.into());
        self
    }

    /// Adds one extra attribute.
    pub fn with_extra(mut self, key: impl Into<String>, values: Vec<String>) -> Self {
        Arc::make_mut(&mut self.0).extra.insert(key.into(), values);
        self
    }

    /// Returns the user's name.
    pub fn name(&self) -> &str {
        &self.0.user
    }

    /// Returns the groups; the last one is `system:authenticated` or `system:unauthenticated`.
    pub fn groups(&self) -> &[String] {
        &self.0.groups
    }

    /// Returns the unique id, if the authenticator knows one.
    pub fn uid(&self) -> Option<&str> {
        self.0.uid.as_deref()
    }

    /// Returns the extra attributes.
    pub fn extra(&self) -> &BTreeMap<String, Vec<String>> {
        &self.0.extra
    }
}
