use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};
use kubewright_machinery::yaml;
use serde_json::Value;

/// The error of a kubeconfig that is rejected. Its content is never shown, because it holds credentials.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedKubeconfig {
    /// A field would read files of the operator's pod, or run programs in it.
    #[error("the kubeconfig sets {field}, {why}")]
    Field {
        /// The path of the field.
        field: String,
        /// The effect of the field, and the alternative.
        why: &'static str,
    },
    /// The text is not a valid kubeconfig.
    #[error("the kubeconfig cannot be read: {0}")]
    Unreadable(String),
}

/// The fields that name files of the machine, by the kind of entry.
const FILES: [(&str, &str, &str); 4] = [
    ("clusters", "cluster", "certificate-authority"),
    ("users", "user", "client-certificate"),
    ("users", "user", "client-key"),
    ("users", "user", "tokenFile"),
];
/// The fields that name programs.
const PROGRAMS: [&str; 2] = ["exec", "auth-provider"];

/// Reads the client configuration of a kubeconfig, which must be self-contained (TGT-5).
pub(super) async fn read(text: &[u8], allow_exec: bool) -> Result<Config, RefusedKubeconfig> {
    let unreadable = |problem: &str| RefusedKubeconfig::Unreadable(problem.to_owned());
    let text = std::str::from_utf8(text).map_err(|_| unreadable("it is no text"))?;
    let mut documents = yaml::documents(text).map_err(|_| unreadable("it is no YAML"))?;
    let document = match documents.len() {
        1 => documents.remove(0),
        0 => return Err(unreadable("it is empty")),
        _ => return Err(unreadable("it has several documents")),
    };
    check(&document, allow_exec)?;
    let kubeconfig: Kubeconfig =
        serde_json::from_value(document).map_err(|_| unreadable("its fields are not those of a kubeconfig"))?;
    // Errors in certificates, keys and addresses are reported without their content.
    let config = Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await;
    config.map_err(|error| unreadable(&describe(&error)))
}

fn check(document: &Value, allow_exec: bool) -> Result<(), RefusedKubeconfig> {
    for (list, entry, field) in FILES {
        refuse(document, list, entry, field, "which names a file; put the content into the kubeconfig instead")?;
    }
    for field in PROGRAMS {
        if field == "exec" && allow_exec {
            continue;
        }
        refuse(document, "users", "user", field, "which runs a program; use a token or a client certificate instead")?;
    }
    Ok(())
}

fn refuse(document: &Value, list: &str, entry: &str, field: &str, why: &'static str) -> Result<(), RefusedKubeconfig> {
    let entries = document.get(list).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    for (index, item) in entries.iter().enumerate() {
        let value = item.get(entry).and_then(|entry| entry.get(field));
        if value.is_some_and(|value| !value.is_null() && value.as_str() != Some("")) {
            return Err(RefusedKubeconfig::Field { field: format!("{list}[{index}].{entry}.{field}"), why });
        }
    }
    Ok(())
}

fn describe(error: &kube::config::KubeconfigError) -> String {
    use kube::config::KubeconfigError as Error;
    match error {
        Error::CurrentContextNotSet => "it has no current-context".to_owned(),
        Error::LoadContext(name) => format!("it has no context {name:?}"),
        Error::LoadClusterOfContext(name) => format!("it has no cluster {name:?}"),
        Error::MissingClusterUrl => "its cluster has no server".to_owned(),
        _ => "its addresses, certificates or keys are malformed".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(cluster: &str, user: &str) -> String {
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters: [{{name: c, cluster: {{{cluster}}}}}]\n\
             contexts: [{{name: c, context: {{cluster: c, user: u}}}}]\nusers: [{{name: u, user: {{{user}}}}}]\n"
        )
    }

    async fn refused(text: &str, allow_exec: bool) -> String {
        read(text.as_bytes(), allow_exec).await.err().map(|error| error.to_string()).unwrap_or_default()
    }

    const SERVER: &str = "server: 'https://example.com'";

    // TGT-5
    #[tokio::test]
    async fn files_and_programs_are_refused_by_the_name_of_their_field() {
        for (field, value) in [("client-certificate", "/a"), ("client-key", "/a"), ("tokenFile", "/a")] {
            let message = refused(&text(SERVER, &format!("{field}: {value}")), true).await;
            assert!(message.contains(&format!("sets users[0].user.{field}, which names a file")), "{message}");
        }
        let message = refused(&text("server: 'https://a', certificate-authority: /ca", "token: t"), true).await;
        assert!(message.contains("sets clusters[0].cluster.certificate-authority"), "{message}");
        let exec = "exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/true, interactiveMode: Never}";
        let message = refused(&text(SERVER, exec), false).await;
        assert!(message.contains("sets users[0].user.exec, which runs a program"), "{message}");
        let message = refused(&text(SERVER, "auth-provider: {name: oidc}"), true).await;
        assert!(message.contains("sets users[0].user.auth-provider"), "{message}");
    }

    // TGT-5
    #[tokio::test]
    async fn a_malformed_kubeconfig_is_refused_without_its_content() {
        for (text, expected) in [
            (String::new(), "it is empty"),
            ("a: [".to_owned(), "it is no YAML"),
            ("clusters: s3cr3t".to_owned(), "its fields are not those of a kubeconfig"),
            ("apiVersion: v1\nkind: Config\n".to_owned(), "it has no current-context"),
            (text("server: 'https://a'", "token: t").replace("cluster: c,", "cluster: d,"), "it has no cluster \"d\""),
        ] {
            let message = refused(&text, false).await;
            assert!(message.contains(expected) && !message.contains("s3cr3t"), "{message}");
        }
    }

    #[tokio::test]
    async fn a_kubeconfig_with_all_that_it_needs_is_taken() {
        let config = read(text(SERVER, "token: t").as_bytes(), false).await.unwrap();
        assert_eq!(config.cluster_url.host(), Some("example.com"));
    }
}
