//! The owner of an object according to its marks (OWN-1, OWN-3a).

use kubewright_machinery::object::ObjectExt;
use serde_json::Value;

use crate::manifest::{OperatorName, OwnerId, keys};

/// The owner of an object according to its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The owner hash, which is the value of the label.
    pub hash: Box<str>,
    /// The plain owner id, which is the value of the annotation; empty if there is none.
    pub id: Box<str>,
    /// The prefix of the marks if it is not ours: the name of another operator, or of another component type of this operator. `None` for marks under
    /// our own name.
    pub operator: Option<Box<str>>,
}

impl Owner {
    /// Returns the owner of an object from the point of view of an operator of this name. A label under this name decides alone; without one, the
    /// label of another operator with the form of an owner mark decides.
    pub fn of(live: &Value, name: &OperatorName) -> Option<Self> {
        let key = name.owner_key();
        if let Some(hash) = live.label(&key) {
            return Some(Self::marked(live, &key, hash, None));
        }
        let labels = live.metadata().get("labels").and_then(Value::as_object)?;
        labels.iter().find_map(|(key, value)| {
            let operator = key.strip_suffix(keys::OWNER_ID)?.strip_suffix('/')?;
            let owner = Self::marked(live, key, value.as_str()?, Some(operator.into()));
            (OwnerId::is_hash(&owner.hash) || OwnerId::is_id(&owner.id)).then_some(owner)
        })
    }

    fn marked(live: &Value, key: &str, hash: &str, operator: Option<Box<str>>) -> Self {
        Self { hash: hash.into(), id: live.annotation(key).unwrap_or("").into(), operator }
    }

    /// Returns true if the marks are under our own name, so that watches by our owner label show the object.
    pub const fn is_under_our_name(&self) -> bool {
        self.operator.is_none()
    }

    /// Returns the name of the owner in messages: the plain owner id, or else the hash, and the operator unless the marks are under our own name.
    pub(in crate::dependents) fn title(&self) -> String {
        let id = if self.id.is_empty() { &self.hash } else { &self.id };
        match &self.operator {
            Some(operator) => format!("{id} of operator {operator}"),
            None => id.to_string(),
        }
    }
}
