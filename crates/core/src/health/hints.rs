//! Hints by which a manifest says how its kind reports health.

/// What `<name>/status-hint` says (READY-3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// The kind reports `status.observedGeneration`, perhaps not yet.
    pub has_observed_generation: bool,
    /// The kind reports a Ready condition, perhaps not yet.
    pub has_ready_condition: bool,
    /// Conditions that must be True as well.
    pub conditions: Vec<String>,
}

/// A hint that does not exist, or one with a missing or unexpected value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid hint {0:?} (allowed: {allowed})", allowed = Hints::ALLOWED)]
pub struct InvalidHint(String);

impl Hints {
    /// What a hint may be.
    pub const ALLOWED: &str = "comma separated: has-observed-generation, has-ready-condition, conditions=<type>[;<type>...]";

    /// Reads the annotation's value. Names may be in kebab-case or CamelCase.
    pub fn parse(text: &str) -> Result<Self, InvalidHint> {
        let mut hints = Self::default();
        for hint in text.split(',').map(str::trim).filter(|hint| !hint.is_empty()) {
            let (name, value) = match hint.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (hint, None),
            };
            match (crate::manifest::to_kebab(name).as_str(), value) {
                ("has-observed-generation", None) => hints.has_observed_generation = true,
                ("has-ready-condition", None) => hints.has_ready_condition = true,
                ("conditions", Some(value)) if !value.is_empty() => {
                    let types = value.split(';').map(str::trim);
                    if types.clone().any(str::is_empty) {
                        return Err(InvalidHint(hint.to_owned()));
                    }
                    hints.conditions.extend(types.map(str::to_owned));
                }
                _ => return Err(InvalidHint(hint.to_owned())),
            }
        }
        Ok(hints)
    }
}
