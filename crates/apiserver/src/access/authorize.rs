//! Who may do what.
//!
//! Without role-based access control everybody who is known may do everything (DIF-8). Who is not known only learns that the server lives.

use serde_json::Value;

use super::{Action, Identity, rbac};
use crate::{kinds::KindSpec, server::State, status::Status, store::ObjectName};

impl State {
    /// Whether the user may do it.
    pub(crate) fn may(&self, user: &Identity, action: &Action) -> bool {
        if self.options.rbac {
            rbac::allows(&self.store.snapshot(), user, action)
        } else {
            !user.is_anonymous() || action.is_open()
        }
    }

    /// Refuses what the user may not do. What it is, is only looked at when it matters.
    pub(crate) fn authorize(&self, user: &Identity, action: impl FnOnce() -> Action) -> Result<(), Status> {
        if !self.options.rbac && !user.is_anonymous() {
            return Ok(());
        }
        let action = action();
        if self.may(user, &action) { Ok(()) } else { Err(action.refusal(user)) }
    }

    /// Refuses a role or a binding that gives more than its author has. `name` is that of the request.
    pub(crate) fn check_escalation(
        &self,
        user: &Identity,
        kind: &KindSpec,
        name: &ObjectName,
        object: &Value,
        stored: Option<&Value>,
    ) -> Result<(), Status> {
        if self.options.rbac { rbac::check_escalation(&self.store.snapshot(), user, kind, name, object, stored) } else { Ok(()) }
    }
}
