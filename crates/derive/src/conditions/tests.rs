use syn::{DeriveInput, parse_quote};

use super::expand;

fn fault(input: &DeriveInput) -> String {
    expand(input).err().map(|error| error.to_string()).unwrap_or_default()
}

/// Returns the generated code without white space.
fn code(input: &DeriveInput) -> String {
    expand(input).unwrap().to_string().replace(char::is_whitespace, "")
}

// CSET-1
#[test]
fn the_generated_condition_set_matches_the_attributes() {
    let living = code(&parse_quote! {
        #[conditions(ready = "Ready", dependents("A", "B"), retired("Old"), severity(A = "Warning"))]
        struct AStatus { conditions: Conditions }
    });
    let declared = "::living([\"A\",\"B\"]).retired([\"Old\"]).severity(\"A\",::kubewright::core::condition::Severity::Warning)";
    assert!(living.contains("Conditionedfor AStatus".replace(' ', "").as_str()), "{living}");
    assert!(living.contains(declared), "{living}");
    let batch = code(&parse_quote! {
        #[conditions(succeeded = "Succeeded")]
        #[conditions(dependents("A"))]
        struct AStatus { conditions: Conditions }
    });
    assert!(batch.contains("::batch([\"A\"])}"), "{batch}");
    let default = code(&parse_quote! { struct AStatus { conditions: Conditions } });
    assert!(default.contains("::living([])}"), "{default}");
}

#[test]
fn the_fields_are_found_by_name_or_mark() {
    let named = code(&parse_quote! { struct AStatus { observed_generation: Option<i64>, conditions: Conditions } });
    assert!(named.contains("StatusField(&mutself.conditions).write(conditions)"), "{named}");
    assert!(named.contains("=&mutself.observed_generation;*field=generation;"), "{named}");
    let marked = code(&parse_quote! {
        struct AStatus {
            conditions: u8,
            #[conditions(list)] states: Vec<Condition>,
            #[conditions(observed_generation)] seen: Option<i64>,
        }
    });
    assert!(marked.contains("StatusField(&self.states).read()"), "{marked}");
    assert!(marked.contains("=&mutself.seen;"), "{marked}");
    let without = code(&parse_quote! { struct AStatus { conditions: Conditions } });
    assert!(!without.contains("observed_generation") && !without.contains("applied_generation"), "{without}");
    let applied = code(&parse_quote! { struct AStatus { applied_generation: Option<i64>, conditions: Conditions } });
    assert!(applied.contains("fnset_applied_generation(&mutself"), "{applied}");
    assert!(applied.contains("=&mutself.applied_generation;*field=generation;"), "{applied}");
}

#[test]
fn an_invalid_conditions_derive_is_refused_with_the_reason() {
    let table: [(DeriveInput, &str); 14] = [
        (parse_quote! { enum AStatus { A } }, "can only be derived for the struct that is a status"),
        (parse_quote! { struct AStatus(Conditions); }, "must have named fields"),
        (parse_quote! { struct AStatus<T> { conditions: T } }, "cannot be generic"),
        (parse_quote! { struct AStatus { other: u8 } }, "add `pub conditions: Conditions`"),
        (
            parse_quote! { #[conditions(alive)] struct AStatus { conditions: Conditions } },
            "unknown; allowed: `ready = \"Ready\"`",
        ),
        (
            parse_quote! { #[conditions(ready = "Available")] struct AStatus { conditions: Conditions } },
            "named `Ready`, not `Available`",
        ),
        (parse_quote! { #[conditions(ready, succeeded)] struct AStatus { conditions: Conditions } }, "is declared twice"),
        (
            parse_quote! { #[conditions(dependents("A"))] #[conditions(dependents("B"))] struct AStatus { conditions: Conditions } },
            "`dependents` is declared twice",
        ),
        (parse_quote! { #[conditions(dependents("A b"))] struct AStatus { conditions: Conditions } }, "letters, digits"),
        (parse_quote! { #[conditions(dependents("Stalled"))] struct AStatus { conditions: Conditions } }, "by the framework"),
        (
            parse_quote! { #[conditions(dependents("A"), retired("A"))] struct AStatus { conditions: Conditions } },
            "both declared and retired",
        ),
        (
            parse_quote! { #[conditions(severity(A = "Bad"))] struct AStatus { conditions: Conditions } },
            "a severity is `\"Error\"`",
        ),
        (
            parse_quote! { struct AStatus { #[conditions(list)] a: Conditions, #[conditions(list)] b: Conditions } },
            "`#[conditions(list)]` marks two fields",
        ),
        (parse_quote! { struct AStatus { #[conditions(lists)] conditions: Conditions } }, "allowed: `list`"),
    ];
    for (input, expected) in table {
        let fault = fault(&input);
        assert!(fault.contains(expected), "{expected} in {fault:?}");
    }
}

// CSET-1
#[test]
fn the_top_level_type_among_the_dependents_is_no_fault() {
    let input: DeriveInput =
        parse_quote! { #[conditions(ready, dependents("A", "A", "Ready"))] struct AStatus { conditions: Conditions } };
    assert_eq!(fault(&input), "");
}
