//! Checks of liveness and readiness.

use std::fmt;
use std::sync::Arc;

use kubewright_core::flow::Redactor;
use parking_lot::RwLock;

/// The checks of liveness and readiness of a process. Cheap to clone.
#[derive(Clone, Default)]
pub struct HealthChecks(Arc<RwLock<RegisteredChecks>>);

#[derive(Clone, Default)]
struct RegisteredChecks {
    checks: Vec<HealthCheck>,
    redactor: Redactor,
}

/// The purpose of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CheckKind {
    /// A check of liveness: the process should be restarted when it fails.
    Live,
    /// A check of readiness: the process should get no requests when it fails.
    Ready,
    /// A note that only `?verbose` shows; it decides nothing.
    Note,
}

/// The error of adding a check whose name is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("add the check {0:?}: a check of this name exists already; names of checks are unique")]
pub struct DuplicateCheck(pub String);

type Probe = Arc<dyn Fn() -> Result<(), String> + Send + Sync>;

#[derive(Clone)]
struct HealthCheck {
    name: String,
    kind: CheckKind,
    probe: Probe,
}

impl HealthChecks {
    /// Creates an empty set of checks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the redactor that masks the errors of checks, instead of the default one.
    pub(crate) fn set_redactor(&self, redactor: Redactor) {
        self.0.write().redactor = redactor;
    }

    /// Adds a check of readiness. The probe is called for each request, so it must be quick; its error says what is wrong.
    pub fn ready(
        &self,
        name: impl Into<String>,
        probe: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<(), DuplicateCheck> {
        self.add(name.into(), CheckKind::Ready, Arc::new(probe))
    }

    /// Adds a check of liveness.
    pub fn live(
        &self,
        name: impl Into<String>,
        probe: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<(), DuplicateCheck> {
        self.add(name.into(), CheckKind::Live, Arc::new(probe))
    }

    /// Adds a line to the verbose answer of `/readyz` that does not affect readiness.
    pub fn note(
        &self,
        name: impl Into<String>,
        probe: impl Fn() -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<(), DuplicateCheck> {
        self.add(name.into(), CheckKind::Note, Arc::new(probe))
    }

    /// Returns the results of all checks of a kind, in the order in which they were added. Credentials are masked as in the status.
    pub fn results(&self, kind: CheckKind) -> Vec<(String, Result<(), String>)> {
        // Probes run outside of the lock: they may be slow, or add checks.
        let RegisteredChecks { mut checks, redactor } = self.0.read().clone();
        checks.retain(|check| check.kind == kind);
        let masked = |reason: String| redactor.redact(&reason).into_owned();
        checks.into_iter().map(|check| (check.name, (check.probe)().map_err(masked))).collect()
    }

    fn add(&self, name: String, kind: CheckKind, probe: Probe) -> Result<(), DuplicateCheck> {
        let checks = &mut self.0.write().checks;
        if checks.iter().any(|check| check.name == name) {
            return Err(DuplicateCheck(name));
        }
        checks.push(HealthCheck { name, kind, probe });
        Ok(())
    }
}

impl fmt::Debug for HealthChecks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<(String, CheckKind)> = self.0.read().checks.iter().map(|check| (check.name.clone(), check.kind)).collect();
        f.debug_list().entries(names).finish()
    }
}
