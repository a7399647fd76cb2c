use syn::{DeriveInput, parse_quote};

use super::expand;

fn code(input: &DeriveInput) -> String {
    expand(input).unwrap().to_string().replace(' ', "")
}

// REF-9
#[test]
fn fields_are_named_as_in_json() {
    let input: DeriveInput = parse_quote! {
        #[serde(rename_all = "camelCase")]
        struct Source {
            pull_secret: Option<SecretRef>,
            #[serde(default, rename = "values")] value_map: ConfigMapRef,
            #[serde(rename(serialize = "a", deserialize = "b"))] both: ConfigMapRef,
            #[serde(flatten)] more: More,
            #[serde(skip)] cache: SecretRef,
        }
    };
    let code = code(&input);
    for expected in [
        "&self.pull_secret)).refer(references,::core::option::Option::Some(\"pullSecret\"))",
        "&self.value_map)).refer(references,::core::option::Option::Some(\"values\"))",
        "&self.both)).refer(references,::core::option::Option::Some(\"b\"))",
        "&self.more)).refer(references,::core::option::Option::None)",
    ] {
        assert!(code.contains(expected), "{expected} in {code}");
    }
    assert!(!code.contains("self.cache"), "{code}");
}

// REF-7
#[test]
fn a_struct_with_a_content_is_a_reference_itself() {
    let input: DeriveInput = parse_quote! {
        #[reference(content = Vec<String>)]
        enum Source { Url(String) }
    };
    let code = code(&input);
    assert!(code.contains("typeContent=Vec<String>;") && code.contains("refer_loaded(self,references)"), "{code}");
    let unknown: DeriveInput = parse_quote! { #[reference(secret)] struct Source { a: String } };
    assert_eq!(expand(&unknown).unwrap_err().to_string(), "unknown on a struct; allowed: `content = Type`");
}

// REF-3, REF-4
#[test]
fn rules_of_a_reference_are_passed_on() {
    let input: DeriveInput = parse_quote! {
        struct Source {
            #[reference(fallback_keys("value", "value.yaml"), ignore_on_deletion)]
            secret: SecretKeyRef,
        }
    };
    let code = code(&input);
    assert!(
        code.contains("references.field(") && code.contains("fallback_keys:&[\"value\",\"value.yaml\"],ignore_on_deletion:true"),
        "{code}"
    );
}

#[test]
fn unknown_rules_and_shapes_are_refused() {
    let inputs: [DeriveInput; 4] = [
        parse_quote! { struct S { #[reference(optional)] secret: SecretRef } },
        parse_quote! { struct S(SecretRef); },
        parse_quote! { enum S { A(SecretRef) } },
        parse_quote! { struct S<T> { t: T } },
    ];
    let faults: Vec<String> = inputs.iter().map(|input| expand(input).unwrap_err().to_string()).collect();
    assert_eq!(
        faults,
        [
            "unknown; allowed: `fallback_keys(\"a\", ..)`, `ignore_on_deletion`",
            "a struct that holds references must have named fields",
            "`HoldsReferences` can only be derived for structs",
            "a struct that holds references cannot be generic",
        ]
    );
}
