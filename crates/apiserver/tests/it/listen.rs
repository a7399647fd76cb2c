//! The front on a port: TLS, authentication, and the end of connections.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use kube::api::{Api, DynamicObject, ListParams, PostParams, WatchEvent, WatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Config, Error};
use kubewright_apiserver::listen::ListeningServer;
use kubewright_apiserver::{ApiServer, Identity};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A time limit that no event or end exceeds on a busy machine; time is real here.
const LIMIT: Duration = Duration::from_secs(60);

async fn endpoint() -> (ApiServer, ListeningServer) {
    let server = ApiServer::builder().seed(7).build().unwrap();
    let endpoint = server.listen("127.0.0.1:0").await.unwrap();
    (server, endpoint)
}

async fn config(kubeconfig: &str) -> Config {
    let kubeconfig = Kubeconfig::from_yaml(kubeconfig).unwrap();
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await.unwrap()
}

/// Returns a client without a certificate, with or without a token.
async fn without_certificate(endpoint: &ListeningServer, token: Option<&str>) -> Client {
    let mut config = config(&endpoint.kubeconfig(&Identity::admin()).unwrap()).await;
    config.auth_info.client_certificate_data = None;
    config.auth_info.client_key_data = None;
    config.auth_info.token = token.map(|token| token.to_owned().into());
    Client::try_from(config).unwrap()
}

fn config_maps(client: &Client) -> Api<DynamicObject> {
    let resource = ApiResource::from_gvk(&GroupVersionKind::gvk("", "v1", "ConfigMap"));
    Api::namespaced_with(client.clone(), "default", &resource)
}

fn config_map(name: &str) -> DynamicObject {
    serde_json::from_value(json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})).unwrap()
}

fn code<T: std::fmt::Debug>(outcome: Result<T, Error>) -> (u16, String) {
    match outcome {
        Err(Error::Api(status)) => (status.code, status.message.clone()),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

// SRV-5, CON-3, AUTH-3
#[tokio::test]
async fn a_kubeconfig_is_all_that_a_client_needs() {
    let (server, endpoint) = endpoint().await;
    let client =
        Client::try_from(config(&endpoint.kubeconfig(&Identity::user("alice").with_group("dev")).unwrap()).await).unwrap();
    let api = config_maps(&client);
    let mut watch = api.watch(&WatchParams::default(), "0").await.unwrap().boxed();
    api.create(&PostParams::default(), &config_map("a")).await.unwrap();
    let seen = loop {
        let next = tokio::time::timeout(LIMIT, watch.next()).await.expect("the watch tells of the config map");
        match next.unwrap().unwrap() {
            WatchEvent::Added(object) if object.metadata.name.as_deref() == Some("a") => break true,
            WatchEvent::Added(_) | WatchEvent::Bookmark(_) => {}
            other => panic!("{other:?}"),
        }
    };
    assert!(seen);
    let by = server.journal().all().writes()[0].user.clone();
    assert_eq!(by.as_deref(), Some("alice"));
}

// AUTH-1, AUTH-2, AUTH-4
#[tokio::test]
async fn valid_tokens_are_accepted_wrong_ones_refused_and_anonymous_lists_forbidden() {
    let (_server, endpoint) = endpoint().await;
    endpoint.add_token("secret", Identity::user("bob"));
    let list = |client: Client| async move { config_maps(&client).list(&ListParams::default()).await };
    list(without_certificate(&endpoint, Some("secret")).await).await.unwrap();
    assert_eq!(code(list(without_certificate(&endpoint, Some("wrong")).await).await), (401, "Unauthorized".to_owned()));
    let anonymous = without_certificate(&endpoint, None).await;
    assert_eq!(code(list(anonymous.clone()).await).0, 403);
    assert_eq!(anonymous.apiserver_version().await.unwrap().minor, "36");
}

// CON-3
#[tokio::test]
async fn a_shutdown_ends_open_watches_and_closes_the_port() {
    let (_server, endpoint) = endpoint().await;
    let config = config(&endpoint.kubeconfig(&Identity::admin()).unwrap()).await;
    let client = Client::try_from(config).unwrap();
    let mut watch = config_maps(&client).watch(&WatchParams::default(), "0").await.unwrap().boxed();
    let address = endpoint.address();
    endpoint.shutdown().await;
    let ended = async { while let Some(Ok(_)) = watch.next().await {} };
    tokio::time::timeout(LIMIT, ended).await.expect("the watch ends");
    assert!(tokio::net::TcpStream::connect(address).await.is_err());
}

// CON-3
#[tokio::test]
async fn a_plain_port_is_for_this_machine_only() {
    let server = ApiServer::builder().build().unwrap();
    let refused = server.listen_plain("0.0.0.0:0").await.unwrap_err().to_string();
    assert!(refused.contains("only a loopback address is allowed"), "{refused}");
    let endpoint = server.listen_plain("127.0.0.1:0").await.unwrap();
    let client = Client::try_from(config(&endpoint.kubeconfig(&Identity::admin()).unwrap()).await).unwrap();
    config_maps(&client).list(&ListParams::default()).await.unwrap();
}

// CON-3
#[tokio::test]
async fn a_watch_ends_when_its_client_closes_its_half_of_the_connection() {
    let (_server, endpoint) = endpoint().await;
    endpoint.add_token("t", Identity::admin());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(endpoint.authority().unwrap().as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let connector = tokio_rustls::TlsConnector::from(Arc::new(config.with_root_certificates(roots).with_no_client_auth()));
    let socket = tokio::net::TcpStream::connect(endpoint.address()).await.unwrap();
    let mut client = connector.connect("127.0.0.1".try_into().unwrap(), socket).await.unwrap();
    let request = "GET /api/v1/namespaces?watch=true HTTP/1.1\r\nhost: x\r\nauthorization: Bearer t\r\n\r\n";
    client.write_all(request.as_bytes()).await.unwrap();
    let mut head = [0; 15];
    client.read_exact(&mut head).await.unwrap();
    assert_eq!(&head, b"HTTP/1.1 200 OK");
    client.shutdown().await.unwrap();
    let mut rest = Vec::new();
    // Without the close, the watch would go on for at least half an hour.
    tokio::time::timeout(LIMIT, client.read_to_end(&mut rest)).await.unwrap().unwrap();
}
