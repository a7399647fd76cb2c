//! The namespace in which the process runs, if it is not configured.

use std::path::Path;

use kube::config::Kubeconfig;

use super::args::ClusterArgs;

/// The file in which a pod finds its namespace.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";

/// Returns the namespace of the service account, else that of the kubeconfig's context, or None if neither sets one. A context without a namespace does not
/// count as `default`.
pub(super) fn system_namespace(args: &ClusterArgs) -> Option<String> {
    in_pod(Path::new(SERVICE_ACCOUNT)).or_else(|| {
        let kubeconfig = match &args.kubeconfig {
            Some(path) => Kubeconfig::read_from(path),
            None => Kubeconfig::read(),
        };
        of_context(&kubeconfig.ok()?, args.context.as_deref())
    })
}

fn in_pod(file: &Path) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    Some(text.trim().to_owned()).filter(|name| !name.is_empty())
}

fn of_context(kubeconfig: &Kubeconfig, named: Option<&str>) -> Option<String> {
    let name = named.or(kubeconfig.current_context.as_deref())?;
    let context = kubeconfig.contexts.iter().find(|context| context.name == name)?;
    context.context.as_ref()?.namespace.clone().filter(|namespace| !namespace.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    // 2.2: the namespace must never silently be `default`.
    #[test]
    fn a_context_without_namespace_names_none() {
        let kubeconfig = |context: &str| {
            let text = format!(
                "{{current-context: a, contexts: [{{name: a, context: {{cluster: c, user: u}}}}, {{name: b, context: {context}}}]}}"
            );
            Kubeconfig::from_yaml(&text).unwrap()
        };
        let named = kubeconfig("{cluster: c, user: u, namespace: shop}");
        assert_eq!(of_context(&named, None), None);
        assert_eq!(of_context(&named, Some("b")).as_deref(), Some("shop"));
        assert_eq!(of_context(&named, Some("c")), None);
        assert_eq!(of_context(&kubeconfig("{cluster: c, user: u, namespace: ''}"), Some("b")), None);
        assert_eq!(of_context(&Kubeconfig::default(), None), None);
    }

    #[test]
    fn a_pod_has_its_namespace_in_a_file() {
        let path = std::env::temp_dir().join(format!("kubewright-namespace-{}", std::process::id()));
        std::fs::write(&path, "shop\n").unwrap();
        assert_eq!(in_pod(&path).as_deref(), Some("shop"));
        std::fs::write(&path, "").unwrap();
        assert_eq!(in_pod(&path), None);
        std::fs::remove_file(&path).unwrap();
        assert_eq!(in_pod(&path), None);
    }
}
