//! The client: one HTTP/1.1 connection over TLS, as plain as can be, so that servers are measured and not it.

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use kubewright_machinery::yaml;
use rustls::{
    ClientConfig, RootCertStore,
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, pem::PemObject as _},
};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// Where a server is and how it is trusted.
#[derive(Clone)]
pub(crate) struct Address {
    host: String,
    tls: Arc<ClientConfig>,
}

/// One open connection.
pub(crate) struct Connection {
    host: String,
    sender: http1::SendRequest<Full<Bytes>>,
}

impl Address {
    pub(crate) fn of(kubeconfig: &str) -> Self {
        let config = yaml::document(kubeconfig).unwrap();
        let (cluster, user) = (&config["clusters"][0]["cluster"], &config["users"][0]["user"]);
        let pem = |data: &Value| base64::engine::general_purpose::STANDARD.decode(data.as_str().unwrap()).unwrap();
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&pem(&cluster["certificate-authority-data"])) {
            roots.add(certificate.unwrap()).unwrap();
        }
        let chain = CertificateDer::pem_slice_iter(&pem(&user["client-certificate-data"])).map(Result::unwrap).collect();
        let key = PrivateKeyDer::from_pem_slice(&pem(&user["client-key-data"])).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let tls = Arc::new(builder.with_root_certificates(roots).with_client_auth_cert(chain, key).unwrap());
        let host = cluster["server"].as_str().unwrap().strip_prefix("https://").unwrap().to_owned();
        Self { host, tls }
    }

    pub(crate) async fn connect(&self) -> std::io::Result<Connection> {
        let socket = TcpStream::connect(&self.host).await?;
        socket.set_nodelay(true)?;
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let stream = TlsConnector::from(self.tls.clone()).connect(name, socket).await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
        tokio::spawn(connection);
        Ok(Connection { host: self.host.clone(), sender })
    }

    /// So many connections.
    pub(crate) async fn connections(&self, count: usize) -> Vec<Connection> {
        let mut connections = Vec::with_capacity(count);
        for _ in 0..count {
            connections.push(self.connect().await.unwrap());
        }
        connections
    }
}

impl Connection {
    /// Sends a request; the answer is still to be read.
    pub(crate) async fn open(&mut self, method: &str, path: &str, body: Bytes) -> http::Response<Incoming> {
        let request =
            Request::builder().method(method).uri(path).header(header::HOST, &self.host).header(header::USER_AGENT, "bench/1");
        let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let request = request.header(header::CONTENT_TYPE, content_type).body(Full::new(body)).unwrap();
        self.sender.ready().await.unwrap();
        self.sender.send_request(request).await.unwrap()
    }

    /// Sends a request and reads the answer; its code and body.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: impl Into<Bytes>) -> (u16, Bytes) {
        let response = self.open(method, path, body.into()).await;
        let code = response.status().as_u16();
        (code, response.into_body().collect().await.unwrap().to_bytes())
    }

    pub(crate) async fn get(&mut self, path: &str) -> (u16, Bytes) {
        self.send("GET", path, Bytes::new()).await
    }
}
