//! How much an operator's author writes.

/// Lines of code: neither blank nor comments.
fn lines_of_code(text: &str) -> usize {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//")).count()
}

#[test]
fn the_reconciler_is_at_most_half_as_long_as_on_kube_alone() {
    let here = lines_of_code(include_str!("../../src/addressable_service.rs"));
    let on_kube_alone = lines_of_code(include_str!("../../examples/on-kube-alone.rs"));
    assert!(here * 2 <= on_kube_alone, "{here} lines here, {on_kube_alone} on kube alone");
}
