//! The owner that the marks on an object name (OWN-1, OWN-3a).

use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use crate::manifest::{OWNER_SUFFIX, OperatorName, OwnerId};

/// The owner that the marks on an object name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The owner hash of the label.
    pub hash: Box<str>,
    /// The plain owner id of the annotation; empty if there is none.
    pub id: Box<str>,
    /// The prefix of the marks when it is another one than ours: the name of another operator, or of another component type of
    /// this one. `None` for marks under our own name.
    pub operator: Option<Box<str>>,
}

impl Owner {
    /// The owner of an object, as seen under this name. A label under this name decides alone; without one, the label of another
    /// operator that has the form of an owner mark does.
    pub fn of(live: &Value, name: &OperatorName) -> Option<Self> {
        let key = name.owner_key();
        if let Some(hash) = live.label(&key) {
            return Some(Self::marked(live, &key, hash, None));
        }
        let labels = live.metadata().get("labels").and_then(Value::as_object)?;
        labels.iter().find_map(|(key, value)| {
            let operator = key.strip_suffix(OWNER_SUFFIX)?.strip_suffix('/')?;
            let owner = Self::marked(live, key, value.as_str()?, Some(operator.into()));
            (OwnerId::is_hash(&owner.hash) || OwnerId::is_id(&owner.id)).then_some(owner)
        })
    }

    fn marked(live: &Value, key: &str, hash: &str, operator: Option<Box<str>>) -> Self {
        Self { hash: hash.into(), id: live.annotation(key).unwrap_or("").into(), operator }
    }

    /// Whether the marks are under our own name, so that watches by our owner label show the object.
    pub const fn is_under_our_name(&self) -> bool {
        self.operator.is_none()
    }

    /// How messages name it: the plain owner id, or the hash where there is none, and the operator unless it has our own name.
    pub(in crate::dependents) fn title(&self) -> String {
        let id = if self.id.is_empty() { &self.hash } else { &self.id };
        match &self.operator {
            Some(operator) => format!("{id} of operator {operator}"),
            None => id.to_string(),
        }
    }
}
