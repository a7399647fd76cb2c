//! The set of paths as a tree, and its operations.

use std::cmp::Ordering;

use super::{Path, PathElement};

/// A set of paths, kept as a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    // Sorted by element; every node has a member in or below it. Sets are read much more often than changed, and merged linearly.
    nodes: Vec<(PathElement, Node)>,
}

/// One element of the tree: `member` is true if the path that ends here is in the set, and `children` are the longer paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) member: bool,
    pub(super) children: FieldSet,
}

/// The combination of an element that is in the first set, in the second, or in both.
type Combine = dyn Fn(Option<&Node>, Option<&Node>) -> Option<Node>;

impl FieldSet {
    /// Creates an empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of paths in the set.
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|(_, node)| usize::from(node.member) + node.children.len()).sum()
    }

    /// Adds a path. The empty path, the object itself, cannot be a member.
    pub fn insert(&mut self, path: &[PathElement]) {
        let Some((first, rest)) = path.split_first() else {
            return;
        };
        let index = match self.find(first) {
            Ok(index) => index,
            Err(index) => {
                self.nodes.insert(index, (first.clone(), Node::default()));
                index
            }
        };
        let node = &mut self.nodes[index].1;
        if rest.is_empty() {
            node.member = true;
        } else {
            node.children.insert(rest);
        }
    }

    /// Returns true if exactly this path is in the set.
    pub fn has(&self, path: &[PathElement]) -> bool {
        let Some((first, rest)) = path.split_first() else {
            return false;
        };
        self.find(first).is_ok_and(|index| {
            let node = &self.nodes[index].1;
            if rest.is_empty() { node.member } else { node.children.has(rest) }
        })
    }

    /// Returns the paths below a path, relative to it.
    pub fn below(&self, path: &[PathElement]) -> Self {
        path.iter()
            .try_fold(self, |set, element| set.find(element).ok().map(|index| &set.nodes[index].1.children))
            .cloned()
            .unwrap_or_default()
    }

    /// Iterates over the first steps of the paths in order: the step, true if the path that ends there is in the set, and the set below it.
    pub fn elements(&self) -> impl Iterator<Item = (&PathElement, bool, &Self)> {
        self.nodes.iter().map(|(element, node)| (element, node.member, &node.children))
    }

    /// Returns one first step: true if the path that ends there is in the set, and the set below it.
    pub fn element(&self, element: &PathElement) -> Option<(bool, &Self)> {
        let node = &self.nodes[self.find(element).ok()?].1;
        Some((node.member, &node.children))
    }

    /// Creates the set with these first steps, in any order; steps without a member in or below them are left out. The counterpart of
    /// [`elements`](Self::elements).
    pub fn from_elements(elements: impl IntoIterator<Item = (PathElement, bool, Self)>) -> Self {
        let nodes =
            elements.into_iter().filter_map(|(element, member, children)| Some((element, Node { member, children }.kept()?)));
        Self::from_nodes(nodes.collect())
    }

    /// Returns the paths that are in this set or in the other.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        self.merge(other, &|node, other| match (node, other) {
            (Some(a), Some(b)) => Some(Node { member: a.member || b.member, children: a.children.union(&b.children) }),
            (a, b) => a.or(b).cloned(),
        })
    }

    /// Returns the paths that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.merge(other, &|node, other| {
            let (a, b) = (node?, other?);
            Node { member: a.member && b.member, children: a.children.intersection(&b.children) }.kept()
        })
    }

    /// Returns the paths of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        self.merge(other, &|node, other| match (node?, other) {
            (a, Some(b)) => Node { member: a.member && !b.member, children: a.children.difference(&b.children) }.kept(),
            (a, None) => Some(a.clone()),
        })
    }

    /// Returns the paths of this set that are neither in the other nor below a path of the other.
    #[must_use]
    pub fn recursive_difference(&self, other: &Self) -> Self {
        self.merge(other, &|node, other| match (node?, other) {
            (_, Some(b)) if b.member => None,
            (a, Some(b)) => Node { member: a.member, children: a.children.recursive_difference(&b.children) }.kept(),
            (a, None) => Some(a.clone()),
        })
    }

    /// Returns all paths in the set, in order; a path comes before those below it.
    pub fn paths(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.collect(&mut Path::new(), &|node| node.member, &mut paths);
        paths
    }

    /// Returns the paths below which no other path is in the set, in order.
    pub fn leaves(&self) -> Vec<Path> {
        let mut paths = Vec::new();
        self.collect(&mut Path::new(), &|node| node.children.is_empty(), &mut paths);
        paths
    }

    pub(super) fn nodes(&self) -> &[(PathElement, Node)] {
        &self.nodes
    }

    pub(super) fn from_nodes(mut nodes: Vec<(PathElement, Node)>) -> Self {
        // Servers print elements in the same order, except for numbers in keys and values.
        if !nodes.is_sorted_by(|(a, _), (b, _)| a < b) {
            nodes.sort_by(|(a, _), (b, _)| a.cmp(b));
            // Two texts can denote one element (`k:{"a":1}` and `k:{ "a":1}`).
            nodes.dedup_by(|(element, node), (kept_element, kept)| {
                let same = element == kept_element;
                if same {
                    kept.member |= node.member;
                    kept.children = kept.children.union(&node.children);
                }
                same
            });
        }
        Self { nodes }
    }

    fn find(&self, element: &PathElement) -> Result<usize, usize> {
        self.nodes.binary_search_by(|(present, _)| present.cmp(element))
    }

    /// Merges both sorted lists in one walk; `combine` decides about each element that is in one or both.
    fn merge(&self, other: &Self, combine: &Combine) -> Self {
        let (mut ours, mut theirs) = (self.nodes.iter().peekable(), other.nodes.iter().peekable());
        let mut nodes = Vec::with_capacity(self.nodes.len());
        loop {
            let order = match (ours.peek(), theirs.peek()) {
                (Some((a, _)), Some((b, _))) => a.cmp(b),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let a = if order.is_le() { ours.next() } else { None };
            let b = if order.is_ge() { theirs.next() } else { None };
            if let Some((element, _)) = a.or(b)
                && let Some(node) = combine(a.map(|(_, node)| node), b.map(|(_, node)| node))
            {
                nodes.push((element.clone(), node));
            }
        }
        Self { nodes }
    }

    fn collect(&self, path: &mut Path, wanted: &dyn Fn(&Node) -> bool, paths: &mut Vec<Path>) {
        for (element, node) in &self.nodes {
            path.push(element.clone());
            if wanted(node) {
                paths.push(path.clone());
            }
            node.children.collect(path, wanted, paths);
            path.pop();
        }
    }
}

impl Node {
    /// Returns the node itself, unless no path ends in or below it.
    fn kept(self) -> Option<Self> {
        (self.member || !self.children.is_empty()).then_some(self)
    }
}

impl<P: AsRef<[PathElement]>> FromIterator<P> for FieldSet {
    fn from_iter<I: IntoIterator<Item = P>>(paths: I) -> Self {
        let mut set = Self::new();
        for path in paths {
            set.insert(path.as_ref());
        }
        set
    }
}
