//! A comparison of the index with a simple model: one list of observers and their references.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use kubewright_machinery::object::GroupKind;
use kubewright_machinery::selector::{LabelSelector, Labels};
use proptest::prelude::*;

use super::*;

#[derive(Clone, Debug)]
enum TrackerStep {
    Begin(u8),
    Track(u8, usize),
    Settle(u8, Settlement),
    Drop(u8),
}

fn steps() -> impl Strategy<Value = Vec<TrackerStep>> {
    let observer = 0..4_u8;
    let settlement = prop_oneof![3 => Just(Settlement::Replace), 1 => Just(Settlement::Add)];
    let step = prop_oneof![
        3 => observer.clone().prop_map(TrackerStep::Begin),
        8 => (observer.clone(), 0..REFERENCES).prop_map(|(observer, reference)| TrackerStep::Track(observer, reference)),
        3 => (observer.clone(), settlement).prop_map(|(observer, settlement)| TrackerStep::Settle(observer, settlement)),
        2 => observer.prop_map(TrackerStep::Drop),
    ];
    prop::collection::vec(step, 0..60)
}

const KINDS: [&str; 2] = ["Service", "Pod"];
const NAMESPACES: [&str; 2] = ["one", "two"];
const NAMES: [&str; 2] = ["a", "b"];
const SELECTORS: [&str; 4] = ["", "l=1", "l!=1", "l in (1,2)"];
const LABELS: [Option<&str>; 4] = [None, Some(""), Some("1"), Some("2")];
const REFERENCES: usize = KINDS.len() * NAMESPACES.len() * (NAMES.len() + SELECTORS.len());

fn kind(index: usize) -> GroupKind {
    GroupKind::new("x", KINDS[index])
}

fn references() -> Vec<TrackedReference> {
    let mut references = Vec::new();
    for (kind, namespace) in (0..KINDS.len()).flat_map(|index| NAMESPACES.map(|namespace| (kind(index), namespace))) {
        references.extend(NAMES.map(|name| TrackedReference::named(&kind, namespace, name).unwrap()));
        let selector = |text| LabelSelector::parse(text).unwrap();
        references.extend(SELECTORS.map(|text| TrackedReference::matching(&kind, namespace, selector(text)).unwrap()));
    }
    references
}

/// The pairs of observer and reference, each with a flag that the running or latest pass registered it.
#[derive(Default)]
struct TrackerModel {
    pairs: Vec<(u8, usize, bool)>,
    running: HashSet<u8>,
}

impl TrackerModel {
    fn begin(&mut self, observer: u8) {
        self.pairs.iter_mut().filter(|pair| pair.0 == observer).for_each(|pair| pair.2 = false);
        self.running.insert(observer);
    }

    fn track(&mut self, observer: u8, reference: usize) -> ReferenceRegistration {
        if !self.running.contains(&observer) {
            return ReferenceRegistration::Refused;
        }
        if let Some(pair) = self.pairs.iter_mut().find(|pair| (pair.0, pair.1) == (observer, reference)) {
            pair.2 = true;
            return ReferenceRegistration::Repeated;
        }
        self.pairs.push((observer, reference, true));
        ReferenceRegistration::Added
    }

    fn settle(&mut self, observer: u8, settlement: Settlement) {
        if self.running.remove(&observer) && settlement == Settlement::Replace {
            self.pairs.retain(|pair| pair.0 != observer || pair.2);
        }
    }

    fn drop_observer(&mut self, observer: u8) {
        self.pairs.retain(|pair| pair.0 != observer);
        self.running.remove(&observer);
    }

    fn kinds(&self, references: &[TrackedReference]) -> BTreeSet<GroupKind> {
        self.pairs.iter().map(|pair| references[pair.1].kind().clone()).collect()
    }

    fn told(
        &self,
        references: &[TrackedReference],
        object: (&GroupKind, &str, &str),
        versions: [Option<&dyn Labels>; 2],
    ) -> BTreeSet<u8> {
        let (kind, namespace, name) = object;
        let concerns = |reference: &TrackedReference| {
            reference.kind() == kind
                && reference.namespace() == namespace
                && match reference.subject() {
                    TrackedObjects::Name(other) => other == name,
                    TrackedObjects::Selector(selector) => versions.iter().flatten().any(|labels| selector.matches(*labels)),
                }
        };
        self.pairs.iter().filter(|pair| concerns(&references[pair.1])).map(|pair| pair.0).collect()
    }
}

proptest! {
    // TRK-1, TRK-3, TRK-4, TRK-5, TRK-6, TRK-8
    #[test]
    fn the_index_behaves_like_the_model(steps in steps()) {
        let references = references();
        let versions = LABELS.map(|value| value.map(|value| {
            let labels = Some(value).filter(|value| !value.is_empty()).map(|value| ("l".to_owned(), value.to_owned()));
            labels.into_iter().collect::<BTreeMap<_, _>>()
        }));
        let versions = [0, 1, 2, 3].map(|index| versions[index].as_ref().map(|labels| labels as &dyn Labels));
        let (mut index, mut model, mut passes) = (TrackerIndex::new(), TrackerModel::default(), BTreeMap::new());
        for step in steps {
            let before = model.kinds(&references);
            let untracked = match step {
                TrackerStep::Begin(observer) => {
                    passes.insert(observer, index.begin(observer));
                    model.begin(observer);
                    Vec::new()
                }
                TrackerStep::Track(observer, reference) => {
                    if let Some(pass) = passes.get(&observer) {
                        prop_assert_eq!(index.track(pass, references[reference].clone()), model.track(observer, reference));
                    }
                    Vec::new()
                }
                TrackerStep::Settle(observer, settlement) => {
                    let untracked = passes.remove(&observer).map(|pass| index.settle(pass, settlement));
                    model.settle(observer, settlement);
                    untracked.unwrap_or_default()
                }
                TrackerStep::Drop(observer) => {
                    model.drop_observer(observer);
                    index.drop_observer(&observer)
                }
            };
            let kinds = model.kinds(&references);
            if !untracked.is_empty() {
                prop_assert_eq!(untracked.into_iter().collect::<BTreeSet<_>>(), before.difference(&kinds).cloned().collect());
            }
            prop_assert_eq!(index.kinds().cloned().collect::<BTreeSet<_>>(), kinds);
            prop_assert_eq!(index.len(), model.pairs.len());
        }
        for observer in 0..4 {
            let own = |pair: &&(u8, usize, bool)| pair.0 == observer;
            let expected: HashSet<_> = model.pairs.iter().filter(own).map(|pair| &references[pair.1]).collect();
            prop_assert_eq!(index.references_of(&observer).collect::<HashSet<_>>(), expected);
        }
        for (number, namespace, name) in
            (0..2).flat_map(|number| NAMESPACES.into_iter().flat_map(move |namespace| NAMES.map(|name| (number, namespace, name))))
        {
            let kind = kind(number);
            for (before, after) in versions.iter().flat_map(|before| versions.iter().map(move |after| (*before, *after))) {
                let told = index.observers_of_change(&kind, namespace, name, before, after);
                prop_assert_eq!(told, model.told(&references, (&kind, namespace, name), [before, after]));
            }
        }
        (0..4).for_each(|observer| drop(index.drop_observer(&observer)));
        prop_assert!(index.holds_nothing());
    }
}
