//! Limits of a build.

use kubewright_machinery::object::canonical_json;
use serde_json::Value;

use crate::error::BuildProblem;

/// The largest size of an object that is generated or that replacements have changed, in bytes.
pub(crate) const LARGEST_OBJECT: usize = 16 * 1024 * 1024;

/// The longest name, namespace, prefix or suffix, in bytes. API servers refuse much shorter ones.
const LONGEST_NAME: usize = 4096;

/// The limits of a build. Kustomizations within them may still be slow, but are never endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BuildLimits {
    /// The largest number of kustomizations of which each refers to the next. Default: 50.
    pub depth: usize,
    /// The largest number of kustomizations that are built, counted once per reference. Default: 1000.
    pub kustomizations: usize,
    /// The largest number of objects at any time. Default: 10,000.
    pub objects: usize,
    /// The largest total size of the objects that are read and generated, as JSON, in bytes, counted once per reference, and of all that changes add to
    /// them. Default: 256 MiB.
    pub bytes: usize,
}

impl Default for BuildLimits {
    fn default() -> Self {
        Self { depth: 50, kustomizations: 1000, objects: 10_000, bytes: 256 * 1024 * 1024 }
    }
}

/// The total size of the objects that a build has read and generated, and of what changes have added to them, with its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectBytes {
    most: usize,
    found: usize,
}

impl ObjectBytes {
    pub(crate) fn new(limits: BuildLimits) -> Self {
        Self { most: limits.bytes, found: 0 }
    }

    /// Adds an object.
    pub(crate) fn add(&mut self, object: &Value) -> Result<(), BuildProblem> {
        self.grow(canonical_json(object).len())
    }

    /// Adds a number of bytes that a change adds to an object.
    pub(crate) fn grow(&mut self, bytes: usize) -> Result<(), BuildProblem> {
        self.found = self.found.saturating_add(bytes);
        if self.found <= self.most {
            return Ok(());
        }
        Err(BuildProblem(format!("the objects are larger than {} bytes in total; raise BuildLimits::bytes", self.most)))
    }
}

/// Refuses a name that is too long. `title` says of what it is.
pub(crate) fn check_name(title: &str, name: &str) -> Result<(), BuildProblem> {
    if name.len() <= LONGEST_NAME {
        return Ok(());
    }
    Err(BuildProblem(format!("the {title} is {} bytes long, more than the allowed {LONGEST_NAME}", name.len())))
}
