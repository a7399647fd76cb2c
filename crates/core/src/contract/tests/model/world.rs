//! The state of the model: the objects on the server, the effects outside, and the passes that run.

use std::collections::BTreeSet;

use super::*;

/// The types of the components, in the order of their numbers.
pub(super) const TYPES: [ComponentType; 4] =
    [ComponentType::new("A"), ComponentType::new("B"), ComponentType::new("C"), ComponentType::new("D")];

/// A change from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// A component is switched on or off in the spec of the owner.
    Switch,
    /// The spec of the owner changes, and with it those of the components.
    Edit,
    /// The owner is deleted.
    DeleteOwner,
    /// `ignore` is set on a component, or removed.
    Ignore,
    /// A controller restarts: its pass is cut off, and it runs again.
    Restart,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) edges: Vec<Vec<Edge>>,
    pub(super) keep_running: bool,
    pub(super) owner: Owner,
    pub(super) components: Vec<Component>,
    /// How many changes of the user are left.
    pub(super) budget: u8,
    pub(super) uids: u8,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    pub(super) exists: bool,
    pub(super) generation: u8,
    /// The components that are switched on, a bit each.
    pub(super) configured: u8,
    pub(super) is_deleting: bool,
    pub(super) wakes: bool,
    /// The pass that runs: the actions that are left.
    pub(super) pass: Option<Vec<(usize, OwnerAction)>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Component {
    pub(super) object: Option<Object>,
    /// Whether there is something outside that `apply` made and `cleanup` removes.
    pub(super) effect: bool,
    pub(super) wakes: bool,
    pub(super) pass: Option<Pass>,
}

/// A pass of a component's controller, with the objects as it knows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pass {
    pub(super) own: Option<Object>,
    pub(super) targets: Vec<Option<Object>>,
    pub(super) progress: Progress,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // independent facts about an object
pub(super) struct Object {
    pub(super) uid: u8,
    pub(super) generation: u8,
    /// The generation of the owner that the spec comes from.
    pub(super) spec: u8,
    /// The generation of the owner that the labels tell.
    pub(super) label: u8,
    pub(super) is_deleting: bool,
    pub(super) is_ignored: bool,
    pub(super) asks: bool,
    pub(super) own_finalizer: bool,
    /// The dependency finalizers, a bit for each depending component.
    pub(super) held_by: u8,
    /// The generations that were applied.
    pub(super) applied: Option<(u8, u8)>,
    pub(super) is_healthy: bool,
    /// Whether the controller has written a status.
    pub(super) has_status: bool,
}

impl World {
    pub(super) fn new(edges: &[Vec<Edge>], keep_running: bool, budget: u8) -> Self {
        let component = Component { object: None, effect: false, wakes: false, pass: None };
        let configured = u8::try_from((1_u32 << edges.len()) - 1).unwrap();
        let owner = Owner { exists: true, generation: 1, configured, is_deleting: false, wakes: true, pass: None };
        Self { edges: edges.to_vec(), keep_running, owner, components: vec![component; edges.len()], budget, uids: 0 }
    }

    /// The numbers of the components that a component depends on, in the order of its edges.
    pub(super) fn targets(&self, from: usize) -> Vec<usize> {
        self.edges[from].iter().map(|edge| TYPES.iter().position(|type_| *type_ == edge.to).unwrap()).collect()
    }

    /// The components that depend on one.
    pub(super) fn depending(&self, on: usize) -> Vec<usize> {
        (0..self.edges.len()).filter(|from| self.targets(*from).contains(&on)).collect()
    }

    pub(super) fn state_of(&self, index: usize, pass: &Pass) -> ComponentState {
        let target = |(edge, object): (&Edge, &Option<Object>)| Target {
            edge: *edge,
            conditions: None,
            polarities: Vec::new(),
            finalizer: dependency_finalizer(index),
            observation: object.map(|object| object.observed(edge.to)),
        };
        ComponentState {
            own: pass.own.map(|own| own.observed(TYPES[index])),
            finalizers: vec![OWN.to_owned()],
            keep_running: self.keep_running,
            targets: self.edges[index].iter().zip(&pass.targets).map(target).collect(),
            release: Release::AfterCleanup,
            progress: pass.progress,
        }
    }
}

pub(super) const OWN: &str = "example.com/own";

fn dependency_finalizer(depending: usize) -> String {
    format!("dependency.example.com/{}", TYPES[depending].lower())
}

impl Object {
    pub(super) fn new(uid: u8, generation: u8) -> Self {
        Self {
            uid,
            generation: 1,
            spec: generation,
            label: generation,
            is_deleting: false,
            is_ignored: false,
            asks: false,
            own_finalizer: false,
            held_by: 0,
            applied: None,
            is_healthy: false,
            has_status: false,
        }
    }

    pub(super) fn observed(&self, type_: ComponentType) -> Observation {
        let provenance = Provenance::new(self.label.into(), None);
        let held_by: Vec<usize> = (0..TYPES.len()).filter(|index| self.held_by & (1 << index) != 0).collect();
        let mut finalizers: Vec<String> = held_by.iter().map(|index| dependency_finalizer(*index)).collect();
        finalizers.extend(self.own_finalizer.then(|| OWN.to_owned()));
        let depending: BTreeSet<String> = held_by.iter().map(|index| TYPES[*index].lower()).collect();
        let applied = self
            .applied
            .map(|(resource, label)| Generations { resource: resource.into(), provenance: Provenance::new(label.into(), None) });
        let conditions = if self.has_status {
            vec![true_(&type_.reconciliation()), condition(&type_.healthy(), self.is_healthy.into())]
        } else {
            Vec::new()
        };
        Observation {
            uid: self.uid.to_string(),
            generation: self.generation.into(),
            is_deleting: self.is_deleting,
            provenance: Ok(provenance),
            operation: match (self.is_ignored, self.asks) {
                (true, _) => Some(Operation::Ignore),
                (false, true) => Some(Operation::Reconcile),
                (false, false) => None,
            },
            is_disabled: false,
            finalizers,
            depending,
            seen: applied,
            applied,
            conditions,
        }
    }
}
