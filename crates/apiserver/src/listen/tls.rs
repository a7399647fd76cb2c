//! TLS with the server's own authority.

use std::panic::catch_unwind;
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use super::ListenError;
use super::authority::{Authority, Leaf};

/// Returns an acceptor of TLS connections; clients may present a certificate of the authority.
pub(super) fn acceptor(authority: &Authority, server: &Leaf) -> Result<TlsAcceptor, ListenError> {
    let provider = provider()?;
    let mut roots = RootCertStore::empty();
    roots.add(authority.der())?;
    let clients =
        WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider.clone()).allow_unauthenticated().build()?;
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_client_cert_verifier(clients)
        .with_single_cert(vec![server.der()], server.key_der())?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Returns the cryptography provider of the program: the installed one, or the only one that rustls was built with. A library must not choose one.
fn provider() -> Result<Arc<CryptoProvider>, ListenError> {
    if let Some(provider) = CryptoProvider::get_default() {
        return Ok(provider.clone());
    }
    // Rustls finds the only provider that it was built with, but panics if there is none, or more than one.
    let found = catch_unwind(|| ServerConfig::builder().crypto_provider().clone());
    found.map_err(|_| ListenError::NoCryptoProvider)
}
