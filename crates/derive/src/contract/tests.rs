use proc_macro2::TokenStream;
use quote::quote;

use super::expand::{code, expand, read};

/// Returns the code of a declaration without errors, without white space.
fn expanded(input: TokenStream) -> String {
    let (declaration, errors) = read(input).unwrap();
    assert!(errors.is_empty(), "{errors:?}");
    code(&declaration).to_string().replace(' ', "").replace("::kubewright::contract::", "")
}

/// Returns the errors about a declaration, one per line.
fn faults(input: TokenStream) -> String {
    let errors = match read(input) {
        Ok((_, errors)) => errors,
        Err(error) => error.into_iter().collect(),
    };
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    lines.join("\n")
}

/// Returns settings with one component.
fn with(settings: TokenStream) -> TokenStream {
    quote! { owner = Platform; #settings ApiServer {} }
}

// 13.1
#[test]
fn the_contract_has_a_type_with_its_owner_and_components() {
    let bare = expanded(with(TokenStream::new()));
    for present in [
        "#[doc=\"Thecontractof`Platform`anditscomponents.\"]#[derive(Clone,Copy,Debug)]#[allow(unreachable_pub)]pubenumPlatformContract{}",
        "implContractforPlatformContract{typeOwner=Platform;typeInternal=NoInternal;typeForm=StandardForm;",
        "{Format::standard(<Self::Owneras::kubewright::kube::Resource>::group(&()))}",
        "{components.add_by_kind::<ApiServer>();}",
        "implContractMemberforApiServer{typeContract=PlatformContract;typeEdges=();constTYPE:ComponentType=ComponentType::new(\"ApiServer\");}",
    ] {
        assert!(bare.contains(present), "{present} in {bare}");
    }
    let full = expanded(quote! {
        /// Told.
        pub(super) name = Platforms;
        owner = api::v1::Platform;
        internal = Internal;
        Server { keep_running, type = "APIServer" }
        parts::Portal {}
    });
    for present in [
        "#[doc=r\"Told.\"]#[derive(Clone,Copy,Debug)]#[allow(unreachable_pub)]pub(super)enumPlatforms{}",
        "implContractforPlatforms{typeOwner=api::v1::Platform;typeInternal=Internal;",
        "{components.add::<Server>();components.add_by_kind::<parts::Portal>();}",
        "implContractMemberforServer{typeContract=Platforms;typeEdges=();constTYPE:ComponentType=ComponentType::new(\"APIServer\");\
         constKEEP_RUNNING:bool=true;}",
        "implContractMemberforparts::Portal{",
    ] {
        assert!(full.contains(present), "{present} in {full}");
    }
    assert!(!full.contains("Thecontractof"), "{full}");
}

// 13.1, 13.13, FZ-1, RDY-4, CT-1
#[test]
fn settings_make_the_format() {
    for (settings, expected) in [
        (quote!(domain = "example.com";), "{Format::standard(\"example.com\")}"),
        (quote!(domain = crate::DOMAIN;), "{Format::standard(crate::DOMAIN)}"),
        (quote!(preset = openmcp;), "Ok(Format::openmcp())"),
        (
            quote!(preset = openmcp; finalizer_form = DomainDotKind;),
            "Ok(Format::openmcp().finalizer_form(::kubewright::core::finalizer::FinalizerForm::DomainDotKind))",
        ),
        (
            quote!(max_name_length = 40; revision = SameRevision; domain = "a.b";),
            "Ok(Format::standard(\"a.b\")?.with_revision(Revision::SameRevision).with_max_owner_name(40))",
        ),
    ] {
        let code = expanded(with(settings));
        assert!(code.contains(expected), "{expected} in {code}");
    }
    assert!(expanded(with(quote!(preset = openmcp;))).contains("typeForm=OpenmcpForm;"));
}

// 13.3, OPA-7
#[test]
fn functions_are_methods_of_the_contract() {
    let code = expanded(with(quote! {
        disabled = hooks::disabled;
        propagate = labels;
        reads_namespaces = true;
        architecture = hooks::architecture;
    }));
    for present in [
        "constREADS_NAMESPACES:bool=true;",
        "->::std::vec::Vec<ComponentType>{hooks::disabled(owner,internal)}",
        "::kubewright::core::flow::Failure>{labels(owner,namespace)}",
        "->Architecture{hooks::architecture(component,internal)}",
    ] {
        assert!(code.contains(present), "{present} in {code}");
    }
}

// EDGE-4
#[test]
fn each_edge_has_its_type_and_its_way_to_the_dependency() {
    let code = expanded(quote! {
        owner = Platform;
        ApiServer {}
        Authentication { needs: [ApiServer { conditions: ["ApiServerReachable"] }] }
        Authorization { needs: [ApiServer] }
        Landscaper { outlived_by: [Authentication, Authorization], needs: [ApiServer { same_revision }] }
    });
    for present in [
        "typeEdges=(OutlivedByEdge<Authentication>,OutlivedByEdge<Authorization>,NeedsSameRevisionEdge<ApiServer>,);",
        "implDependsOn<Authorization>forLandscaper{fnmaybe(dependencies:&MaybeOf<Self>)->::core::option::Option<&::std::sync::Arc<Authorization>>\
         {::core::option::Option::as_ref(&dependencies.1)}}",
        "implNeeds<ApiServer>forLandscaper{fnready(dependencies:&ReadyOf<Self>)->&::std::sync::Arc<ApiServer>{&dependencies.2}}",
        "typeEdges=(NeedsEdge<ApiServer>,);",
        "typeEdges=(WithConditions<NeedsEdge<ApiServer>,ConditionsOf0>,);",
        "implRelevantConditionsforConditionsOf0{constTYPES:&'static[&'staticstr]=&[\"ApiServerReachable\"];}",
    ] {
        assert!(code.contains(present), "{present} in {code}");
    }
    assert!(!code.contains("Needs<Authentication>"), "{code}");
}

// CT-2
#[test]
fn the_conditions_of_each_component_are_compared_with_those_before_it() {
    let code = expanded(quote! { owner = Platform; A {} B {} });
    let declared = |of: &str| format!("(<{of}asContractMember>::TYPE,<{of}asContractComponent>::CONDITIONS,)");
    let expected = format!(
        "const_:()=check_conditions({},&[]);const_:()=check_conditions({},&[{}]);",
        declared("A"),
        declared("B"),
        declared("A")
    );
    assert!(code.contains(&expected), "{expected} in {code}");
}

// CT-2, EDGE-2, FZ-1
#[test]
fn contracts_that_cannot_hold_are_refused() {
    let many: TokenStream = (0..9).map(|index| quote::format_ident!("C{index}")).map(|name| quote!(#name,)).collect();
    let listed: TokenStream = (0..9).map(|index| quote::format_ident!("C{index}")).map(|name| quote!(#name {})).collect();
    let long = proc_macro2::Ident::new(&format!("L{}", "o".repeat(54)), proc_macro2::Span::call_site());
    let longish = proc_macro2::Ident::new(&format!("L{}", "o".repeat(49)), proc_macro2::Span::call_site());
    for (components, expected) in [
        (quote!(A {} A {}), "component `A` is listed twice: join both, or remove one"),
        (quote!(A { needs: [A] }), "component `A` depends on itself: remove the edge"),
        (
            quote!(ApiServer {} B { needs: [ApiServr] }),
            "component `B` depends on `ApiServr`, which the contract does not list; did you mean `ApiServer`? (listed: ApiServer, B); list it, \
             `ApiServr {}`, or remove the edge",
        ),
        (
            quote!(A { needs: [B] } B { outlived_by: [C] } C { needs: [B] } D { needs: [A] }),
            "the components depend on each other in a cycle: B -> C -> B; remove one of these edges",
        ),
        (
            quote!(A {} B { needs: [A], outlived_by: [A] }),
            "`A` is in `needs` and in `outlived_by`: remove it from `outlived_by`, which `needs` includes",
        ),
        (quote!(A {} B { needs: [A, A] }), "`A` is listed twice: remove one"),
        (
            quote!(#listed Last { needs: [#many] }),
            "component `Last` has more than 8 edges: leave out those that follow from others",
        ),
        (
            quote!(A {} #long {}),
            "is no type of a component: letters and digits, the first one an upper-case letter, at most 54; write another one",
        ),
        (quote!(A { type = "a-b" }), "\"a-b\" is no type of a component"),
        (
            quote!(preset = openmcp; #longish {}),
            "joined by a dot, has 64 characters, and at most 63 are allowed: shorten one of them",
        ),
        (
            quote!(ApiServer {} Server { type = "APIServer" }),
            "components `ApiServer` and `Server` have types that differ in no letter but",
        ),
        (
            quote!(A {} B { needs: [A { conditions: ["AHealthy"] }] }),
            "condition AHealthy always counts for the readiness of the component: remove it from the list",
        ),
    ] {
        let faults = faults(quote! { owner = Platform; #components });
        assert!(faults.contains(expected) && faults.lines().count() == 1, "{expected} in {faults}");
    }
}

// 13.1
#[test]
fn an_invalid_contract_is_refused_with_the_reason() {
    for (input, expected) in [
        (quote!(ApiServer {}), "`contract!` needs the kind whose objects own the components: write `owner = Platform;`"),
        (quote!(owner = Platform;), "`contract!` needs components: list their types, such as `ApiServer {}`"),
        (with(quote!(ownr = Platform;)), "unknown setting `ownr`; did you mean `owner`? (allowed: name, owner, "),
        (with(quote!(owner = Platform;)), "the setting `owner` stands twice: remove one"),
        (with(quote!(pub domain = "a";)), "`domain` has no visibility"),
        (with(quote!(domain = "Example.com";)), "\"Example.com\" is no DNS subdomain"),
        (with(quote!(preset = openmpc;)), "unknown value `openmpc`; did you mean `openmcp`? (allowed: openmcp)"),
        (
            with(quote!(preset = openmcp; domain = "a.b";)),
            "the preset `openmcp` has a domain of its own: remove `domain`, or the preset",
        ),
        (with(quote!(revision = Same;)), "unknown value `Same` (allowed: ReadyOnly, SameRevision)"),
        (with(quote!(max_name_length = 64;)), "expected 1 to 63"),
        (with(quote!(disabled = |_, _| Vec::new();)), "`disabled` is the path of a function: `disabled = hooks::disabled;`"),
        (with(quote!(reads_namespaces = true;)), "only `propagate` reads the labels of namespaces: give its function, or remove"),
        (with(quote!(pub ApiServer {})), "a component has the visibility of its own type: remove this one"),
        (
            with(quote!(
                #[cfg(test)]
                A {}
            )),
            "a component has no attributes but its documentation: remove this one",
        ),
        (with(quote!(#[doc = "x"] internal = I;)), "attributes of the contract stand before its first setting"),
        (with(quote!(A;)), "expected a component, `A { needs: [..] }`, or a setting, `A = ..;`"),
        (
            with(quote!(A { need: [B] })),
            "unknown key of a component `need`; did you mean `needs`? (allowed: keep_running, needs, ",
        ),
        (with(quote!(A { needs: B })), "`needs` needs a list: `needs: [..]`"),
        (with(quote!(A { needs: [B], needs: [C] })), "`needs` stands twice: join them, or remove one"),
        (
            with(quote!(A { needs: [B { sameRevision }] })),
            "unknown key of a needed component `sameRevision`; did you mean `same_revision`?",
        ),
        (
            with(quote!(A { outlived_by: [B { same_revision }] })),
            "`outlived_by` asks nothing about readiness: write `B` alone, or list it in `needs",
        ),
        (with(quote!(A { type: "B" })), "`type` needs a text: `type = \"APIServer\"`"),
        (quote!(owner = Platform ApiServer {}), "expected `;` after the setting `owner`"),
    ] {
        let faults = faults(input);
        assert!(faults.contains(expected), "{expected} in {faults}");
    }
}

// EDGE-2
#[test]
fn all_invalid_parts_of_a_contract_are_reported_and_the_rest_is_expanded() {
    let input = quote! { owner = Platform; A { needs: [A, Bb] } A {} B { needs: [A] } };
    assert_eq!(faults(input.clone()).lines().count(), 3);
    let code = expand(input).to_string().replace(' ', "");
    assert_eq!(code.matches("compile_error!").count(), 3);
    assert!(code.contains("typeEdges=();") && code.contains("NeedsEdge<A>"), "{code}");
    let unread = expand(quote!(owner = Platform;)).to_string();
    assert!(unread.contains("compile_error") && !unread.contains("enum"), "{unread}");
}
