use proc_macro2::TokenStream;
use quote::quote;
use syn::{ItemImpl, parse_quote};

use super::expand::{expand, implementations};

/// Returns a block with a constructor and `reconcile`.
fn block(more: TokenStream) -> ItemImpl {
    parse_quote! {
        impl Widgets {
            #[inject]
            fn new(services: Store<Service>) -> Self { Self }
            async fn reconcile(&self, cx: &Context<Widget>, object: &Widget) -> Flow { Ok(()) }
            #more
        }
    }
}

fn code(arguments: TokenStream, block: &ItemImpl) -> String {
    implementations(arguments, block).unwrap().to_string().replace(' ', "")
}

fn faults(arguments: TokenStream, block: &ItemImpl) -> Vec<String> {
    implementations(arguments, block).unwrap_err().into_iter().map(|fault| fault.to_string()).collect()
}

fn fault(arguments: TokenStream, block: &ItemImpl) -> String {
    faults(arguments, block).join("\n")
}

// REC-1
#[test]
fn the_block_stays_without_the_marker_of_the_constructor() {
    let expanded = expand(quote!(kind = Widget), block(TokenStream::new())).to_string().replace(' ', "");
    assert!(expanded.starts_with("implWidgets{fnnew(services:Store<Service>)->Self{Self}#[allow("), "{expanded}");
    let with_fault = expand(quote!(), block(TokenStream::new())).to_string().replace(' ', "");
    assert!(with_fault.starts_with("implWidgets{fnnew(") && with_fault.contains("compile_error!"), "{with_fault}");
}

// REC-1
#[test]
fn the_macro_implements_only_the_optional_traits_whose_methods_are_present() {
    let bare = code(quote!(kind = Widget), &block(TokenStream::new()));
    assert!(bare.contains("::Reconcilefor") && bare.contains("::Registeredfor"), "{bare}");
    let absent =
        ["::Finalizefor", "::Observefor", "::ObserveDeletedfor", "::Leadfor", ".finalizer(", ".observe(", ".lead(", ".watches("];
    for absent in absent {
        assert!(!bare.contains(absent), "{absent} in {bare}");
    }
    let all = block(quote! {
        async fn finalize(&self, cx: &Context<Widget>, object: &Widget) -> Flow { Ok(()) }
        async fn observe(&self, cx: &Context<Widget>, object: &Widget) -> Flow { Ok(()) }
        async fn observe_deleted(&self, cx: &Context<Widget>, key: &Key) -> Flow { Ok(()) }
        fn watches(triggers: &mut TriggerSet<Widget>) {}
        async fn on_promoted(&self, term: &LeaderTerm) -> Result<(), BoxError> { Ok(()) }
    });
    let all = code(quote!(kind = Widget), &all);
    for present in [
        "::FinalizeforWidgets",
        "::ObserveforWidgets",
        "::ObserveDeletedforWidgets",
        "::LeadforWidgets{fnon_promoted(&self,term:&::kubewright::runtime::controller::LeaderTerm)",
        ".finalizer(::core::option::Option::None).observe().observe_deleted().lead().watches(<Self>::watches)",
    ] {
        assert!(all.contains(present), "{present} in {all}");
    }
}

// REC-3
#[test]
fn the_status_is_that_of_the_fourth_parameter() {
    let without = code(quote!(kind = Widget), &block(TokenStream::new()));
    assert!(without.contains("typeStatus=::kubewright::runtime::reconcile::NoStatus;"), "{without}");
    assert!(without.contains("<Self>::reconcile(self,cx,object)"), "{without}");
    let with: ItemImpl = parse_quote! {
        impl Widgets {
            #[inject]
            async fn connect() -> Result<Self, Error> { Ok(Self) }
            async fn reconcile(&self, _: &Context<Widget>, _: &Widget, s: &mut crate::Status) -> Flow { Ok(()) }
            async fn finalize(&self, _: &Context<Widget>, _: &Widget) -> Flow { Ok(()) }
        }
    };
    let with = code(quote!(kind = Widget), &with);
    for present in [
        "typeStatus=crate::Status;",
        "<Self>::reconcile(self,cx,object,status)",
        "<Self>::finalize(self,cx,object)",
        "TypeProbe::<crate::Status>::NEW",
        "constructed::<Self,_,Result<Self,Error>>()",
    ] {
        assert!(with.contains(present), "{present} in {with}");
    }
}

