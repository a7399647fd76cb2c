use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::spanned::Spanned as _;
use syn::{Error, LitStr};

use super::component::{ComponentEdge, ComponentEdgeKind, ListedComponent};
use super::declaration::ContractDeclaration;
use super::graph::cycle;
use crate::suggestion::nearest;

/// The largest number of edges of a component: the length of the longest tuple of them.
const MAX_EDGES: usize = 8;
/// The longest type of a component: the name of a dependency finalizer made of it and a hash has 63 characters, the limit of Kubernetes.
const MAX_TYPE: usize = 54;
/// The longest name of a finalizer (FZ-1).
const MAX_FINALIZER: usize = 63;

/// Finds invalid parts, and removes them from the declaration, so that the rest can be expanded without further errors.
pub(super) fn check(declaration: &mut ContractDeclaration) -> Vec<Error> {
    let mut errors = Vec::new();
    if let (Some(preset), Some(domain)) = (&declaration.settings.preset, &declaration.settings.domain) {
        let problem = format!("the preset `{preset}` has a domain of its own: remove `domain`, or the preset");
        errors.push(Error::new_spanned(domain, problem));
    }
    if let (Some(reads), None) = (&declaration.settings.reads_namespaces, &declaration.settings.propagate) {
        errors.push(Error::new(
            reads.span(),
            "only `propagate` reads the labels of namespaces: give its function, or remove `reads_namespaces`",
        ));
    }
    duplicates(&mut declaration.components, &mut errors);
    for component in &declaration.components {
        errors.extend(type_problem(component).or_else(|| finalizer_problem(declaration, component)));
    }
    let types: BTreeMap<String, String> =
        declaration.components.iter().map(|component| (component.name(), component.type_())).collect();
    for component in &mut declaration.components {
        edges(component, &types, &mut errors);
    }
    errors.extend(cycle(&declaration.components));
    errors
}

/// Finds components that are listed twice, or whose types give the same names (CT-2).
fn duplicates(components: &mut Vec<ListedComponent>, errors: &mut Vec<Error>) {
    let mut names: Vec<String> = Vec::new();
    let mut types: BTreeMap<String, String> = BTreeMap::new();
    components.retain(|component| {
        let name = component.name();
        if names.contains(&name) {
            errors.push(Error::new(component.path.span(), format!("component `{name}` is listed twice: join both, or remove one")));
            return false;
        }
        if let Some(other) = types.get(&component.type_().to_ascii_lowercase()) {
            let problem = format!(
                "components `{other}` and `{name}` have types that differ in no letter but for upper and lower case, so that their finalizers have one \
                 name: give one of them another type, `{name} {{ type = \"..\" }}`"
            );
            errors.push(Error::new(type_span(component), problem));
        }
        types.insert(component.type_().to_ascii_lowercase(), name.clone());
        names.push(name);
        true
    });
}

fn type_span(component: &ListedComponent) -> Span {
    component.type_.as_ref().map_or_else(|| component.path.span(), LitStr::span)
}

/// Returns the problem of the type of a component. The rule is that of `kubewright_core::contract::ComponentType::new`.
fn type_problem(component: &ListedComponent) -> Option<Error> {
    let type_ = component.type_();
    let is_legal = type_.starts_with(|first: char| first.is_ascii_uppercase())
        && type_.chars().all(|letter| letter.is_ascii_alphanumeric())
        && type_.len() <= MAX_TYPE;
    let problem = format!(
        "{type_:?} is no type of a component: letters and digits, the first one an upper-case letter, at most {MAX_TYPE}; write another one, \
         `{} {{ type = \"APIServer\" }}`",
        component.name()
    );
    (!is_legal).then(|| Error::new(type_span(component), problem))
}

/// Returns the problem of the name of the own finalizer of a component (FZ-1). Before a slash the domain is checked alone.
fn finalizer_problem(declaration: &ContractDeclaration, component: &ListedComponent) -> Option<Error> {
    let domain = declaration.settings.known_domain().filter(|_| declaration.settings.has_unqualified_finalizers())?;
    let length = domain.len() + 1 + component.type_().len();
    let problem = format!(
        "the finalizer of component `{}`, its type and the domain {domain} joined by a dot, has {length} characters, and at most \
         {MAX_FINALIZER} are allowed: shorten one of them, or write `finalizer_form = DomainSlashKind;`",
        component.name()
    );
    (length > MAX_FINALIZER).then(|| Error::new(type_span(component), problem))
}

/// Finds the problems of the edges of a component. `types` are those of all components, by their names.
fn edges(component: &mut ListedComponent, types: &BTreeMap<String, String>, errors: &mut Vec<Error>) {
    let name = component.name();
    let mut kept: Vec<ComponentEdge> = Vec::new();
    for edge in std::mem::take(&mut component.edges) {
        let target = edge.target();
        let former = kept.iter().position(|kept| kept.target() == target);
        let problem = match types.get(&target) {
            None => Some(unknown_target(&name, &target, types)),
            Some(_) if target == name => Some(format!("component `{name}` depends on itself: remove the edge")),
            Some(type_) => {
                errors.extend(edge.conditions.iter().flatten().filter_map(|condition| needless(condition, type_)));
                let twice = former.map(|former| twice(&kept[former], &edge));
                twice.or_else(|| (kept.len() == MAX_EDGES).then(|| too_many(&name)))
            }
        };
        match problem {
            Some(problem) => {
                errors.push(Error::new(edge.to.span(), problem));
                // Of two edges the needed one is kept, so that the component finds its dependency.
                if let Some(former) = former.filter(|_| edge.kind != ComponentEdgeKind::OutlivedBy) {
                    kept[former] = edge;
                }
            }
            None => kept.push(edge),
        }
    }
    component.edges = kept;
}

fn unknown_target(name: &str, target: &str, types: &BTreeMap<String, String>) -> String {
    let names: Vec<&str> = types.keys().map(String::as_str).collect();
    let hint = nearest(target, &names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let names = names.join(", ");
    format!(
        "component `{name}` depends on `{target}`, which the contract does not list{hint} (listed: {names}); list it, `{target} {{}}`, or remove \
         the edge"
    )
}

/// Returns the problem of two edges to one component (EDGE-1).
fn twice(former: &ComponentEdge, edge: &ComponentEdge) -> String {
    let target = edge.target();
    if (former.kind == ComponentEdgeKind::OutlivedBy) == (edge.kind == ComponentEdgeKind::OutlivedBy) {
        format!("`{target}` is listed twice: remove one")
    } else {
        format!("`{target}` is in `needs` and in `outlived_by`: remove it from `outlived_by`, which `needs` includes")
    }
}

/// Returns the error about a listed condition that always counts (RDY-2).
fn needless(condition: &LitStr, type_: &str) -> Option<Error> {
    let name = condition.value();
    let counts = ["Reconciliation", "Healthy"].iter().any(|suffix| name.strip_suffix(suffix) == Some(type_));
    let problem = format!("condition {name} always counts for the readiness of the component: remove it from the list");
    counts.then(|| Error::new(condition.span(), problem))
}

fn too_many(name: &str) -> String {
    format!(
        "component `{name}` has more than {MAX_EDGES} edges: leave out those that follow from others, since a component that is needed has itself \
         waited for those that it needs, and is outlived by them"
    )
}
