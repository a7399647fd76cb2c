//! The resources of a build, in order.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::identity::ResourceId;
use super::object::{BuildResource, GeneratorBehavior};
use crate::error::BuildProblem;

/// Resources in order, of which no two have the same identity.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResourceList {
    pub(crate) resources: Vec<BuildResource>,
}

impl ResourceList {
    /// Adds a resource.
    pub(crate) fn add(&mut self, resource: BuildResource) -> Result<(), BuildProblem> {
        let id = resource.id();
        if self.resources.iter().any(|known| known.has_id(&id)) {
            return Err(BuildProblem(format!("may not add resource with an already registered id: {id}")));
        }
        self.resources.push(resource);
        Ok(())
    }

    /// Adds all resources of another list.
    pub(crate) fn add_all(&mut self, other: Self) -> Result<(), BuildProblem> {
        other.resources.into_iter().try_for_each(|resource| self.add(resource))
    }

    /// Adds a generated resource, which may change one that exists.
    pub(crate) fn absorb(&mut self, mut generated: BuildResource) -> Result<(), BuildProblem> {
        let id = generated.id();
        let indexes: Vec<usize> = self.matching(&id).collect();
        match (indexes.as_slice(), generated.behavior) {
            ([], GeneratorBehavior::Create) => self.add(generated),
            ([], _) => Err(BuildProblem(format!("id {id} does not exist; cannot merge or replace"))),
            ([_], GeneratorBehavior::Create) => {
                Err(BuildProblem(format!("id {id} exists; can not use behavior: 'create', behavior must be merge or replace")))
            }
            ([index], behavior) => {
                let old = &self.resources[*index];
                let is_secret = generated.kind_name() == "Secret";
                generated.inherit_from(old);
                if behavior == GeneratorBehavior::Merge {
                    if old.origin.is_some() {
                        generated.origin.clone_from(&old.origin);
                    }
                    merge_data(&mut generated, old, is_secret);
                }
                self.resources[*index] = generated;
                Ok(())
            }
            (_, _) => Err(BuildProblem(format!("found multiple objects that could accept merge of {id}"))),
        }
    }

    /// Returns the indexes of the resources that have or had an identity.
    pub(crate) fn matching<'a>(&'a self, id: &'a ResourceId) -> impl Iterator<Item = usize> + 'a {
        let indexed = self.resources.iter().enumerate();
        indexed.filter(move |(_, resource)| !resource.is_empty() && resource.has_had_id(id)).map(|(index, _)| index)
    }

    /// Returns the index of the only resource that has or had an identity.
    pub(crate) fn unique(&self, id: &ResourceId) -> Result<usize, BuildProblem> {
        let mut matching = self.matching(id);
        match (matching.next(), matching.next()) {
            (Some(index), None) => Ok(index),
            (None, _) => Err(BuildProblem(format!("no matches for Id {id}; failed to find unique target for patch {id}"))),
            (Some(_), Some(_)) => {
                Err(BuildProblem(format!("multiple matches for Id {id}; failed to find unique target for patch {id}")))
            }
        }
    }

    /// Removes the resources that patches have deleted.
    pub(crate) fn drop_empty(&mut self) {
        self.resources.retain(|resource| !resource.is_empty());
    }
}

/// Merges the data of an older ConfigMap or Secret under those of a generated one.
fn merge_data(generated: &mut BuildResource, old: &BuildResource, is_secret: bool) {
    for field in ["data", "binaryData"] {
        let of = |resource: &BuildResource| resource.object.get(field).and_then(Value::as_object).cloned().unwrap_or_default();
        let mut data = of(old);
        if is_secret && field == "data" {
            let texts = old.object.get("stringData").and_then(Value::as_object);
            let encoded = |value: &Value| Value::from(STANDARD.encode(super::scalar_text(value)));
            data.extend(texts.into_iter().flatten().map(|(key, value)| (key.clone(), encoded(value))));
        }
        let mut data: Map<String, Value> =
            data.into_iter().map(|(key, value)| (key, super::scalar_text(&value).into())).collect();
        data.append(&mut of(generated));
        if let (Value::Object(members), false) = (&mut generated.object, data.is_empty()) {
            members.insert(field.to_owned(), data.into());
        }
    }
}
