use syn::{DeriveInput, parse_quote};

use super::expand;

fn faults(input: &DeriveInput) -> Vec<String> {
    match expand(input) {
        Ok(_) => Vec::new(),
        Err(error) => error.into_iter().map(|fault| fault.to_string()).collect(),
    }
}

#[test]
fn the_resource_is_named_by_kind() {
    let input: DeriveInput = parse_quote! {
        #[kube(group = "g", version = "v1", kind = "Podinfo", namespaced, status = "ComponentStatus", scale(a = "b"))]
        struct PodinfoSpec { #[serde(flatten)] placement: Placement }
    };
    let code = expand(&input).unwrap().to_string();
    assert!(code.contains("Component for Podinfo"), "{code}");
}

#[test]
fn the_resource_is_named_by_struct_where_given() {
    let input: DeriveInput = parse_quote! {
        #[kube(kind = "Podinfo", struct = "PodinfoObject")]
        #[kube(status = "ComponentStatus")]
        struct PodinfoSpec {}
    };
    assert!(expand(&input).unwrap().to_string().contains("Component for PodinfoObject"));
}

#[test]
fn a_missing_kube_attribute_is_named() {
    let input: DeriveInput = parse_quote! { struct PodinfoSpec {} };
    assert!(faults(&input)[0].contains("`#[kube(group = "));
}

#[test]
fn a_missing_status_is_named() {
    let input: DeriveInput = parse_quote! { #[kube(kind = "Podinfo")] struct PodinfoSpec {} };
    assert!(faults(&input)[0].contains("add `status = \"ComponentStatus\"`"));
}

#[test]
fn enums_tuples_and_generics_are_refused() {
    let inputs: [DeriveInput; 3] = [
        parse_quote! { #[kube(kind = "A", status = "S")] enum ASpec { B } },
        parse_quote! { #[kube(kind = "A", status = "S")] struct ASpec(String); },
        parse_quote! { #[kube(kind = "A", status = "S")] struct ASpec<T> { t: T } },
    ];
    for input in inputs {
        assert_eq!(faults(&input).len(), 1);
    }
}

#[test]
fn each_field_is_checked_by_its_type_when_the_spec_is_compiled() {
    let input: DeriveInput = parse_quote! {
        #[kube(kind = "A", status = "S")]
        struct ASpec {
            placement: Placement,
            #[serde(flatten)] policies: Option<Policies>,
        }
    };
    let code = expand(&input).unwrap().to_string();
    for expected in [
        "`placement` is a setting that must be flattened into the spec: add `#[serde(flatten)]`",
        "`policies` is a setting with a field of its own: `#[serde(default)]` instead of `#[serde(flatten)]`",
        "a field before `policies` collects all that is left over, so that this flattened field must stand before it",
        "`policies` is a setting that is embedded twice; one of them would have no effect",
    ] {
        assert!(code.contains(expected), "{expected} in {code}");
    }
}
