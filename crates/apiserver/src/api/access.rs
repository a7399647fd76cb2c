//! Authorization of requests.
//!
//! Without role-based access control every authenticated user may do everything (DIF-8), and the anonymous user may only read health and version.

use kubewright_middleware::{Identity, Status};
use serde_json::Value;

use super::ObjectApi;
use crate::access::{UserAction, allows, check_escalation};
use crate::kinds::KindSpec;
use crate::store::ObjectName;

impl ObjectApi {
    /// Returns true if the user may do the action.
    pub(crate) fn may(&self, user: &Identity, action: &UserAction) -> bool {
        if self.options.rbac { allows(&self.store.snapshot(), user, action) } else { !user.is_anonymous() || action.is_open() }
    }

    /// Rejects an action that the user is not authorized for. The action is computed only if an authorizer needs it.
    pub(crate) fn authorize(&self, user: &Identity, action: impl FnOnce() -> UserAction) -> Result<(), Status> {
        if !self.options.rbac && !user.is_anonymous() {
            return Ok(());
        }
        let action = action();
        if self.may(user, &action) { Ok(()) } else { Err(action.refusal(user)) }
    }

    /// Rejects a role or a binding that grants more than its author has. `name` is the name in the request's path.
    pub(crate) fn check_escalation(
        &self,
        user: &Identity,
        kind: &KindSpec,
        name: &ObjectName,
        object: &Value,
        stored: Option<&Value>,
    ) -> Result<(), Status> {
        if self.options.rbac { check_escalation(&self.store.snapshot(), user, kind, name, object, stored) } else { Ok(()) }
    }
}
