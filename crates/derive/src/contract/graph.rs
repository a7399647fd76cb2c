use std::collections::BTreeMap;

use syn::Error;
use syn::spanned::Spanned as _;

use super::component::ListedComponent;

/// Returns the error about components that depend on themselves (EDGE-2), at the edge that closes the cycle. The rule is that of
/// `kubewright_core::contract::Graph::new`, which checks hand-written contracts.
pub(super) fn cycle(components: &[ListedComponent]) -> Option<Error> {
    let mut search = CycleSearch { components, visits: BTreeMap::new(), path: Vec::new() };
    components.iter().find_map(|component| search.visit(&component.name()))
}

/// A depth-first search for a cycle.
struct CycleSearch<'a> {
    components: &'a [ListedComponent],
    visits: BTreeMap<String, VisitState>,
    path: Vec<String>,
}

#[derive(Clone, Copy)]
enum VisitState {
    Begun,
    Ended,
}

impl CycleSearch<'_> {
    fn visit(&mut self, name: &str) -> Option<Error> {
        let component = self.components.iter().find(|component| component.name() == name)?;
        if self.visits.contains_key(name) {
            return None;
        }
        self.visits.insert(name.to_owned(), VisitState::Begun);
        self.path.push(name.to_owned());
        for edge in &component.edges {
            let target = edge.target();
            let found = match self.visits.get(&target) {
                Some(VisitState::Begun) => {
                    let around = self.path.iter().skip_while(|begun| **begun != target).chain([&target]);
                    let path: Vec<&str> = around.map(String::as_str).collect();
                    let problem = format!(
                        "the components depend on each other in a cycle: {}; remove one of these edges",
                        path.join(" -> ")
                    );
                    Some(Error::new(edge.to.span(), problem))
                }
                _ => self.visit(&target),
            };
            if found.is_some() {
                return found;
            }
        }
        self.path.pop();
        self.visits.insert(name.to_owned(), VisitState::Ended);
        None
    }
}
