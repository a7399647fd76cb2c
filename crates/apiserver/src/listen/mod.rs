//! The front on a TCP port: TLS with client certificates, HTTP/1.1 and HTTP/2.
//!
//! The front calls the same pipeline as callers in the process, on behalf of the user of the connection's certificate, if there is one. It refuses no
//! request.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use kubewright_apiserver::{ApiServer, Identity};
//!
//! let server = ApiServer::builder().build()?;
//! let endpoint = server.listen("127.0.0.1:0").await?;
//! std::fs::write("kubeconfig", endpoint.kubeconfig(&Identity::admin())?)?;
//! endpoint.shutdown().await;
//! # Ok(())
//! # }
//! ```

mod authority;
mod connection_pipeline;
mod error;
mod gather;
mod kubeconfig;
mod listening_server;
mod serve;
mod stream;
mod tls;

pub use error::ListenError;
pub use listening_server::ListeningServer;
