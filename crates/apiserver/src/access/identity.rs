//! The user on whose behalf a request is made.

use std::collections::BTreeMap;

/// A user with groups. The front door puts one into the extensions of every request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    user: String,
    groups: Vec<String>,
    uid: Option<String>,
    extra: BTreeMap<String, Vec<String>>,
}

impl Identity {
    /// An authenticated user without further groups.
    pub fn user(name: impl Into<String>) -> Self {
        Self { user: name.into(), groups: vec!["system:authenticated".into()], uid: None, extra: BTreeMap::new() }
    }

    /// A member of `system:masters`, who may do everything.
    pub fn admin() -> Self {
        Self::user("kubernetes-admin").with_group("system:masters")
    }

    /// Somebody who did not say who they are.
    pub fn anonymous() -> Self {
        Self { user: "system:anonymous".into(), groups: vec!["system:unauthenticated".into()], uid: None, extra: BTreeMap::new() }
    }

    /// Whether the user did not say who they are.
    pub fn is_anonymous(&self) -> bool {
        self.user == "system:anonymous"
    }

    /// A service account.
    pub fn service_account(namespace: &str, name: &str) -> Self {
        Self::user(format!("system:serviceaccount:{namespace}:{name}"))
            .with_group("system:serviceaccounts")
            .with_group(format!("system:serviceaccounts:{namespace}"))
    }

    /// A user as somebody else has described them.
    pub(crate) fn exactly(user: String, groups: Vec<String>, uid: Option<String>, extra: BTreeMap<String, Vec<String>>) -> Self {
        Self { user, groups, uid, extra }
    }

    /// Adds a group, before the one that everybody is in.
    pub fn with_group(mut self, group: impl Into<String>) -> Self {
        let group = group.into();
        if !self.groups.contains(&group) {
            let at = self.groups.len().saturating_sub(1);
            self.groups.insert(at, group);
        }
        self
    }

    /// Sets the unique id that the authenticator knows the user by.
    pub fn with_uid(mut self, uid: impl Into<String>) -> Self {
        self.uid = Some(uid.into());
        self
    }

    /// Adds one extra attribute.
    pub fn with_extra(mut self, key: impl Into<String>, values: Vec<String>) -> Self {
        self.extra.insert(key.into(), values);
        self
    }

    /// The user's name.
    pub fn name(&self) -> &str {
        &self.user
    }

    /// The groups; the one that everybody is in comes last.
    pub fn groups(&self) -> &[String] {
        &self.groups
    }

    /// The unique id, if the authenticator knows one.
    pub fn uid(&self) -> Option<&str> {
        self.uid.as_deref()
    }

    /// Extra attributes.
    pub fn extra(&self) -> &BTreeMap<String, Vec<String>> {
        &self.extra
    }
}
