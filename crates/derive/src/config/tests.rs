use syn::{DeriveInput, parse_quote};

use super::expand;

fn fault(input: &DeriveInput) -> String {
    expand(input).map(|code| code.to_string()).unwrap_err().to_string()
}

/// Returns the error about a field of an otherwise valid configuration.
fn field_fault(field: &proc_macro2::TokenStream) -> String {
    fault(&parse_quote! { #[config(name = "a")] struct A { #field } })
}

fn code(input: &DeriveInput) -> String {
    expand(input).unwrap().to_string().replace(' ', "")
}

#[test]
fn the_attributes_of_the_struct_set_the_name_and_rules_of_the_config_map() {
    let plain = code(&parse_quote! { #[config(name = "config-a")] struct A {} });
    assert!(plain.contains("forA{constNAME:&'staticstr=\"config-a\";constREQUIRED:bool=!false;"), "{plain}");
    assert!(plain.contains("constEXAMPLE_CHECKSUM:bool=false;") && !plain.contains("strict"), "{plain}");
    let all = code(&parse_quote! { #[config(name = "a", optional)] #[config(strict, example_checksum)] struct A {} });
    assert!(all.contains("constREQUIRED:bool=!true;constEXAMPLE_CHECKSUM:bool=true;"), "{all}");
    assert!(all.contains(".strict()"), "{all}");
}

// CFG-2
#[test]
fn a_field_is_a_key_with_former_names_default_and_range() {
    let code = code(&parse_quote! {
        #[config(name = "a")]
        struct A {
            #[config(prefix = "class")] classes: BTreeMap<String, u8>,
            #[config(alias = "stableWindow", alias = "window", default = "60s", range = "6s..=1h")] stable_window: Duration,
            #[config(key = "type", parse_with = own::parse)] kind: Kind,
            r#loop: bool,
        }
    });
    for part in [
        ".alias(\"stableWindow\").alias(\"window\").default(\"60s\").range(\"6s..=1h\")",
        "Field::<Duration>::parsed_by(\"stable-window\",",
        "Field::<Kind>::parsed_by(\"type\",",
        "parsed(own::parse(text))",
        "Field::<bool>::parsed_by(\"loop\",",
        ".collect(&::kubewright::core::config::Field::<u8>::parsed_by(\"class\",",
        "stable_window:value_0?,kind:value_1?,r#loop:value_2?,classes:value_3?",
    ] {
        assert!(code.contains(part), "{part} in {code}");
    }
}

#[test]
fn a_configuration_without_name_is_refused() {
    assert!(fault(&parse_quote! { struct A {} }).contains("needs the name of its ConfigMap: `#[config(name = \"..\")]`"));
    for name in ["", "A", "a_b", "-a", "a..b", "a."] {
        let message = fault(&parse_quote! { #[config(name = #name)] struct A {} });
        assert!(message.starts_with("the name of a ConfigMap consists of"), "{name}: {message}");
    }
}

#[test]
fn the_config_derive_refuses_types_other_than_plain_structs() {
    let inputs: [(DeriveInput, &str); 4] = [
        (parse_quote! { #[config(name = "a")] enum A { B } }, "can only be derived for a struct"),
        (parse_quote! { #[config(name = "a")] struct A(String); }, "must have named fields"),
        (parse_quote! { #[config(name = "a")] struct A; }, "must have named fields"),
        (parse_quote! { #[config(name = "a")] struct A<T> { t: T } }, "cannot be generic"),
    ];
    for (input, expected) in inputs {
        assert!(fault(&input).contains(expected), "{expected}");
    }
}

#[test]
fn unknown_and_repeated_attributes_are_refused() {
    let allowed = "allowed on a configuration: `name = \"..\"`, `optional`, `strict`, `example_checksum`";
    assert_eq!(fault(&parse_quote! { #[config(name = "a", option)] struct A {} }), format!("unknown; {allowed}"));
    assert_eq!(fault(&parse_quote! { #[config(name = "a", name = "b")] struct A {} }), "given twice");
    assert!(
        field_fault(&quote::quote! { #[config(name = "b")] b: u8 }).starts_with("unknown; allowed on a field: `key = \"..\"`")
    );
    assert_eq!(field_fault(&quote::quote! { #[config(default = "1", default = "2")] b: u8 }), "given twice");
    assert_eq!(field_fault(&quote::quote! { #[config(parse_with = a, parse_with = b)] b: u8 }), "given twice");
}

#[test]
fn a_key_that_two_fields_read_is_refused() {
    assert_eq!(
        field_fault(&quote::quote! { stable_window: u8, #[config(alias = "stable-window")] window: u8 }),
        "the key \"stable-window\" is read twice: by `stable_window` and by `window`"
    );
    assert_eq!(field_fault(&quote::quote! { #[config(alias = "b")] b: u8 }), "the key \"b\" is read twice: by `b` and by `b`");
    for prefix in ["a.b", "a.b.c", "a"] {
        assert_eq!(
            field_fault(&quote::quote! {
                #[config(prefix = "a.b")] one: BTreeMap<String, u8>,
                #[config(prefix = #prefix)] two: BTreeMap<String, u8>,
            }),
            format!("keys with the prefix {prefix:?} are read twice: by `one` and by `two`")
        );
    }
}

// CFG-4
#[test]
fn keys_that_no_config_map_has_are_refused() {
    assert!(field_fault(&quote::quote! { #[config(key = "_example")] b: u8 }).contains("is never read"));
    for key in ["", "a b", "..a", ".", "ä"] {
        let message = field_fault(&quote::quote! { #[config(alias = #key)] b: u8 });
        assert!(message.starts_with("a key of a ConfigMap consists of"), "{key}: {message}");
    }
}

#[test]
fn a_prefix_collects_in_a_map_and_has_no_key() {
    for ty in [quote::quote!(u8), quote::quote!(HashMap<String, u8>), quote::quote!(BTreeMap), quote::quote!(BTreeSet<String>)] {
        assert_eq!(
            field_fault(&quote::quote! { #[config(prefix = "b")] b: #ty }),
            "`prefix` collects keys in a map: the field must be a `BTreeMap<String, T>`"
        );
    }
    for other in [quote::quote!(key = "c"), quote::quote!(alias = "c"), quote::quote!(default = "c")] {
        assert_eq!(
            field_fault(&quote::quote! { #[config(prefix = "b", #other)] b: BTreeMap<String, u8> }),
            "a field with `prefix` has no `key`, `alias` or `default`"
        );
    }
}

#[test]
fn defaults_and_ranges_of_primitive_types_are_checked() {
    for (ty, text) in [
        (quote::quote!(bool), "yes"),
        (quote::quote!(u8), "256"),
        (quote::quote!(u32), "+1"),
        (quote::quote!(i64), "1s"),
        (quote::quote!(f64), "NaN"),
    ] {
        let message = format!("{text:?} is no value of type `{ty}`");
        assert_eq!(field_fault(&quote::quote! { #[config(default = #text)] b: #ty }), message);
        let range = format!("..={text}");
        assert_eq!(field_fault(&quote::quote! { #[config(range = #range)] b: #ty }), message);
    }
    for range in ["1", "..", "1..=", "..="] {
        let message = field_fault(&quote::quote! { #[config(range = #range)] b: u8 });
        assert!(message.starts_with("a range has the form `least..=most`"), "{range}: {message}");
    }
    code(&parse_quote! {
        #[config(name = "a")]
        struct A {
            #[config(default = " 5 ", range = "1..=10")] a: u8,
            #[config(default = "x", parse_with = parse)] b: u8,
            #[config(default = "x")] c: Own,
            #[config(range = "0.5..")] d: f32,
        }
    });
}
