//! Errors of setting up a TCP port.

use std::io;
use std::net::SocketAddr;

/// The reason for which the TCP front could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The address cannot be used.
    #[error("listen on {address}: {source}")]
    Bind {
        /// The requested address.
        address: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Without TLS there is no authentication, so only this machine may connect.
    #[error("listen on {0} without TLS: only a loopback address is allowed; use listen() or 127.0.0.1")]
    NotLoopback(SocketAddr),
    /// A certificate could not be created.
    #[error("make a certificate for {subject}: {source}")]
    Certificate {
        /// The subject of the certificate.
        subject: String,
        /// The error of the certificate library.
        source: rcgen::Error,
    },
    /// TLS could not be set up.
    #[error("set up TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// Client certificates could not be set up.
    #[error("set up client certificates: {0}")]
    ClientCertificates(#[from] rustls::server::VerifierBuilderError),
    /// The program installed no cryptography provider.
    #[error(
        "set up TLS: no crypto provider is installed; enable exactly one of the features `ring` and `aws-lc-rs` of rustls, or call \
         CryptoProvider::install_default() in main"
    )]
    NoCryptoProvider,
}
