//! Known and accepted differences from the real server (DFT-6).

use std::path::Path;

use serde::Deserialize;

use super::folder::{LibraryError, fault, text};
use crate::answers::Difference;

/// The known differences of all scripts.
#[derive(Clone, Debug, Default)]
pub struct Deviations(Vec<Deviation>);

/// One known difference.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// The id of the script.
    pub script: String,
    /// The id of the step.
    pub step: String,
    /// The prefix of the path at which the answers differ.
    pub what: String,
    /// The reason why the difference is accepted.
    pub reason: String,
    /// The deliberate difference (`DIF-4`) from which it follows; empty if there is none.
    #[serde(default)]
    pub rule: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviationsFile {
    #[serde(default)]
    deviation: Vec<Deviation>,
}

impl Deviations {
    /// Adds the deviations of a file, if the file exists.
    pub(super) fn read(&mut self, path: &Path) -> Result<(), LibraryError> {
        if path.exists() {
            let file: DeviationsFile = toml::from_str(&text(path)?).map_err(|error| fault(path, error.to_string()))?;
            self.0.extend(file.deviation);
        }
        Ok(())
    }

    /// Splits the differences of a script into unknown and known ones, and returns the deviations that did not occur.
    pub(crate) fn split(&self, script: &str, found: Vec<Difference>) -> (Vec<Difference>, Vec<Difference>, Vec<&Deviation>) {
        let ours: Vec<&Deviation> = self.0.iter().filter(|deviation| deviation.script == script).collect();
        let gone = ours.iter().filter(|deviation| !found.iter().any(|difference| deviation.covers(difference)));
        let gone = gone.copied().collect();
        let (known, unknown) = found.into_iter().partition(|found| ours.iter().any(|deviation| deviation.covers(found)));
        (unknown, known, gone)
    }

    /// Returns the deviations whose script does not exist.
    pub(crate) fn without_script<'a>(&'a self, ids: &[&str]) -> Vec<&'a Deviation> {
        self.0.iter().filter(|deviation| !ids.contains(&deviation.script.as_str())).collect()
    }

    /// Returns all deviations.
    pub fn iter(&self) -> impl Iterator<Item = &Deviation> {
        self.0.iter()
    }
}

impl Deviation {
    fn covers(&self, difference: &Difference) -> bool {
        self.step == difference.step && difference.what.starts_with(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(what: &str) -> Difference {
        Difference { step: "s".into(), what: what.into(), expected: 1.into(), found: 2.into(), is_weak: false }
    }

    // DFT-6
    #[test]
    fn known_differences_pass_new_ones_and_those_that_are_gone_do_not() {
        let known = |what: &str| Deviation {
            script: "a/b".into(),
            step: "s".into(),
            what: what.into(),
            reason: "why".into(),
            rule: String::new(),
        };
        let deviations = Deviations(vec![known("body/x"), known("type")]);
        let (unknown, covered, gone) = deviations.split("a/b", vec![difference("body/x/y"), difference("code")]);
        assert_eq!(unknown, [difference("code")]);
        assert_eq!(covered, [difference("body/x/y")]);
        assert_eq!(gone.iter().map(|deviation| deviation.what.as_str()).collect::<Vec<_>>(), ["type"]);
        assert_eq!(deviations.without_script(&["c/d"]).len(), 2);
    }
}
