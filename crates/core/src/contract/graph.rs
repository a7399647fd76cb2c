//! The graph of a contract: the components that each component needs or is outlived by.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use thiserror::Error;

use super::ComponentType;

/// A component of a contract with its edges.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::exhaustive_structs)] // written as a literal by the macro
pub struct Member {
    /// The type of the component.
    pub type_: ComponentType,
    /// True if the component keeps working while depending components keep it from being deleted.
    pub keep_running: bool,
    /// The components that it depends on, in the order of their declaration.
    pub edges: Vec<Edge>,
}

/// The edge from a depending component to one that it depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs)] // written as a literal by the macro
pub struct Edge {
    /// The component that is depended on.
    pub to: ComponentType,
    /// The requirement of the depending component.
    pub kind: EdgeKind,
}

/// The requirement of a depending component on a dependency. Both kinds put a dependency finalizer on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EdgeKind {
    /// The dependency must be ready before the depending component is reconciled, and outlives it.
    Needs(Revision),
    /// The dependency outlives the depending component.
    OutlivedBy,
}

/// The generations of the owner at which a dependency must be ready.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Revision {
    /// The generations that the dependency was generated from (RDY-3).
    #[default]
    ReadyOnly,
    /// Also the generations that the depending component was generated from (RDY-4).
    SameRevision,
}

/// The components of a contract and their edges: a directed graph without cycles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    members: Vec<Member>,
}

/// The errors of components and edges that do not form a valid graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum GraphError {
    /// Two components have the same type (CT-2).
    #[error("component {type_} is declared twice; give each component of the contract a type of its own")]
    Duplicate {
        /// The type of both components.
        type_: ComponentType,
    },
    /// The names that are made of the types of two components are equal (FZ-1).
    #[error(
        "components {first} and {second} have types that differ in upper and lower case only, so that their finalizers have one name; rename one"
    )]
    SameName {
        /// The component that is declared first.
        first: ComponentType,
        /// The component that is declared second.
        second: ComponentType,
    },
    /// An edge leads to a component that is not declared (EDGE-2).
    #[error(
        "component {from} depends on {to}, which the contract does not declare (declared: {declared}); declare it or remove the edge"
    )]
    UnknownTarget {
        /// The depending component.
        from: ComponentType,
        /// The component that is not declared.
        to: ComponentType,
        /// The declared types, joined by commas.
        declared: String,
    },
    /// Components depend on themselves, directly or through others (EDGE-2).
    #[error("the components depend on each other in a cycle: {path}; remove one of these edges")]
    Cycle {
        /// The types along the cycle, with the first one repeated at the end, joined by ` -> `.
        path: String,
    },
}

impl Graph {
    /// Creates the graph of a contract, after checks of its components and edges.
    pub fn new(members: Vec<Member>) -> Result<Self, GraphError> {
        let mut declared = BTreeSet::new();
        let mut names = BTreeMap::new();
        for member in &members {
            if !declared.insert(member.type_) {
                return Err(GraphError::Duplicate { type_: member.type_ });
            }
            if let Some(first) = names.insert(member.type_.lower(), member.type_) {
                return Err(GraphError::SameName { first, second: member.type_ });
            }
        }
        for member in &members {
            if let Some(edge) = member.edges.iter().find(|edge| !declared.contains(&edge.to)) {
                let declared = joined(members.iter().map(|member| member.type_), ", ");
                return Err(GraphError::UnknownTarget { from: member.type_, to: edge.to, declared });
            }
        }
        let graph = Self { members };
        match graph.cycle() {
            Some(path) => Err(GraphError::Cycle { path: joined(path, " -> ") }),
            None => Ok(graph),
        }
    }

    /// Returns the components in the order of their declaration.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Returns the component of a type.
    pub fn member(&self, type_: ComponentType) -> Option<&Member> {
        self.members.iter().find(|member| member.type_ == type_)
    }

    /// Returns the edges from a component to those that it depends on; empty for a type that is not declared.
    pub fn edges(&self, from: ComponentType) -> &[Edge] {
        self.member(from).map_or(&[], |member| &member.edges)
    }

    /// Returns the components that depend on this one, in the order of their declaration.
    pub fn depending(&self, on: ComponentType) -> impl Iterator<Item = ComponentType> {
        self.members.iter().filter(move |member| member.edges.iter().any(|edge| edge.to == on)).map(|member| member.type_)
    }