// REC-5
#[test]
fn arguments_become_calls_of_the_builder() {
    let finalizing = block(quote!(
        async fn finalize(&self, cx: &Context<Widget>, object: &Widget) -> Flow {
            Ok(())
        }
    ));
    for (arguments, expected) in [
        (quote!(name = "widgets.example.com"), ".named(\"widgets.example.com\")"),
        (quote!(name = NAME), ".named(NAME)"),
        (quote!(agent = "widget-agent"), ".agent(\"widget-agent\")"),
        (quote!(finalizer = "example.com/widget"), ".finalizer(::core::option::Option::Some(\"example.com/widget\"))"),
        (quote!(finalizer = crate::FINALIZER), ".finalizer(::core::option::Option::Some(crate::FINALIZER))"),
        (quote!(legacy_finalizers = ["widgets.", OLD]), ".legacy_finalizers([\"widgets.\",OLD])"),
        (quote!(finalizer_on = "demand"), ".finalizer_on_demand()"),
        (quote!(concurrency = 4), ".workers(4)"),
        (quote!(owns(Pod, apps::Deployment)), ".owns::<Pod>().owns::<apps::Deployment>()"),
        (quote!(creates(Pod)), ".creates::<Pod>()"),
        (quote!(timeout = "1m30s"), ".timeout(::core::time::Duration::new(90u64,0u32))"),
        (quote!(resync = "10h"), ".resync(::core::time::Duration::new(36000u64,0u32))"),
        (quote!(defaults), ".defaults()"),
        (quote!(on_status_change), ".on_status_change()"),
        (quote!(resync_filter = Self::is_live), ".resync_filter(Self::is_live)"),
        (quote!(class(keys = ["a/class", "b/class"], value = "")), ".class(&[\"a/class\",\"b/class\"],\"\")"),
        (
            quote!(class(keys = ["a/class"], value = "mine", hand_over = "release")),
            ".class(&[\"a/class\"],\"mine\").hand_over(::kubewright::core::class::HandOver::Release)",
        ),
    ] {
        let code = code(quote!(kind = Widget, #arguments), &finalizing);
        assert!(code.contains(expected), "{expected} in {code}");
    }
    assert!(!code(quote!(kind = Widget, finalizer_on = "always"), &finalizing).contains("on_demand"));
}

// REC-5
#[test]
fn arguments_that_mean_nothing_are_refused() {
    let block = block(quote!(
        async fn finalize(&self, cx: &Context<Widget>, object: &Widget) -> Flow {
            Ok(())
        }
    ));
    for (arguments, expected) in [
        (quote!(), "needs the kind that it works on"),
        (
            quote!(kind = Widget, finaliser = "a/b"),
            "unknown argument `finaliser`; did you mean `finalizer`? (allowed: kind, name, ",
        ),
        (quote!(kind = Widget, class(key = "a")), "unknown argument of `class` `key`; did you mean `keys`?"),
        (quote!(kind = Widget, kind = Other), "the argument `kind` stands twice"),
        (quote!(kind = Widget, name), "the argument `name` needs a value: `name = …`"),
        (quote!(kind = Widget, name = 3), "expected a text"),
        (quote!(kind = Widget, name = "Wid get"), "is no name of a controller"),
        (quote!(kind = Widget, agent = ""), "\"\" is empty"),
        (quote!(kind = Widget, finalizer = "widget"), "\"widget\" is no name of a finalizer: it must be <DNS subdomain>/<name>"),
        (quote!(kind = Widget, legacy_finalizers = ["a b"]), "\"a b\" is no former name of a finalizer"),
        (quote!(kind = Widget, finalizer_on = "never"), "\"never\" is not allowed here (allowed: \"always\", \"demand\")"),
        (quote!(kind = Widget, concurrency = 0), "at least one worker"),
        (quote!(kind = Widget, timeout = "30"), "\"30\" is not a duration: it must consist of numbers with the units"),
        (quote!(kind = Widget, resync = "0s"), "the duration must be longer than zero"),
        (quote!(kind = Widget, class(keys = ["a/class"])), "`class` needs keys of annotations and a value"),
        (quote!(kind = Widget, class(keys = [], value = "")), "`class` needs keys of annotations and a value"),
    ] {
        let fault = fault(arguments, &block);
        assert!(fault.contains(expected), "{expected} in {fault}");
    }
}

// FNL-1
#[test]
fn arguments_of_finalizers_need_the_method() {
    let arguments = quote!(kind = Widget, finalizer = "example.com/widget", legacy_finalizers = ["w"], finalizer_on = "always");
    let faults = faults(arguments, &block(TokenStream::new()));
    assert_eq!(
        faults,
        ["finalizer", "legacy_finalizers", "finalizer_on"]
            .map(|name| format!("`{name}` has no effect without a method `finalize`: add one, or remove the argument"))
    );
}

// REC-2
#[test]
fn functions_that_would_be_ignored_are_refused() {
    for (more, expected) in [
        (
            quote!(
                fn url_of() {}
            ),
            "unknown function of a reconciler `url_of` (allowed: reconcile, finalize, ",
        ),
        (
            quote!(
                async fn finalise(&self) {}
            ),
            "unknown function of a reconciler `finalise`; did you mean `finalize`?",
        ),
        (
            quote!(
                async fn on_promoted(&self) {}
            ),
            "expected `async fn on_promoted(&self, term: &LeaderTerm) -> Result<(), BoxError>`",
        ),
        (
            quote!(
                #[inject]
                fn further() -> Self {
                    Self
                }
            ),
            "a reconciler has exactly one `#[inject]` constructor; this is a second one",
        ),
        (
            quote!(
                const N: u8 = 1;
            ),
            "only functions may stand here",
        ),
        (
            quote!(
                #[cfg(test)]
                async fn observe(&self) {}
            ),
            "functions of a reconciler cannot be conditional",
        ),
        (
            quote!(
                fn watches(&self) {}
            ),
            "expected `fn watches(triggers: &mut TriggerSet<Kind>)`",
        ),
    ] {
        let fault = fault(quote!(kind = Widget), &block(more));
        assert!(fault.contains(expected), "{expected} in {fault}");
    }
    let on_trait: ItemImpl = parse_quote! { impl Reconcile for Widgets {} };
    assert!(fault(quote!(kind = Widget), &on_trait).contains("stands on an impl block without a trait"));
}

// REC-2
#[test]
fn a_constructor_and_reconcile_are_required() {
    let none: ItemImpl = parse_quote! { impl Widgets {} };
    assert!(
        fault(quote!(kind = Widget), &none).contains("needs a constructor, whose arguments are injected: `#[inject] fn new(")
    );
    let constructor: ItemImpl = parse_quote! { impl Widgets { #[inject] fn new() -> Self { Self } } };
    assert_eq!(fault(quote!(kind = Widget), &constructor), "a reconciler needs a method `reconcile`");
    let misspelt: ItemImpl = parse_quote! { impl Widgets { #[inject] fn new() -> Self { Self } async fn reconcil(&self) {} } };
    assert!(!fault(quote!(kind = Widget), &misspelt).contains("needs a method"));
}

#[test]
fn constructors_of_another_form_are_refused() {
    for (constructor, expected) in [
        (
            quote!(
                fn new(&self) -> Self {
                    Self
                }
            ),
            "there is no `self` yet",
        ),
        (
            quote!(
                fn new<T: FromOperator>(t: T) -> Self {
                    Self
                }
            ),
            "a constructor cannot be generic",
        ),
        (
            quote!(
                fn new() {}
            ),
            "a constructor returns the reconciler, `Self`, or a `Result` of it",
        ),
        (
            quote!(
                fn new(a: A, b: A, c: A, d: A, e: A, f: A, g: A, h: A, i: A, j: A, k: A, l: A, m: A) -> Self {
                    Self
                }
            ),
            "a constructor has at most 12 arguments",
        ),
    ] {
        let block: ItemImpl = parse_quote! { impl Widgets { #[inject] #constructor } };
        let fault = fault(quote!(kind = Widget), &block);
        assert!(fault.contains(expected), "{expected} in {fault}");
    }
    let with_arguments: ItemImpl = parse_quote! { impl Widgets { #[inject(lazy)] fn new() -> Self { Self } } };
    assert!(fault(quote!(kind = Widget), &with_arguments).contains("unexpected token in attribute"));
}

// REC-3, REC-4
#[test]
fn methods_of_another_form_get_the_expected_one() {
    let reconcile = "expected `async fn reconcile(&self, cx: &Context<Widget>, object: &Widget, status: &mut Status) -> Flow` (`status` may be left out)";
    for (method, problem, expected) in [
        (
            quote!(
                fn reconcile(&self, cx: &C, o: &W) -> Flow {}
            ),
            "`reconcile` must be async",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&mut self, cx: &C, o: &W) -> Flow {}
            ),
            "`reconcile` must take `&self`",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(cx: &C, o: &W) -> Flow {}
            ),
            "`reconcile` must take `&self`",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile<T>(&self, cx: &C, o: &T) -> Flow {}
            ),
            "`reconcile` cannot be generic",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, cx: C, o: &W) -> Flow {}
            ),
            "`cx` must be a reference",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, cx: &C, o: W) -> Flow {}
            ),
            "`object` must be a reference",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, cx: &C, o: &mut W) -> Flow {}
            ),
            "`object` cannot be changed",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, o: &W, s: &mut S) -> Flow {}
            ),
            "`object` cannot be changed",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, o: &W) -> Flow {}
            ),
            "the parameter `object` of `reconcile` is missing",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, cx: &C, o: &W, s: &S) -> Flow {}
            ),
            "`status` must be a mutable reference",
            reconcile,
        ),
        (
            quote!(
                async fn reconcile(&self, cx: &C, o: &W, s: &mut S, t: T) -> Flow {}
            ),
            "there is no further parameter",
            reconcile,
        ),
        (
            quote!(
                async fn observe(&self, cx: &C, o: &W, s: &mut S) -> Flow {}
            ),
            "`observe` has no status",
            "expected `async fn observe(&self, cx: &Context<Widget>, object: &Widget) -> Flow`",
        ),
        (
            quote!(
                async fn observe_deleted(&self, cx: &C, key: Key) -> Flow {}
            ),
            "`key` must be a reference",
            "expected `async fn observe_deleted(&self, cx: &Context<Widget>, key: &Key) -> Flow`",
        ),
    ] {
        let block: ItemImpl = parse_quote! { impl Widgets { #[inject] fn new() -> Self { Self } #method } };
        let fault = fault(quote!(kind = Widget), &block);
        assert!(fault.contains(problem) && fault.contains(expected), "{problem} in {fault}");
    }
}

// REC-3
#[test]
fn a_status_that_only_finalize_has_is_refused() {
    let block = block(quote!(
        async fn finalize(&self, cx: &Context<Widget>, object: &Widget, status: &mut Status) -> Flow {
            Ok(())
        }
    ));
    assert!(fault(quote!(kind = Widget), &block).contains("`finalize` has a status, but `reconcile` has none"));
}
