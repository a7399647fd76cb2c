//! The client: plain HTTP over TLS with little overhead, so that the servers are measured and not the client.

use std::sync::Arc;

use base64::Engine as _;
use bytes::Bytes;
use http::{Request, header};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use kubewright_machinery::yaml;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// The address of a server, and the TLS configuration that trusts it.
#[derive(Clone)]
pub(crate) struct Address {
    host: String,
    tls: Arc<ClientConfig>,
}

/// The number of bytes of a watch that are read at once.
const BUFFER: usize = 2048;

/// A watch.
pub(crate) trait Watch: Send + 'static {
    /// Waits for events, and returns their number.
    fn events(&mut self) -> impl Future<Output = std::io::Result<usize>> + Send;
}

/// Returns the number of events that end in these bytes.
fn count(bytes: &[u8]) -> usize {
    bytes.windows(2).filter(|bytes| bytes == b"}\n").count()
}

/// A watch on HTTP/2 that shares its connection with others.
pub(crate) struct StreamWatch(Incoming);

impl Watch for StreamWatch {
    // A frame contains one or more events.
    async fn events(&mut self) -> std::io::Result<usize> {
        let frame = self.0.frame().await.ok_or(std::io::ErrorKind::UnexpectedEof)?.map_err(std::io::Error::other)?;
        Ok(frame.data_ref().map_or(0, |data| count(data)))
    }
}

/// A watch with a connection of its own, read with little overhead: with hundreds of watches the cost of the client would dominate the figure.
pub(crate) struct OwnWatch {
    socket: TlsStream<TcpStream>,
    buffer: [u8; BUFFER],
    length: usize,
}

impl Watch for OwnWatch {
    async fn events(&mut self) -> std::io::Result<usize> {
        loop {
            // The buffer keeps the last byte, since the end of an event may be split between two reads.
            let last = self.read().last().copied();
            self.length = 0;
            if let Some(last) = last {
                (self.buffer[0], self.length) = (last, 1);
            }
            self.fill().await?;
            match count(self.read()) {
                0 => {}
                events => return Ok(events),
            }
        }
    }
}

impl OwnWatch {
    fn read(&self) -> &[u8] {
        &self.buffer[..self.length]
    }

    async fn fill(&mut self) -> std::io::Result<()> {
        let read = self.socket.read(&mut self.buffer[self.length..]).await?;
        self.length += read;
        if read == 0 { Err(std::io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
    }
}

/// An open connection.
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

    async fn socket(&self, protocol: &str) -> std::io::Result<TlsStream<TcpStream>> {
        let socket = TcpStream::connect(&self.host).await?;
        socket.set_nodelay(true)?;
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let mut tls = (*self.tls).clone();
        tls.alpn_protocols = vec![protocol.into()];
        TlsConnector::from(Arc::new(tls)).connect(name, socket).await
    }

    /// Opens this many watches on one connection, as clients with HTTP/2 do.
    pub(crate) async fn shared_watches(&self, path: &str, count: usize) -> std::io::Result<Vec<StreamWatch>> {
        let socket = TokioIo::new(self.socket("h2").await?);
        let (mut sender, connection) = http2::handshake(TokioExecutor::new(), socket).await.map_err(std::io::Error::other)?;
        tokio::spawn(connection);
        let mut watches = Vec::with_capacity(count);
        for _ in 0..count {
            let request = Request::get(format!("https://{}{path}", self.host)).header(header::USER_AGENT, "bench/1");
            let answer =
                sender.send_request(request.body(Full::<Bytes>::default()).unwrap()).await.map_err(std::io::Error::other)?;
            assert_eq!(answer.status(), 200);
            watches.push(StreamWatch(answer.into_body()));
        }
        Ok(watches)
    }

    /// Opens a watch.
    pub(crate) async fn watch(&self, path: &str) -> std::io::Result<OwnWatch> {
        let mut watch = OwnWatch { socket: self.socket("http/1.1").await?, buffer: [0; BUFFER], length: 0 };
        let request = format!("GET {path} HTTP/1.1\r\nhost: {}\r\nuser-agent: bench/1\r\n\r\n", self.host);
        watch.socket.write_all(request.as_bytes()).await?;
        watch.socket.flush().await?;
        while !watch.read().windows(4).any(|bytes| bytes == b"\r\n\r\n") {
            watch.fill().await?;
        }
        assert!(watch.read().starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(watch.read()));
        watch.length = 0;
        Ok(watch)
    }

    pub(crate) async fn connect(&self) -> std::io::Result<Connection> {
        let stream = self.socket("http/1.1").await?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(std::io::Error::other)?;
        tokio::spawn(connection);
        Ok(Connection { host: self.host.clone(), sender })
    }

    /// Opens this many connections.
    pub(crate) async fn connections(&self, count: usize) -> Vec<Connection> {
        let mut connections = Vec::with_capacity(count);
        for _ in 0..count {
            connections.push(self.connect().await.unwrap());
        }
        connections
    }
}

impl Connection {
    /// Sends a request, and returns the response before its body is read.
    pub(crate) async fn open(&mut self, method: &str, path: &str, body: Bytes) -> http::Response<Incoming> {
        let request =
            Request::builder().method(method).uri(path).header(header::HOST, &self.host).header(header::USER_AGENT, "bench/1");
        let content_type = if method == "PATCH" { "application/merge-patch+json" } else { "application/json" };
        let request = request.header(header::CONTENT_TYPE, content_type).body(Full::new(body)).unwrap();
        self.sender.ready().await.unwrap();
        self.sender.send_request(request).await.unwrap()
    }

    /// Sends a request and reads the answer; returns its code and body.
    pub(crate) async fn send(&mut self, method: &str, path: &str, body: impl Into<Bytes>) -> (u16, Bytes) {
        let response = self.open(method, path, body.into()).await;
        let code = response.status().as_u16();
        (code, response.into_body().collect().await.unwrap().to_bytes())
    }

    pub(crate) async fn get(&mut self, path: &str) -> (u16, Bytes) {
        self.send("GET", path, Bytes::new()).await
    }
}
