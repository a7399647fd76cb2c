//! Random histories of several managers.

use kubewright_machinery::fieldset::extract;
use proptest::prelude::*;

use super::*;

/// Generates specs without empty lists and maps, because no manager owns those for long.
fn any_spec() -> impl Strategy<Value = Value> {
    let port = (80..83_i64, prop::sample::select(vec!["TCP", "UDP"]), 0..3_i64)
        .prop_map(|(port, proto, n)| json!({"port": port, "proto": proto, "n": n.to_string()}));
    let ports = prop::collection::vec(port, 1..3).prop_map(|mut ports| {
        let mut seen = std::collections::BTreeSet::new();
        ports.retain(|port| seen.insert((port["port"].to_string(), port["proto"].to_string())));
        ports
    });
    let tags = prop::sample::subsequence(vec!["x", "y", "z"], 1..=3);
    let free = prop::collection::btree_map("[a-c]", 0..3_i64, 1..3);
    let parts = (
        prop::option::of(0..3_i64),
        prop::option::of(ports),
        prop::option::of(tags),
        prop::option::of(free),
        prop::option::of(0..2_i64),
    );
    parts.prop_map(|(size, ports, tags, free, atom)| {
        let mut spec = json!({});
        let fields = [
            ("size", size.map(Value::from)),
            ("ports", ports.map(Value::from)),
            ("tags", tags.map(Value::from)),
            ("free", free.map(|free| json!(free))),
            ("atom", atom.map(|atom| json!([atom.to_string()]))),
        ];
        for (name, value) in fields {
            if let Some(value) = value {
                spec[name] = value;
            }
        }
        spec
    })
}

#[derive(Clone, Debug)]
enum Write {
    Put(usize, Value),
    Apply(usize, Value, bool),
}

fn any_write() -> impl Strategy<Value = Write> {
    prop_oneof![
        (0..3_usize, any_spec()).prop_map(|(manager, spec)| Write::Put(manager, spec)),
        (0..4_usize, any_spec(), any::<bool>()).prop_map(|(manager, spec, force)| Write::Apply(manager, spec, force)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    // EVD-4
    #[test]
    fn histories_keep_the_invariants_of_ownership(writes in prop::collection::vec(any_write(), 1..12)) {
        let type_ = Type::custom(&widget_schema());
        let mut world = World::new(&type_, "ex.io/v1", "Widget");
        world.put("creator", widget(json!({})), NOW);
        for write in writes {
            match write {
                Write::Put(manager, spec) => world.put(&format!("u{manager}"), widget(spec), NOW),
                Write::Apply(manager, spec, force) => {
                    let (name, applied) = (format!("a{manager}"), widget(spec));
                    let outcome = world.apply(&name, &applied, force, NOW);
                    if outcome.is_err() {
                        prop_assert!(!force, "{:?}", outcome);
                        world.apply(&name, &applied, true, NOW).unwrap();
                    }
                    // The applied fields are present and owned.
                    let fields = world.managers.fields(&ManagerIdentity::applier(&name)).cloned().unwrap_or_default();
                    prop_assert_eq!(&fields, &fields::field_set(&applied, &type_).difference(&never_owned()));
                    let merged = merge::merge(&world.object, &applied, &type_);
                    prop_assert!(compare::ObjectComparison::of(&world.object, &merged, &type_).is_same(), "{} lacks {}", world.object, applied);
                    // Applying the same configuration again changes nothing.
                    let before = world.clone();
                    world.apply(&name, &applied, false, LATER).unwrap();
                    prop_assert_eq!(&world.object, &before.object);
                    let applier = ManagerIdentity::applier(&name);
                    prop_assert_eq!(world.managers.0.get(&applier), before.managers.0.get(&applier));
                }
            }
            // Every owned field is present, and every present field has an owner.
            let present = remove::with_declared(&fields::field_set(&world.object, &type_), &type_);
            let mut owned = FieldSet::new();
            for identity in world.managers.identities() {
                let fields = world.managers.fields(identity).unwrap();
                prop_assert!(!fields.is_empty());
                owned = owned.union(&remove::with_declared(fields, &type_));
            }
            let ownerless = fields::field_set(&world.object, &type_).difference(&never_owned()).difference(&owned);
            // A map that lost its last entry to a write of the whole object has no owner.
            let empty = |path: &Path| extract(&world.object, path).is_some_and(|value| *value == json!({}));
            prop_assert!(ownerless.paths().iter().all(empty), "{:?} of {} has no owner", ownerless.to_value(), world.object);
            let ghosts = owned.difference(&present);
            let containers = ghosts.paths().into_iter().all(|path| extract(&world.object, &path).is_some());
            prop_assert!(containers, "{:?} is owned but not in {}", ghosts.to_value(), world.object);
            // Written managed fields can be read again.
            prop_assert_eq!(&Managers::parse(Some(&world.managers.to_value())).unwrap(), &world.managers);
        }
    }
}

fn never_owned() -> FieldSet {
    FieldSet::parse(&json!({"f:apiVersion": {}, "f:kind": {}, "f:metadata": {".": {}, "f:name": {}}})).unwrap()
}
