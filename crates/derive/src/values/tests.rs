use syn::{DeriveInput, parse_quote};

use super::expand;

#[test]
fn a_struct_becomes_typed_values_and_a_setting() {
    let input: DeriveInput = parse_quote! { struct PodinfoValues { replicas: u32 } };
    let code = expand(&input).unwrap().to_string();
    assert!(code.contains("TypedValues for PodinfoValues") && code.contains("Setting for PodinfoValues"), "{code}");
}

#[test]
fn enums_tuples_and_generics_are_refused() {
    let inputs: [(DeriveInput, &str); 3] = [
        (parse_quote! { enum A { B } }, "can only be derived for a struct"),
        (parse_quote! { struct A(String); }, "must have named fields"),
        (parse_quote! { struct A<T> { t: T } }, "cannot be generic"),
    ];
    for (input, expected) in inputs {
        assert!(expand(&input).unwrap_err().to_string().contains(expected), "{expected}");
    }
}
