//! Inputs that would take forever, or all memory, end in clear errors.

use std::fmt::Write as _;

use kubewright_render::{BuildLimits, Generator, Kustomization, TemplateLimits};
use serde_json::json;

use crate::rendering::{config_map, context, failure, fault, kustomization, kustomization_at};

// TPL-2
#[tokio::test]
async fn endless_ranges_end_with_the_limit_of_steps() {
    let bomb = "{{ range $i := until 10000 }}{{ range $j := until 10000 }}{{ range until 10000 }}{{ end }}{{ end }}{{ end }}";
    let limits = TemplateLimits { steps: 100_000, ..TemplateLimits::default() };
    let error = failure(&kustomization(&[("a.yaml", bomb)]).limits(limits)).await;
    assert!(error.starts_with("a.yaml:1: column ") && error.ends_with("exceeds the limit of 100000 steps"), "{error}");
}

// TPL-2
#[tokio::test]
async fn huge_outputs_end_with_the_limit_of_all_files_together() {
    let file = "{{ range until 100 }}0123456789{{ end }}";
    let files: Vec<_> = (0..10).map(|index| (format!("{index}.txt"), file)).collect();
    let with = |output| {
        let limits = TemplateLimits { output, ..TemplateLimits::default() };
        Kustomization::files(files.clone(), "").limits(limits)
    };
    assert!(with(10_000).render(&context(json!({}))).await.is_ok());
    let error = failure(&with(9_999)).await;
    assert!(error.starts_with("9.txt:1: ") && error.ends_with("the output exceeds the limit of 9999 bytes"), "{error}");
}

// TPL-2
#[tokio::test]
async fn huge_values_and_endless_inclusions_end_with_their_limits() {
    let values = "{{ $x := `0123456789` }}{{ range until 60 }}{{ $x = print $x $x }}{{ end }}";
    let error = failure(&kustomization(&[("a.yaml", values)])).await;
    assert!(error.starts_with("a.yaml:1: ") && error.contains("limit"), "{error}");
    let inclusion = "{{ define `a` }}{{ include `a` . }}{{ end }}{{ include `a` . }}";
    let error = failure(&kustomization(&[("a.yaml", inclusion)])).await;
    assert!(error.starts_with("a.yaml:1: ") && error.contains("nested reference"), "{}", &error[..error.len().min(200)]);
}

// KUS-5
#[test]
fn chains_of_included_kustomizations_have_a_largest_length() {
    let chain = |length: usize| {
        let config = |index: usize| format!("includedKustomizations: [../k{}]\n", index + 1);
        let mut files: Vec<_> = (0..length).map(|index| (format!("k{index}/.component-config.yaml"), config(index))).collect();
        files.push((format!("k{length}/x"), String::new()));
        Kustomization::files(files, "k0")
    };
    assert!(fault(&chain(60)).contains("more than 50 kustomizations include the next"));
    Generator::<()>::check(&chain(49)).unwrap();
}

#[tokio::test]
async fn kustomizations_that_refer_to_each_other_end_in_an_error() {
    let files = [("a/kustomization.yaml", "resources: [../b]\n"), ("b/kustomization.yaml", "resources: [../a]\n")];
    let error = failure(&kustomization_at(&files, "a").included_kustomizations(["../b"])).await;
    assert!(error.contains("cycle detected"), "{error}");
}

#[tokio::test]
async fn builds_have_limits_that_can_be_set() {
    let mut many = String::new();
    for index in 0..11 {
        write!(many, "---\n{}", config_map(&format!("m{index}"), "x")).unwrap();
    }
    let with = |objects| kustomization(&[("a.yaml", &many)]).build_limits(BuildLimits { objects, ..BuildLimits::default() });
    assert!(with(11).render(&context(json!({}))).await.is_ok());
    assert!(failure(&with(10)).await.contains("more than 10 objects"));
}

#[tokio::test]
async fn aliases_that_double_are_refused() {
    let mut bomb = "a0: &a0 [x, x]\n".to_owned();
    for index in 1..40 {
        writeln!(bomb, "a{index}: &a{index} [*a{0}, *a{0}]", index - 1).unwrap();
    }
    assert!(
        !fault(&kustomization(&[(".component-config.yaml", &format!("values:\n  {}", bomb.replace('\n', "\n  ")))])).is_empty()
    );
    assert!(
        !failure(&kustomization(&[("a.yaml", &format!("apiVersion: v1\nkind: X\nmetadata: {{name: a}}\n{bomb}"))]))
            .await
            .is_empty()
    );
}
