//! The hints with which a manifest describes how its kind reports health.

/// The parsed value of the annotation `<name>/status-hint` (READY-3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Hints {
    /// Set when the kind reports `status.observedGeneration`, even if the field does not exist yet.
    pub has_observed_generation: bool,
    /// Set when the kind reports a Ready condition, even if the condition does not exist yet.
    pub has_ready_condition: bool,
    /// The types of the conditions that must be True in addition.
    pub conditions: Vec<String>,
}

/// The error for an unknown hint, or a hint with a missing or unexpected value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid hint {0:?} (allowed: {allowed})", allowed = Hints::ALLOWED)]
pub struct InvalidHint(String);

impl Hints {
    /// The grammar of the annotation's value, for messages.
    pub const ALLOWED: &str = "comma separated: has-observed-generation, has-ready-condition, conditions=<type>[;<type>...]";

    /// Parses the value of the annotation. Names may be in kebab-case or CamelCase.
    pub fn parse(text: &str) -> Result<Self, InvalidHint> {
        let mut hints = Self::default();
        for hint in text.split(',').map(str::trim).filter(|hint| !hint.is_empty()) {
            let (name, value) = match hint.split_once('=') {
                Some((name, value)) => (name.trim(), Some(value.trim())),
                None => (hint, None),
            };
            match (crate::names::to_kebab(name).as_str(), value) {
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
