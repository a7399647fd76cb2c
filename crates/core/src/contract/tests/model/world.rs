//! The state of the model: the objects on the server, the external effects, and the running passes.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::rc::Rc;
use std::sync::LazyLock;

use super::quick::QuickMap;
use super::*;

/// The format, created once because every step needs it.
pub(super) static FORMAT: LazyLock<Format> = LazyLock::new(format);

/// The types of the components, in the order of their numbers.
pub(super) const TYPES: [ComponentType; 4] =
    [ComponentType::new("A"), ComponentType::new("B"), ComponentType::new("C"), ComponentType::new("D")];

/// A change by a user, or a fault of a controller.
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
    /// A controller restarts: its pass is interrupted, and a new one starts with the current objects.
    Restart,
    /// The events for a controller are lost from now on, until it lists its objects again: it is not woken, and its passes know the old objects,
    /// except for its own writes.
    Lose,
}

/// The edges of each component, which are the same in all states of an exploration, with a cache of the decisions that were taken in it.
#[derive(Clone)]
pub(super) struct Edges(Rc<Shared>);

struct Shared {
    edges: Vec<Vec<Edge>>,
    next: RefCell<QuickMap<(usize, Pass), ComponentLoopAction>>,
    told: RefCell<QuickMap<Vec<Option<Object>>, Told>>,
}

impl Edges {
    fn new(edges: &[Vec<Edge>]) -> Self {
        Self(Rc::new(Shared { edges: edges.to_vec(), next: RefCell::default(), told: RefCell::default() }))
    }

    /// Returns the next action of a pass; decided once.
    pub(super) fn next(&self, index: usize, pass: &Pass, decide: impl FnOnce() -> ComponentLoopAction) -> ComponentLoopAction {
        self.0.next.borrow_mut().entry((index, pass.clone())).or_insert_with(decide).clone()
    }

    /// Returns the status of the owner of these components; computed once.
    pub(super) fn told(&self, components: &[Option<Object>], tell: impl FnOnce() -> Told) -> Told {
        *self.0.told.borrow_mut().entry(components.to_vec()).or_insert_with(tell)
    }
}

impl Deref for Edges {
    type Target = [Vec<Edge>];

    fn deref(&self) -> &Self::Target {
        &self.0.edges
    }
}

impl fmt::Debug for Edges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.edges.fmt(f)
    }
}

impl PartialEq for Edges {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Edges {}

impl Hash for Edges {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct World {
    pub(super) edges: Edges,
    pub(super) keep_running: bool,
    /// True if external effects need time: an effect is complete, and gone, some time after it was requested.
    pub(super) is_slow: bool,
    pub(super) owner: Owner,
    pub(super) components: Vec<Component>,
    /// The number of changes of the user that are left.
    pub(super) budget: u8,
    pub(super) uids: u8,
    pub(super) interruptions: Interruptions,
}

/// The number of times that passes may still be interrupted by others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Interruptions {
    Any,
    /// At most this number of interruptions; the second number is the controller whose pass runs.
    AtMost(u8, Option<u8>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    pub(super) exists: bool,
    pub(super) generation: u8,
    /// The components that are switched on, one bit each.
    pub(super) configured: u8,
    pub(super) is_deleting: bool,
    pub(super) wakes: bool,
    /// The running pass: the actions that are left, with the UID of the component that each was decided for.
    pub(super) pass: Option<Vec<(usize, Option<u8>, OwnerAction)>>,
    /// The components as the controller knows them while events are lost.
    pub(super) view: Option<Vec<Option<Object>>>,
    /// The components as the owner's status reports them.
    pub(super) told: Option<Told>,
}

/// The status of the owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Told {
    /// The components that are reported as healthy, one bit each.
    pub(super) healthy: u8,
    /// True if no condition keeps the owner from being ready.
    pub(super) is_ready: bool,
}

/// The external effect that `apply` creates and `cleanup` removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ExternalEffect {
    None,
    /// The effect is being created.
    Comes,
    Works,
    /// The effect is being removed.
    Goes,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Component {
    pub(super) object: Option<Object>,
    pub(super) effect: ExternalEffect,
    pub(super) wakes: bool,
    pub(super) pass: Option<Pass>,
    /// The component and its targets as the controller knows them while events are lost.
    pub(super) view: Option<View>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct View {
    pub(super) own: Option<Object>,
    pub(super) targets: Vec<Option<Object>>,
}

/// A pass of a component's controller, with the objects as the controller knows them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Pass {
    pub(super) own: Option<Object>,
    pub(super) targets: Vec<Option<Object>>,
    pub(super) progress: Progress,
    /// True if `apply` found the external effect working.
    pub(super) works: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::struct_excessive_bools)] // independent facts about an object
pub(super) struct Object {
    pub(super) uid: u8,
    pub(super) generation: u8,
    /// The generation of the owner that the spec comes from.
    pub(super) spec: u8,
    /// The generation of the owner in the labels.
    pub(super) label: u8,
    pub(super) is_deleting: bool,
    pub(super) is_ignored: bool,
    pub(super) asks: bool,
    pub(super) own_finalizer: bool,
    /// The dependency finalizers, one bit for each depending component.
    pub(super) held_by: u8,
    /// The generations that were applied.
    pub(super) applied: Option<(u8, u8)>,
    pub(super) is_healthy: bool,
    /// True if the controller has written a status.
    pub(super) has_status: bool,
}

impl World {
    pub(super) fn new(edges: &[Vec<Edge>], keep_running: bool, budget: u8) -> Self {
        let component = Component { object: None, effect: ExternalEffect::None, wakes: false, pass: None, view: None };
        let configured = u8::try_from((1_u32 << edges.len()) - 1).unwrap();
        let owner = Owner {
            exists: true,
            generation: 1,
            configured,
            is_deleting: false,
            wakes: true,
            pass: None,
            view: None,
            told: None,
        };
        Self {
            edges: Edges::new(edges),
            keep_running,
            is_slow: false,
            owner,
            components: vec![component; edges.len()],
            budget,
            uids: 0,
            interruptions: Interruptions::Any,
        }
    }

    /// Returns the component and its targets, as its controller knows them.
    pub(super) fn view(&self, index: usize) -> View {
        self.components[index].view.clone().unwrap_or_else(|| View {
            own: self.components[index].object,
            targets: self.targets(index).map(|target| self.components[target].object).collect(),
        })
    }

    /// Returns the components, as the controller of the owner knows them.
    pub(super) fn owner_view(&self) -> Vec<Option<Object>> {
        let live = || self.components.iter().map(|component| component.object).collect();
        self.owner.view.clone().unwrap_or_else(live)
    }

    /// Returns the numbers of the components that a component depends on, in the order of its edges.
    pub(super) fn targets(&self, from: usize) -> impl Iterator<Item = usize> + '_ {
        self.edges[from].iter().map(|edge| number(edge.to))
    }

    /// Returns the components that depend on this one.
    pub(super) fn depending(&self, on: usize) -> Vec<usize> {
        (0..self.edges.len()).filter(|from| self.targets(*from).any(|target| target == on)).collect()
    }

    pub(super) fn state_of(&self, index: usize, pass: &Pass) -> ComponentLoopState {
        let target = |(edge, object): (&Edge, &Option<Object>)| EdgeTarget {
            edge: *edge,
            conditions: None,
            polarities: Vec::new(),
            finalizer: dependency_finalizer(index),
            observation: object.map(|object| object.observed(edge.to)),
        };
        ComponentLoopState {
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

/// Returns the number of the component of a type.
fn number(type_: ComponentType) -> usize {
    TYPES.iter().position(|known| *known == type_).unwrap()
}

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