    /// Returns the order in which components can be deleted, in groups: the members of a group do not depend on each other, and members of earlier
    /// groups are not needed by those of later ones.
    pub fn teardown(&self) -> Vec<Vec<ComponentType>> {
        let mut left: Vec<ComponentType> = self.members.iter().map(|member| member.type_).collect();
        let mut groups = Vec::new();
        while !left.is_empty() {
            let is_free = |type_: &ComponentType| self.depending(*type_).all(|depending| !left.contains(&depending));
            let (free, held): (Vec<_>, Vec<_>) = left.iter().copied().partition(is_free);
            if free.is_empty() {
                break; // a cycle, which a valid graph does not have
            }
            groups.push(free);
            left = held;
        }
        groups
    }

    /// Returns the order in which components can be created, in groups: the members of a group depend on members of earlier groups only.
    pub fn creation(&self) -> Vec<Vec<ComponentType>> {
        let mut groups = self.teardown();
        groups.reverse();
        groups
    }

    /// Returns the graph as a Mermaid flow chart. Arrows lead from the depending component to the one that it depends on; they are solid if the
    /// dependency must be ready, and dotted if it only has to outlive the depending component.
    pub fn to_mermaid(&self) -> String {
        let mut text = "graph TD\n".to_owned();
        for member in &self.members {
            let kept = if member.keep_running { "<br/>keeps running" } else { "" };
            let _ = writeln!(text, "    {0}[\"{0}{kept}\"]", member.type_);
        }
        for (from, edge) in self.all_edges() {
            let _ = match edge.kind {
                EdgeKind::Needs(_) => writeln!(text, "    {from} -->|{}| {}", edge.kind.label(), edge.to),
                EdgeKind::OutlivedBy => writeln!(text, "    {from} -.->|{}| {}", edge.kind.label(), edge.to),
            };
        }
        text
    }

    /// Returns the graph in the language of Graphviz, with the arrows of [`to_mermaid`](Self::to_mermaid).
    pub fn to_dot(&self) -> String {
        let mut text = "digraph contract {\n    node [shape=box];\n".to_owned();
        for member in &self.members {
            let kept = if member.keep_running { "\\nkeeps running" } else { "" };
            let _ = writeln!(text, "    \"{0}\" [label=\"{0}{kept}\"];", member.type_);
        }
        for (from, edge) in self.all_edges() {
            let style = if edge.kind == EdgeKind::OutlivedBy { ", style=dashed" } else { "" };
            let _ = writeln!(text, "    \"{from}\" -> \"{}\" [label=\"{}\"{style}];", edge.to, edge.kind.label());
        }
        text.push_str("}\n");
        text
    }

    fn all_edges(&self) -> impl Iterator<Item = (ComponentType, &Edge)> {
        self.members.iter().flat_map(|member| member.edges.iter().map(move |edge| (member.type_, edge)))
    }

    /// Returns the types along a cycle, with the first one repeated at the end.
    fn cycle(&self) -> Option<Vec<ComponentType>> {
        let mut search = Search { graph: self, visits: BTreeMap::new(), path: Vec::new() };
        self.members.iter().find_map(|member| search.visit(member.type_))
    }
}

impl EdgeKind {
    /// Returns true if the dependency has to be ready.
    pub const fn is_needed(self) -> bool {
        matches!(self, Self::Needs(_))
    }

    const fn label(self) -> &'static str {
        match self {
            Self::Needs(Revision::ReadyOnly) => "needs",
            Self::Needs(Revision::SameRevision) => "needs the same revision",
            Self::OutlivedBy => "outlived by",
        }
    }
}

/// A depth-first search for a cycle.
struct Search<'a> {
    graph: &'a Graph,
    visits: BTreeMap<ComponentType, Visit>,
    path: Vec<ComponentType>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Begun,
    Ended,
}

impl Search<'_> {
    fn visit(&mut self, type_: ComponentType) -> Option<Vec<ComponentType>> {
        match self.visits.get(&type_) {
            Some(Visit::Ended) => return None,
            Some(Visit::Begun) => {
                let mut cycle: Vec<ComponentType> = self.path.iter().copied().skip_while(|begun| *begun != type_).collect();
                cycle.push(type_);
                return Some(cycle);
            }
            None => {}
        }
        self.visits.insert(type_, Visit::Begun);
        self.path.push(type_);
        let graph = self.graph;
        let found = graph.edges(type_).iter().find_map(|edge| self.visit(edge.to));
        self.path.pop();
        self.visits.insert(type_, Visit::Ended);
        found
    }
}

fn joined(types: impl IntoIterator<Item = ComponentType>, separator: &str) -> String {
    let names: Vec<&str> = types.into_iter().map(ComponentType::as_str).collect();
    names.join(separator)
}
