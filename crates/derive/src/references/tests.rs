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

// REF-1, REF-9
#[test]
fn variants_are_named_as_in_json() {
    let external: DeriveInput = parse_quote! {
        #[serde(rename_all = "camelCase", rename_all_fields = "camelCase")]
        enum Source {
            None,
            FromSecret(SecretRef),
            #[serde(rename = "both")] Two(SecretRef, ConfigMapRef),
            Named { pull_secret: SecretRef },
            #[serde(skip)] Cached(SecretRef),
        }
    };
    let code_of_external = code(&external);
    for expected in [
        "Self::None{}=>{}",
        "Self::FromSecret{0:field_0}=>{references.within(\"fromSecret\",|references|{(&Probe(field_0)).refer(references,::core::option::Option::None);});}",
        "Self::Two{0:field_0,1:field_1}=>{references.within(\"both\",",
        "(&Probe(field_1)).refer(references,::core::option::Option::Some(\"1\"));",
        "Self::Named{pull_secret:field_0}=>{references.within(\"named\",|references|{(&Probe(field_0)).refer(references,::core::option::Option::Some(\"pullSecret\"));});}",
        "Self::Cached{..}=>{}",
    ] {
        assert!(code_of_external.contains(expected), "{expected} in {code_of_external}");
    }
    let tagged: DeriveInput = parse_quote! { #[serde(tag = "type")] enum Source { Secret { secret: SecretRef } } };
    assert!(code(&tagged).contains(
        "Self::Secret{secret:field_0}=>{(&Probe(field_0)).refer(references,::core::option::Option::Some(\"secret\"));}"
    ));
    let adjacent: DeriveInput = parse_quote! { #[serde(tag = "type", content = "value")] enum Source { Secret(SecretRef) } };
    assert!(code(&adjacent).contains("Self::Secret{0:field_0}=>{references.within(\"value\","));
    let untagged: DeriveInput = parse_quote! { #[serde(untagged)] enum Source { Secret(SecretRef) } };
    assert!(code(&untagged).contains("Self::Secret{0:field_0}=>{(&Probe(field_0)).refer("));
}

// REF-1
#[test]
fn parts_of_tuples_count_one_by_one() {
    let input: DeriveInput = parse_quote! { struct Source { pair: (String, SecretRef) } };
    let code = code(&input);
    let expected = "references.within(\"pair\",|references|{(&Probe(&(&self.pair).0)).refer(references,::core::option::Option::Some(\"0\"));";
    assert!(code.contains(expected), "{code}");
}

#[test]
fn unknown_rules_and_shapes_are_refused() {
    let inputs: [DeriveInput; 3] = [
        parse_quote! { struct S { #[reference(optional)] secret: SecretRef } },
        parse_quote! { union S { a: SecretRef } },
        parse_quote! { struct S<T> { t: T } },
    ];
    let faults: Vec<String> = inputs.iter().map(|input| expand(input).unwrap_err().to_string()).collect();
    assert_eq!(
        faults,
        [
            "unknown; allowed: `fallback_keys(\"a\", ..)`, `ignore_on_deletion`",
            "a union cannot hold references",
            "a type that holds references cannot be generic",
        ]
    );
}
