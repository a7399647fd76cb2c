//! Why a server cannot be reached on a port.

use std::{io, net::SocketAddr};

/// The front could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The address cannot be used.
    #[error("listen on {address}: {source}")]
    Bind {
        /// What was asked for.
        address: String,
        /// What the system says.
        source: io::Error,
    },
    /// Without TLS there is no authentication, so only this machine may connect.
    #[error("listen on {0} without TLS: only a loopback address is allowed; use listen() or 127.0.0.1")]
    NotLoopback(SocketAddr),
    /// A certificate could not be made.
    #[error("make a certificate for {subject}: {source}")]
    Certificate {
        /// Whose.
        subject: String,
        /// What is wrong.
        source: rcgen::Error,
    },
    /// TLS could not be set up.
    #[error("set up TLS: {0}")]
    Tls(#[from] rustls::Error),
    /// Client certificates could not be set up.
    #[error("set up client certificates: {0}")]
    ClientCertificates(#[from] rustls::server::VerifierBuilderError),
    /// The program chose no implementation of cryptography.
    #[error(
        "set up TLS: no crypto provider is installed; enable exactly one of the features `ring` and `aws-lc-rs` of rustls, or call \
         CryptoProvider::install_default() in main"
    )]
    NoCryptoProvider,
}
