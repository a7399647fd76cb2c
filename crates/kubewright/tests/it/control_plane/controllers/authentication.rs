use std::collections::BTreeSet;

use kubewright::contract::{ApplyContext, CleanupContext, ComponentController, Maybe, Ready};
use kubewright::prelude::*;

use super::super::external::{Externals, LOGIN, field};
use super::super::kinds::{Authentication, endpoint};

/// The controller of identity providers, whose names must differ.
pub(super) struct Authentications(Externals);

impl Authentications {
    pub(super) fn new(externals: Externals) -> Self {
        Self(externals)
    }
}

impl ComponentController for Authentications {
    type Component = Authentication;

    async fn apply(&self, cx: &ApplyContext<Authentication>, deps: Ready<Authentication>) -> Flow {
        let endpoint = endpoint(&deps)?;
        let providers = &cx.component().spec.identity_providers;
        let mut names = BTreeSet::new();
        if let Some(twice) = providers.iter().find(|provider| !names.insert(provider.as_str())) {
            let text = format!("spec.identityProviders has {twice:?} twice; give each provider a name of its own");
            return Blocked::new("InvalidSpec", text).into();
        }
        if names.contains("") {
            // The pass fails before it sets the health.
            return Failure::backoff("an identity provider without a name does not answer").reason("ProviderUnreachable").into();
        }
        let listed = providers.join(",");
        let login = self.0.ensure(cx.key(), LOGIN, &[("providers", listed.clone())]).await?;
        if field(&login, "providers") != Some(listed.as_str()) {
            self.0.set(cx.key(), &login, &[("providers", listed)]).await?;
        }
        cx.external(|external| external.login = Some(format!("{endpoint}/login")));
        cx.healthy();
        Ok(())
    }

    async fn cleanup(&self, cx: &CleanupContext<Authentication>, _: Maybe<Authentication>) -> Flow {
        if self.0.delete(cx.key(), LOGIN).await? {
            return Ok(());
        }
        Wait::for_event("ComponentIsInDeletion").into()
    }
}
