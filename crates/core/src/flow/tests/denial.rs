use crate::flow::*;

fn remedy(code: u16, message: &str) -> String {
    Denial::of(code, message, false).map(|denial| denial.to_string()).unwrap_or_default()
}

// OUT-3a: the texts are those of Kubernetes 1.36.
#[test]
fn a_missing_permission_is_reported_as_the_rule_of_a_role() {
    for (message, expected) in [
        (
            "secrets \"two\" is forbidden: User \"op\" cannot create resource \"secrets\" in API group \"\" in the namespace \"demo\"",
            "grant user \"op\" the rule {apiGroups: [\"\"], resources: [secrets], verbs: [create]} in namespace demo",
        ),
        (
            "widgets.example.com \"one\" is forbidden: User \"op\" cannot patch resource \"widgets/status\" in API group \"example.com\" \
             in the namespace \"demo\"",
            "grant user \"op\" the rule {apiGroups: [example.com], resources: [widgets/status], resourceNames: [one], verbs: [patch]} in \
             namespace demo",
        ),
        (
            "widgets.example.com is forbidden: User \"op\" cannot watch resource \"widgets\" in API group \"example.com\" at the cluster \
             scope: RBAC: clusterrole.rbac.authorization.k8s.io \"x\" not found",
            "grant user \"op\" the rule {apiGroups: [example.com], resources: [widgets], verbs: [get, list, watch]} in a ClusterRole",
        ),
        (
            "serviceaccounts \"deployer\" is forbidden: User \"system:serviceaccount:a:b\" cannot impersonate resource \
             \"serviceaccounts\" in API group \"\" in the namespace \"demo\"",
            "grant user \"system:serviceaccount:a:b\" the rule {apiGroups: [\"\"], resources: [serviceaccounts], resourceNames: \
             [deployer], verbs: [impersonate]} in namespace demo",
        ),
        (
            "configmaps is forbidden: User \"op\" cannot impersonate-on:user-info:create resource \"configmaps\" in API group \"\" in the \
             namespace \"demo\" as \"system:serviceaccount:accounts:deployer\"",
            "grant user \"op\" the rule {apiGroups: [\"\"], resources: [serviceaccounts], resourceNames: [deployer], verbs: [impersonate]} \
             in namespace accounts",
        ),
    ] {
        assert_eq!(remedy(403, message), expected);
    }
}

// OUT-3a
#[test]
fn a_refused_privilege_escalation_names_the_escalate_or_bind_verb_to_grant() {
    let told = "user \"op\" (groups=[\"system:authenticated\"]) is attempting to grant RBAC permissions not currently \
                held:\n{APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"get\"]}";
    let role = remedy(403, &format!("roles.rbac.authorization.k8s.io \"r\" is forbidden: {told}"));
    assert!(role.contains("user \"op\"") && role.contains("resources: [roles], verbs: [escalate]"), "{role}");
    let binding = remedy(403, &format!("clusterrolebindings.rbac.authorization.k8s.io \"r\" is forbidden: {told}"));
    assert!(binding.contains("verbs: [bind]") && binding.contains("resourceNames"), "{binding}");
}

// OUT-3a
#[test]
fn the_remedy_for_an_admission_denial_names_the_denying_plugin() {
    for (code, message, expected) in [
        (
            403,
            "pods \"p\" is forbidden: exceeded quota: small, requested: pods=1, used: pods=1, limited: pods=1",
            "the ResourceQuota small,",
        ),
        (403, "pods \"p\" is forbidden: failed quota: small: must specify limits.cpu for: c", "the ResourceQuota small,"),
        (
            403,
            "pods \"p\" is forbidden: insufficient quota to match these scopes: [{PriorityClass In [x]}]",
            "the ResourceQuota of the",
        ),
        (403, "pods \"p\" is forbidden: maximum cpu usage per Container is 1, but limit is 2", "the LimitRange of the namespace"),
        (
            403,
            "pods \"p\" is forbidden: [minimum memory usage per Container is 1Mi, but request is 1, maximum cpu usage per Pod is 1, but limit is 2]",
            "the LimitRange of the namespace",
        ),
        (
            403,
            "pods \"p\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot != true (pod or container \"c\" must set \
             securityContext.runAsNonRoot=true)",
            "fulfils \"restricted:latest\", or change the label pod-security.kubernetes.io/enforce",
        ),
        (400, "admission webhook \"a.example.com\" denied the request: no", "webhook \"a.example.com\" demands"),
        (403, "admission webhook \"a.example.com\" denied the request without explanation", "webhook \"a.example.com\" demands"),
        (
            422,
            "configmaps \"c\" is forbidden: ValidatingAdmissionPolicy 'p.example.com' with binding 'b' denied request: too large",
            "ValidatingAdmissionPolicy \"p.example.com\" demands, or change it or its binding \"b\"",
        ),
        (
            403,
            "roles.rbac.authorization.k8s.io \"r\" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you \
             can't set finalizers on: , <nil>",
            "subresource finalizers",
        ),
        (403, "forbidden: injected fault", "its administrator knows"),
    ] {
        let remedy = remedy(code, message);
        assert!(remedy.contains(expected), "{message}: {remedy}");
    }
    let leaving = Denial::of(
        403,
        "configmaps \"c\" is forbidden: unable to create new content in namespace n because it is being terminated",
        true,
    );
    assert_eq!(leaving, Some(Denial::NamespaceTerminating));
}

#[test]
fn errors_that_are_no_denials_have_no_remedy() {
    for (code, message) in [
        (422, "ConfigMap \"c\" is invalid: data[?]: Invalid value: \"?\": a valid config key"),
        (409, "Operation cannot be fulfilled: the object has been modified"),
        (500, "Internal error occurred: failed calling webhook \"a.example.com\": failed to call webhook"),
        (404, "configmaps \"c\" not found"),
    ] {
        assert_eq!(Denial::of(code, message, false), None, "{message}");
    }
}

// OUT-3a
#[test]
fn the_text_of_a_failure_has_the_remedy_for_its_denial() {
    let message = "pods \"p\" is forbidden: exceeded quota: small, requested: pods=1".to_owned();
    let status = ApiStatus { code: 403, reason: "Forbidden".to_owned(), message, ..ApiStatus::default() };
    let text = Failure::unclassified(status).context("create pod").text();
    assert!(
        text.starts_with("create pod: pods \"p\" is forbidden: ") && text.contains("(raise the ResourceQuota small, "),
        "{text}"
    );
}
